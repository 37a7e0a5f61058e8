"""Let a model say some passages of a corpus in other words. Each is a further clean passage of its source's document:
what goes by documents, as splits and judged relevance do, takes both for one. What is no other text is a reject.
"""

import heapq

from ragassay.base import chance, tables
from ragassay.base.chance import content_id
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally, reject
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt
from ragassay.corpora.corpus import check_any
from ragassay.schemas.corpora import PASSAGES, REWRITTEN_PASSAGES
from ragassay.studies.poisoning.targets.hygiene import Problem
from ragassay.studies.poisoning.targets.proposals import rewritten


def rewrite_passages(
    passages, prompt, rewritten_passages, rejects, calls, new_passages, model, ledger, sampling, corpus, count, seed,
    most_rejected,
):  # fmt: skip
    asked, model = Prompt.load(prompt), Model(**model)
    rows = (row for batch in tables.batches(PASSAGES, passages) for row in batch.to_pylist())
    rows = heapq.nsmallest(count, rows, key=lambda row: chance.lot(None, seed, row["passage_id"]))  # few are held
    check_any(len(rows), passages)

    def request(row):
        return Request(asked.messages(passage=row["text"]), sampling)

    tally = Tally.of_answers(model.name, "passages", most_rejected)
    with (
        tables.Writer(PASSAGES, new_passages) as kept,
        tables.Writer(REWRITTEN_PASSAGES, rewritten_passages) as sources,
        tables.Writer(tables.REJECTS, rejects) as refused,
    ):
        for row, [answer] in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally), strict=True):
            tally.hear(row["passage_id"], [answer])
            text = rewritten(answer, row)
            if isinstance(text, Problem):
                tally.reject(text.item, text.reason, text.detail, answer)
                refused.add(reject("rewrite_passages", {"shard": corpus}, *text))
                continue
            tally.keep()
            name = content_id("rewritten", row["passage_id"], text)
            kept.add(row | {"passage_id": name, "text": text})
            sources.add(
                {"passage_id": name, "source_passage": row["passage_id"], "rewriter": model.name}
                | {"prompt": asked.digest}
            )
    log.info("%d passages: %d rewritten, %d rejected", len(rows), kept.written, refused.written)


if __name__ == "__main__":
    run(rewrite_passages, snakemake)
