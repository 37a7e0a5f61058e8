"""Questions with short answers out of documents: what the demo's language model is to know.

They are those that the embedded question writer sees in each claim of a document, with the words that they ask for; so
some are stiff English. Questions whose answers differ between claims tell nothing and are left out.
"""

from collections import defaultdict
from typing import NamedTuple

from ragassay.embedded.claims import candidates
from ragassay.embedded.clauses import clause
from ragassay.embedded.drafts import because, drafts

LONGEST = 5  # words of an answer
LONGEST_CLAIM = 24  # words


class Fact(NamedTuple):
    doc_id: str
    claim: str  # a sentence of the document, made standalone
    question: str
    kind: str  # what is asked for: who, when, how many, ...
    answer: str  # words of the claim


def facts(documents: list[dict]) -> list[Fact]:
    """All facts of documents (with doc_id and text), in their order."""
    found = defaultdict(list)
    for document in documents:
        for candidate in candidates(document["text"]):
            if len(candidate.text.split()) > LONGEST_CLAIM:
                continue
            taken = clause(candidate.text)
            for draft in drafts(taken, because(candidate.text)) if taken else ():
                question = f"{draft.text[:1].upper()}{draft.text[1:]}?"
                hidden = draft.hidden.strip()
                if hidden and hidden in candidate.text and len(hidden.split()) <= LONGEST:
                    found[question].append(Fact(document["doc_id"], candidate.text, question, draft.asks, hidden))
    return [same[0] for same in found.values() if len({fact.answer.lower() for fact in same}) == 1]
