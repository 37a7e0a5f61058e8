"""Turn the answers of a judge to one request into votes: a verdict each, or the reason why there is none."""

from ragassay.calls.parsers.result import Abstain
from ragassay.grading.verdicts import parse_verdict


def ballot(row: dict, answers, tally) -> list[dict]:
    """The columns that the tables of votes share, for the question of `row`."""
    tally.hear(row["doc_id"], answers)
    votes = []
    for number, answer in enumerate(answers, 1):
        parsed = parse_verdict(answer.text, answer.finish_reason)
        if isinstance(parsed, Abstain):
            verdict, reason = None, parsed.reason
            tally.reject(f"{row['question_id']} vote {number}", reason, answer.detail, answer)
        else:
            verdict, reason = parsed.value, None
            tally.keep()
        votes.append({"vote": number, "verdict": verdict, "abstained": reason, "detail": answer.detail or None})
    return votes
