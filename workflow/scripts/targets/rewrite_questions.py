"""Let a model put the questions of targets in other words, before anybody searches for them. A question that it does
not rewrite is searched for as it is, and is a reject with the reason.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally, reject
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt
from ragassay.schemas.corpora import QUERIES
from ragassay.studies.poisoning.defences.defence import kind_of


def rewrite_questions(
    queries, prompt, rewritten, rejects, calls, model, ledger, sampling, kind, dataset, most_rejected
):
    rows, asked, model = tables.read(QUERIES, queries).to_pylist(), Prompt.load(prompt), Model(**model)
    requests = Requests(rows, lambda row: Request(asked.messages(question=row["text"]), sampling))
    tally, read = Tally.of_answers(model.name, "questions", most_rejected), kind_of(kind)().rewritten
    with tables.Writer(QUERIES, rewritten) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for row, [answer] in zip(rows, complete(requests, model, ledger, calls, tally), strict=True):
            tally.hear(row["query_id"], [answer])
            text, reason, detail = read(answer, row["text"])
            if text is None:
                tally.reject(row["query_id"], reason, detail, answer)
                refused.add(reject("rewrite_questions", {"shard": dataset}, row["query_id"], reason, detail))
            else:
                tally.keep()
            kept.add(row | {"text": text or row["text"]})
    log.info("%d questions, %d of them in other words", kept.written, kept.written - refused.written)


if __name__ == "__main__":
    run(rewrite_questions, snakemake)
