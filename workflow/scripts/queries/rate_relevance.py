"""Let a model say how relevant the passages retrieved for each query are, with its reasons, as JSON. Every vote becomes
a row, also one without a score. Decides nothing: a high value only makes a query suspicious.
"""

from collections import defaultdict

from ragassay import tables
from ragassay.llm.calls import complete
from ragassay.llm.model import Model, Request, Requests
from ragassay.llm.prompts import Prompt
from ragassay.queries.rating import read
from ragassay.schemas.lm_relevance import LM_RELEVANCE
from ragassay.schemas.neighbours import NEIGHBOURS
from ragassay.schemas.passages import PASSAGES
from ragassay.schemas.queries import QUERIES
from ragassay.stage import log, run
from ragassay.tally import Tally

NOTHING = "(nothing was found)"  # the only passage of a query that shares no word with any


def rate_relevance(
    passages, queries, neighbours, prompt, lm_relevance, calls, model, ledger, sampling, shown, votes, most_rejected
):
    asked, model = Prompt.load(prompt), Model(**model)
    texts = dict(zip(*tables.read(PASSAGES, passages, ["passage_id", "text"]).to_pydict().values(), strict=True))
    best = defaultdict(list)
    for row in tables.read(NEIGHBOURS, neighbours, ["query_id", "rank", "passage_id"]).to_pylist():
        if row["rank"] <= shown:
            best[row["query_id"]].append(texts[row["passage_id"]])
    rows = tables.read(QUERIES, queries, ["query_id", "text"]).to_pylist()

    def request(row):
        found = best[row["query_id"]] or [NOTHING]
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
