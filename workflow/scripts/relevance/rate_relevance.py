"""Let a model say how relevant the passages retrieved for each query are, with its reasons, as JSON. Every vote becomes
a row, also one without a score. Decides nothing: a high value only makes a query suspicious.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.result import Abstain
from ragassay.calls.prompts import Prompt
from ragassay.schemas.corpora import LM_RELEVANCE, QUERIES
from ragassay.search.neighbours import NOTHING, best_passages


def rate_relevance(
    passages, queries, neighbours, prompt, lm_relevance, calls, model, ledger, sampling, shown, votes, most_rejected
):
    asked, model = Prompt.load(prompt), Model(**model)
    best = best_passages(passages, neighbours, shown)
    rows = tables.read(QUERIES, queries, ["query_id", "text"]).to_pylist()

    def request(row):
        texts = list(best.get(row["query_id"], {}).values()) or [NOTHING]
        return Request(asked.messages(query=row["text"], passages=texts), sampling, votes)

    tally = Tally.of_answers(model.name, "votes", most_rejected)
    with tables.Writer(LM_RELEVANCE, lm_relevance) as kept:
        for row, answers in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally), strict=True):
            tally.hear(row["query_id"], answers)
            for number, answer in enumerate(answers, 1):
                score, feedback, reason = rating(answer.text, answer.finish_reason)
                if reason:
                    tally.reject(row["query_id"], reason, answer.detail, answer)
                else:
                    tally.keep()
                value = None if score is None else 1 - score
                vote = {"query_id": row["query_id"], "vote": number, "value": value, "feedback": feedback}
                vote |= {"abstained": reason, "detail": answer.detail or None}
                kept.add(vote | {"rater": model.name, "prompt": asked.digest})
    log.info("%d queries: %d votes, %d of them abstained", len(rows), kept.written, tally.rejected)


def rating(text: str, finish_reason: str) -> tuple[float | None, str | None, str | None]:
    """Score from 0 to 1 and feedback from an answer, or why there is no score that can be used."""
    parsed = parse_object(text, finish_reason, ("feedback", "score"))
    if isinstance(parsed, Abstain):
        return None, None, parsed.reason
    try:
        score = float(parsed.value["score"])  # which may come as text
    except (TypeError, ValueError):
        score = -1
    if isinstance(parsed.value["score"], bool) or not 0 <= score <= 1:
        return None, None, "no_verdict"
    return score, str(parsed.value["feedback"]), None


if __name__ == "__main__":
    run(rate_relevance, snakemake)
