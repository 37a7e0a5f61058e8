"""Let a model say how relevant the passages retrieved for each query are, with its reasons, as JSON. Every vote becomes
a row, also one without a score. Decides nothing: a high value only makes a query suspicious.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt
from ragassay.queries.rating import read
from ragassay.schemas.corpora import LM_RELEVANCE, QUERIES
from ragassay.search.neighbours import NOTHING, best_passages


def rate_relevance(
    passages, queries, neighbours, prompt, lm_relevance, calls, model, ledger, sampling, shown, votes, most_rejected
):
    asked, model = Prompt.load(prompt), Model(**model)
    best = best_passages(passages, neighbours, shown)
    rows = tables.read(QUERIES, queries, ["query_id", "text"]).to_pylist()

    def request(row):
        found = list(best.get(row["query_id"], {}).values()) or [NOTHING]
        return Request(asked.messages(query=row["text"], passages=found), sampling, votes)

    tally = Tally.of_answers(model.name, "votes", most_rejected)
    with tables.Writer(LM_RELEVANCE, lm_relevance) as kept:
        for row, answers in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally), strict=True):
            tally.hear(row["query_id"], answers)
            for number, answer in enumerate(answers, 1):
                found = read(answer.text, answer.finish_reason)
                if found.abstained:
                    tally.reject(row["query_id"], found.abstained, answer.detail, answer)
                else:
                    tally.keep()
                value = None if found.score is None else 1 - found.score
                own = {"query_id": row["query_id"], "vote": number, "value": value, "feedback": found.feedback}
                own |= {"abstained": found.abstained, "detail": answer.detail or None}
                kept.add(own | {"rater": model.name, "prompt": asked.digest})
    log.info("%d queries: %d votes, %d of them abstained", len(rows), kept.written, tally.rejected)


if __name__ == "__main__":
    run(rate_relevance, snakemake)
