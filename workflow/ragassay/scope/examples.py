"""A few questions out of scope with their whole lineage, for people to read: from the document to the label.

Which ones is decided by a hash of their ids, never by how they look: one from a hard stratum, one other that was kept,
one that the judge disputed; where there is none of a kind, another kept one. Each comes from a document of its own.
"""

import hashlib
from collections.abc import Iterator

from ragassay.scope.votes import DISPUTED, KEPT, OUT

TITLES = {"hard": "kept, in a hard stratum", KEPT: "kept", DISPUTED: "disputed by the judge"}


def chosen(questions: list[dict], hard: set[str]) -> list[tuple[str, dict]]:
    """(title, question) of at most three; `hard` are ids of questions in hard strata."""
    pools = {name: [] for name in TITLES}
    for row in sorted(questions, key=_lot):
        if row["intended"] == OUT and row["status"] in (KEPT, DISPUTED):
            pools["hard" if row["status"] == KEPT and row["question_id"] in hard else row["status"]].append(row)
    found, used = [], set()
    for wanted in ("hard", KEPT, DISPUTED):
        candidates = ((name, row) for name in (wanted, KEPT, "hard") for row in pools[name])
        name, row = next(((name, row) for name, row in candidates if row["doc_id"] not in used), (None, None))
        if row:
            used.add(row["doc_id"])
            found.append((TITLES[name], row))
    return found


def _lot(row):
    return hashlib.sha256(f"example {row['question_id']}".encode()).digest()


def lineage(question, document, claim, guesses, label, hardness, score) -> Iterator[tuple[str, str]]:
    """(what it is, text) of each passage, in the order in which they came to be. `guesses` are the recovered claims of
    the slot with their similarity, round by round; `hardness` and `score` may be None.
    """
    yield "Headline", document["title"] or "(none)"
    date = document["published_at"]
    yield "Published", f"{document['site'] or 'no site'}, {date.date().isoformat() if date else 'no date'}"
    yield "Document", document["text"]
    yield f"Claim in slot {claim['slot']}", claim["text"]
    for guess in guesses:
        novel = "; not supported, so asked about" if guess["recovered_id"] == question["recovered_id"] else ""
        yield f"Round {guess['round']}, similarity {guess['to_original']:.2f}{novel}", guess["text"]
    yield "Question", question["text"]
    votes = f"{label['out_votes']} out of scope, {label['in_votes']} in scope, {label['abstained']} without a verdict"
    yield f"Votes of {question['judge']}", votes
    yield "Outcome", f"{question['status']}, labelled {question['label']}, split {question['split']}"
    if hardness:
        alone = (
            ""
            if score is None or score["score"] is None
            else f"; out of scope by shared words alone: {score['score']:.2f}"
        )
        yield "Nearness", f"{hardness['nearness']:.2f} to its document's nearest claim{alone}"
