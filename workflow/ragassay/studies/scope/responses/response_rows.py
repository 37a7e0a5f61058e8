"""A response as a row, and whether it has a text that could be judged."""

from ragassay.calls import answer_row
from ragassay.calls.parsers.result import Abstain, answer_part


def said(question: dict, answer, responder: str, prompt: str) -> dict:
    """What responses and closed-book answers have in common; `prompt` is the digest of what was asked."""
    ids = {name: question[name] for name in ("question_id", "doc_id")}
    return ids | answer_row.said(answer, responder, prompt)


def count(question: dict, answer, tally) -> None:
    """Tell the tally whether there is a text that could be judged. One that was cut off can be."""
    tally.hear(question["doc_id"], [answer])
    part = answer_part(answer.text, answer.finish_reason)
    if isinstance(part, Abstain):
        tally.reject(question["question_id"], part.reason, answer.detail, answer)
    else:
        tally.keep()
