"""Without the document: who declines, who answers, who knows, and which documents could have been read before."""

import json

import numpy as np
import pytest

from ragassay.studies.scope.response_comparisons import closed_book_rows, shared
from ragassay.studies.scope.verdict_matrix import AFTER, BEFORE, UNKNOWN, period
from study import questions


def test_shared_words_leave_out_those_of_the_question():
    question = "How many trams does the museum have?"
    assert shared("The museum has 22 trams.", "The museum has 22 old trams.", question) == 0.5
    assert shared("Who knows?", "The museum has trams.", question) is None


@pytest.mark.parametrize(
    ("published", "cutoff", "expected"),
    [
        ("2024-01-01", "2023-12-31", AFTER),
        ("2023-12-31", "2023-12-31", BEFORE),
        (None, "2023-12-31", UNKNOWN),
        ("2024-01-01", None, UNKNOWN),
    ],
)
def test_days_are_compared(published, cutoff, expected):
    assert period(published, cutoff) == expected


TEXTS = ["Who built the red bridge?", "Who sold it?", "What did it cost?", "When was it sold?", "Who paid?"]
ASKED = questions([0, 0, 0, 0, 1], ["x", "x"], out=[1, 1, 0, 0, 0], published=["2024-05-01", None], texts=TEXTS)
ANSWERS = ["Carpenters from Hull.", "I do not know.", "It cost 500 marks in gold.", "In 1931.", "I do not know."]
WITH = ["It is not told.", "A bank.", "The price was 500 marks.", "Nobody says.", "The town paid."]


def found(cutoff):
    ids = ASKED.ids.tolist()
    texts = (dict(zip(ids, own, strict=True)) for own in (ANSWERS, WITH))
    codes = np.array([1, 0, -2, -2, -2], np.int8)
    rows = {}
    for row in closed_book_rows(ASKED, "r", *texts, codes, cutoff, 100, 0):
        keys = json.loads(row["keys"])
        rows.setdefault((keys["published"], keys["questions"]), {})[row["metric"]] = (row["value"], row["n"])
    return rows


def test_what_the_model_would_have_answered_anyway_is_told_apart():
    rows = found("2023-12-31")
    assert rows.keys() == {(AFTER, "out of scope"), (AFTER, "in scope"), (UNKNOWN, "in scope")}
    out = rows[AFTER, "out of scope"]
    assert out["answered"] == (0.5, 2) and out["defused_if_answered"] == (1, 1) and out["defused_if_declined"] == (0, 1)
    assert rows[UNKNOWN, "in scope"]["answered"] == (0, 1) and rows[UNKNOWN, "in scope"]["known"] == (None, 0)


def test_knowing_stands_beside_what_another_answer_of_the_document_shares():
    known, chance = (found("2025-01-01")[BEFORE, "in scope"][name] for name in ("known", "known_by_chance"))
    assert known == (pytest.approx((2 / 3 + 0) / 2), 2) and chance[0] < known[0]
