"""Rewrite out-of-scope questions that shared words or their own words give away, until two controls cannot tell them.

In each of `tries` rounds both controls are fitted anew (see `ragassay.studies.scope.near_misses`), and the
generator rewrites the newest versions that are out of scope with a probability of `told_from` or more. All versions
become rows, and one of each question goes on. Does not judge whether a version is still out of scope: judges do.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt, numbered
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import NEAR_MISSES, QUESTIONS, WRITTEN_QUESTIONS
from ragassay.studies.scope.controls import Overlap
from ragassay.studies.scope.model_answers import LEFT_OUT, flaw, read_questions
from ragassay.studies.scope.near_misses import Versions

NO_QUESTION = "(none)"


def write_near_misses(
    documents, written_questions, prompt, questions, near_misses, calls, model, ledger, sampling, tries, told_from,
    fewest_words, most_words, encoder, embeddings, most_rejected,
):  # fmt: skip
    asked, model = Prompt.load(prompt), Model(**model)
    texts = tables.read(DOCUMENTS, documents, ["doc_id", "cluster_id", "text"]).to_pylist()
    texts = {row["doc_id"]: row for row in texts}
    written = tables.read(WRITTEN_QUESTIONS, written_questions).to_pylist()
    versions = Versions(written, texts, Overlap(Embedder(Encoder(**encoder), embeddings)))
    tally = Tally.of_answers(model.name, "rewritten questions", most_rejected)

    def rewritten(attempt, recognised, first):
        def request(doc_id):
            shown = {"document": texts[doc_id]["text"], "questions": numbered(recognised[doc_id])}
            shown |= {"answered": "\n".join(versions.answered[doc_id]) or NO_QUESTION, "attempt": attempt}
            shown |= {"fewest": fewest_words, "most": most_words}
            return Request(asked.messages(**shown), sampling)

        return complete(Requests(list(recognised), request), model, ledger, calls, tally, first)

    requests = 0
    for attempt in range(1, tries + 1):
        versions.score()
        recognised = versions.told(told_from)
        log.info("try %d: the controls tell %d of %d", attempt, sum(map(len, recognised.values())), len(versions.tried))
        for doc_id, [answer] in zip(recognised, rewritten(attempt, recognised, requests), strict=True):
            tally.hear(doc_id, [answer])
            for slot, (text, why) in read_questions(answer, recognised[doc_id], recognised[doc_id]).items():
                why = why or flaw(text, fewest_words, most_words)
                if not why and not versions.is_new(doc_id, text):
                    why = ("repeated", "found a question that the document already has")
                if not why or why[0] in (LEFT_OUT, "repeated"):  # it has nothing better, which is no failure
                    tally.keep()
                else:
                    tally.reject(f"{doc_id} question {slot}", *why, answer)
                versions.add((doc_id, slot), attempt, text, asked.digest, why and f"{why[0]}: {why[1]}")
        requests += len(recognised)
    versions.score()
    with tables.Writer(QUESTIONS, questions) as kept, tables.Writer(NEAR_MISSES, near_misses) as tried:
        for row in versions.in_scope:
            kept.add(row)
        for slot, of_slot in versions.tried.items():
            chosen = versions.chosen(slot, told_from)
            kept.add(chosen.question())
            for version in of_slot:
                tried.add(near_miss(version, version is chosen))
    assert kept.written == len(written)
    log.info("%d out-of-scope questions, %d versions of them", len(versions.tried), tried.written)


def near_miss(version, chosen) -> dict:
    row = {name: version.written[name] for name in ("doc_id", "shard", "slot", "generator")}
    row |= {"question_id": None if version.reason else version.question()["question_id"]}
    row |= {"written_id": version.written["question_id"], "chosen": chosen, "prompt": version.prompt}
    return row | {name: getattr(version, name) for name in ("attempt", "text", "overlap", "wording", "reason")}


if __name__ == "__main__":
    run(write_near_misses, snakemake)
