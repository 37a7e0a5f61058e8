"""Write questions: one about each novel claim, which its document cannot answer, and some that each document answers.

Asks for one question per novel claim and `in_scope_per_document` per document; each of them becomes a row or a reject.
Checks count, length and form; judges decide whether a question is in or out of scope.
"""

from typing import NamedTuple

from ragassay.base import tables
from ragassay.base.chance import content_id
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally, reject
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt, numbered
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import NOVEL_CLAIMS, QUESTIONS
from ragassay.studies.scope.model_answers import LEFT_OUT, by_document, flaw, plain, read_questions
from ragassay.studies.scope.votes import IN, OUT


class Wanted(NamedTuple):
    """The questions that one request asks for, by number."""

    document: dict
    intended: str
    claims: dict[int, dict]  # number -> novel claim, None where the question is in scope

    @property
    def about(self) -> dict[int, str]:
        """What the numbers stand for: claims; nothing where questions are in scope."""
        return {number: claim["text"] for number, claim in self.claims.items() if claim}


def write_questions(
    documents, novel_claims, out_of_scope_prompt, in_scope_prompt, questions, rejects, calls,
    model, ledger, sampling, in_scope_per_document, fewest_words, most_words, most_rejected,
):  # fmt: skip
    prompts, model = {OUT: Prompt.load(out_of_scope_prompt), IN: Prompt.load(in_scope_prompt)}, Model(**model)
    wanted = all_wanted(documents, novel_claims, in_scope_per_document)
    tally = Tally.of_answers(model.name, "questions", most_rejected)

    def request(batch):
        shown = {"document": batch.document["text"], "fewest": fewest_words, "most": most_words}
        if batch.intended == OUT:
            shown["claims"] = numbered(batch.about)
        else:
            shown["n"] = in_scope_per_document
        return Request(prompts[batch.intended].messages(**shown), sampling)

    with tables.Writer(QUESTIONS, questions) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        answers = complete(Requests(wanted, request), model, ledger, calls, tally)
        for batch, [answer] in zip(wanted, answers, strict=True):
            tally.hear(batch.document["doc_id"], [answer])
            texts, seen = read_questions(answer, batch.claims, batch.about), set()
            for number, claim in batch.claims.items():
                text, why = texts[number]
                why = why or flaw(text, fewest_words, most_words)
                if not why and plain(text) in seen:
                    why = ("repeated", "found a question that the list already has")
                item = claim["recovered_id"] if claim else f"{batch.document['doc_id']} in scope {number}"
                if not why or why[0] == LEFT_OUT:  # a claim may be left out, the prompt says so
                    tally.keep()
                else:
                    tally.reject(item, *why, answer)
                if why:
                    refused.add(reject("write_questions", batch.document, item, why[0], f"{why[1]}: {text}"))
                else:
                    seen.add(plain(text))
                    kept.add(question(batch, number, text, model.name, prompts[batch.intended].digest))
    expected = sum(len(batch.claims) for batch in wanted)
    assert kept.written + refused.written == expected
    log.info("%d questions wanted: %d written, %d rejected", expected, kept.written, refused.written)


def all_wanted(documents, novel_claims, in_scope_per_document) -> list[Wanted]:
    """What is to be asked for, document by document."""
    novel = by_document(tables.read(NOVEL_CLAIMS, novel_claims).to_pylist())
    wanted = []
    for document in tables.read(DOCUMENTS, documents, ["doc_id", "shard", "text"]).to_pylist():
        if of_document := novel.get(document["doc_id"]):
            wanted.append(Wanted(document, OUT, {row["slot"]: row for row in of_document}))
        if in_scope_per_document:
            wanted.append(Wanted(document, IN, dict.fromkeys(range(1, in_scope_per_document + 1))))
    return wanted


def question(batch: Wanted, number, text, generator, prompt) -> dict:
    doc_id, claim = batch.document["doc_id"], batch.claims[number] or {}
    lineage = {name: claim.get(name) for name in ("recovered_id", "claim_id", "round")}
    parts = (doc_id, generator, batch.intended, lineage["recovered_id"] or "", text)
    row = {"question_id": content_id("question", *parts), "doc_id": doc_id, "shard": batch.document["shard"], **lineage}
    row |= {"intended": batch.intended, "slot": number, "text": text, "n_words": len(text.split())}
    return row | {"question_type": None, "generator": generator, "prompt": prompt}


if __name__ == "__main__":
    run(write_questions, snakemake)
