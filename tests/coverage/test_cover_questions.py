"""cover_questions: a row per question with what the gate says of its text."""

import numpy as np

from ragassay.base import tables
from ragassay.schemas.relevance import COVERED_QUESTIONS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.services.gate import Measured
from rows import row
from scripts.coverage import cover_questions as module


class LengthGate:
    """A gate that looks at the length of a text."""

    @classmethod
    def load(cls, folder):
        return cls()

    def measure(self, texts):
        values = np.array([len(text) for text in texts], float)
        return Measured(values, 1 / values, values > 4, [[text] for text in texts], [[1.0]] * len(texts))


def test_each_question_has_its_decision(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "Gate", LengthGate)
    asked = {"q1": "Who?", "q2": "Where is it?", "q3": "Who?"}
    rows = [row(QUESTIONS, question_id=name, doc_id=name, text=text) for name, text in asked.items()]
    tables.write(QUESTIONS, tmp_path / "questions.parquet", rows)
    module.cover_questions("gate", tmp_path / "questions.parquet", tmp_path / "gated.parquet")
    decided = {
        row["question_id"]: row for row in tables.read(COVERED_QUESTIONS, tmp_path / "gated.parquet").to_pylist()
    }
    assert {name: decided[name]["passage_id"] for name in asked} == asked
    assert {name: decided[name]["rejected"] for name in asked} == {"q1": False, "q2": True, "q3": False}
    assert all(decided[name]["value"] == len(text) for name, text in asked.items())
