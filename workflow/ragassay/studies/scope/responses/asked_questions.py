"""The questions that responders are asked: all that are meant to be out of scope, and a share of the others.

A hash of a question's id decides, so that each responder and prompt has the same ones, and new questions change none.
"""

import hashlib

from ragassay.base import tables
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.questions.votes import IN


def asked_questions(questions, in_scope_share: float) -> list[dict]:
    """Rows with ids, text and intention, document by document: prompts of one document begin alike, which providers'
    caches notice.
    """
    rows = tables.read(QUESTIONS, questions, ["question_id", "doc_id", "text", "intended"]).to_pylist()
    rows = [row for row in rows if row["intended"] != IN or _place(row["question_id"]) < in_scope_share]
    return sorted(rows, key=lambda row: row["doc_id"])


def _place(question_id):
    """From 0 to 1."""
    return int.from_bytes(hashlib.sha256(question_id.encode()).digest()[:4], "big") / 2**32
