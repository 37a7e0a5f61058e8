"""What responders are asked, and their answers as rows: all questions that are meant to be out of scope, and a share
of the others by a hash of their ids, so that each responder has the same ones."""

from ragassay.base import chance, tables
from ragassay.calls.model import answer_columns
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.votes import IN


def asked_questions(questions, in_scope_share: float) -> list[dict]:
    """Rows with ids, text and intention; those of one document follow each other, for providers' caches."""
    rows = tables.read(QUESTIONS, questions, ["question_id", "doc_id", "text", "intended"]).to_pylist()
    rows = [row for row in rows if row["intended"] != IN or chance.share(None, row["question_id"]) < in_scope_share]
    return sorted(rows, key=lambda row: row["doc_id"])


def response_row(question: dict, answer, responder: str, prompt: str) -> dict:
    """What responses and closed-book answers have in common; `prompt` is the digest of what was asked."""
    ids = {name: question[name] for name in ("question_id", "doc_id")}
    return ids | answer_columns(answer, responder, prompt)


def count_response(question: dict, answer, tally) -> None:
    """Tell the tally whether there is a text that could be judged. One that was cut off can be."""
    tally.hear(question["doc_id"], [answer])
    part = answer_part(answer.text, answer.finish_reason)
    if isinstance(part, Abstain):
        tally.reject(question["question_id"], part.reason, answer.detail, answer)
    else:
        tally.keep()
