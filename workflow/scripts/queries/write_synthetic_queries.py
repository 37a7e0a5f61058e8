"""Let a model write a question, options and the right answer from each of some passages. Such queries are in the
corpus's knowledge; what is no question with an answer among its options is rejected.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt
from ragassay.documents.ids import content_id, reject
from ragassay.queries.passage_choice import chosen
from ragassay.queries.written_query import Unusable, read
from ragassay.schemas.corpora import PASSAGES, QUERIES, SYNTHETIC


def write_synthetic_queries(
    passages, prompt, queries, rejects, calls, model, ledger, sampling, count, examples, most_rejected
):
    asked, model = Prompt.load(prompt), Model(**model)
    rows = chosen(tables.read(PASSAGES, passages, ["passage_id", "document_id", "text"]).to_pylist(), count)

    def request(row):
        return Request(asked.messages(passage=row["text"], examples=examples), sampling)

    tally, seen = Tally.of_answers(model.name, "queries", most_rejected), set()
    with tables.Writer(QUERIES, queries) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for row, [answer] in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally), strict=True):
            tally.hear(row["document_id"], [answer])
            found = read(answer.text, answer.finish_reason)
            if not isinstance(found, Unusable) and found.question.lower() in seen:
                found = Unusable("repeated", "found a question that the set already has")
            if isinstance(found, Unusable):
                tally.reject(row["passage_id"], found.reason, answer.detail or found.detail, answer)
                own = {"shard": row["document_id"]}
                refused.add(reject("write_synthetic_queries", own, row["passage_id"], found.reason, found.detail))
                continue
            tally.keep()
            seen.add(found.question.lower())
            kept.add(query(row, found))
    log.info("%d passages: %d queries written, %d rejected", len(rows), kept.written, refused.written)


def query(row, written) -> dict:
    name = content_id("query", row["passage_id"], written.question)
    found = {"query_id": name, "text": written.question, "kind": SYNTHETIC, "passage_id": row["passage_id"]}
    return dict.fromkeys(QUERIES.schema.names) | found | {"answers": [written.answer], "options": written.options}


if __name__ == "__main__":
    run(write_synthetic_queries, snakemake)
