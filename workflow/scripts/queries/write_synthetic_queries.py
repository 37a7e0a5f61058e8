"""Let a model write a question, options and the right answer from each of some passages. Such queries are in the
corpus's knowledge; what is no question with an answer among its options is rejected.
"""

from ragassay.base import tables
from ragassay.base.chance import content_id
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally, reject
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt
from ragassay.queries.synthetic import Unwritten, WrittenQuery, passages_in_turn, written
from ragassay.schemas.corpora import PASSAGES, QUERIES, SYNTHETIC


def write_synthetic_queries(
    passages, prompt, queries, rejects, calls, model, ledger, sampling, count, examples, most_rejected
):
    asked, model = Prompt.load(prompt), Model(**model)
    rows = passages_in_turn(tables.read(PASSAGES, passages, ["passage_id", "document_id", "text"]).to_pylist(), count)

    def request(row):
        return Request(asked.messages(passage=row["text"], examples=examples), sampling)

    tally, seen = Tally.of_answers(model.name, "queries", most_rejected), set()
    with tables.Writer(QUERIES, queries) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for row, [answer] in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally), strict=True):
            tally.hear(row["document_id"], [answer])
            result = written(answer.text, answer.finish_reason, examples)
            if isinstance(result, WrittenQuery) and result.question.lower() in seen:
                result = Unwritten("repeated", "found a question that the set already has")
            if isinstance(result, Unwritten):
                tally.reject(row["passage_id"], result.reason, answer.detail or result.detail, answer)
                place = {"shard": row["document_id"]}
                refused.add(reject("write_synthetic_queries", place, row["passage_id"], result.reason, result.detail))
                continue
            tally.keep()
            seen.add(result.question.lower())
            kept.add(query(row, result))
    log.info("%d passages: %d queries written, %d rejected", len(rows), kept.written, refused.written)


def query(row, written) -> dict:
    name = content_id("query", row["passage_id"], written.question)
    columns = {"query_id": name, "text": written.question, "kind": SYNTHETIC, "passage_id": row["passage_id"]}
    columns |= {"answers": [written.answer], "options": written.options}
    return dict.fromkeys(QUERIES.schema.names) | columns


if __name__ == "__main__":
    run(write_synthetic_queries, snakemake)
