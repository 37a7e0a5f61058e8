"""settle_gold: agreement is gold, a disagreement is what the adjudicator says, and the rest is missing until then."""

from datetime import UTC, datetime

import pytest

from ragassay.base import tables
from ragassay.schemas.people import ANNOTATIONS, GOLD
from rows import row
from scripts.labels.settle_gold import settle_gold


def said(number, label, role="annotator", hour=1):
    moment = datetime(2026, 11, 21, hour, tzinfo=UTC)
    who = {"item_id": "item-1", "role": role, "person": f"person-{number}", "labelled_at": moment}
    return row(ANNOTATIONS, **who, label=label, task="scope", question_id="question-1", doc_id="doc-1", given=1)


def gold(folder, *rows, needed=2):
    tables.write(ANNOTATIONS, folder / "annotations.parquet", rows)
    settle_gold(folder / "annotations.parquet", folder / "gold.parquet", needed)
    return [(g["label"], g["settled"], g["annotators"]) for g in tables.read(GOLD, folder / "gold.parquet").to_pylist()]


IN, OUT = "in_scope", "out_of_scope"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([said(1, IN)], []),
        ([said(1, IN), said(2, IN)], [(IN, "agreed", 2)]),
        ([said(1, IN), said(2, OUT)], []),
        ([said(1, IN), said(2, OUT), said(3, OUT, "adjudicator")], [(OUT, "adjudicated", 2)]),
        ([said(1, IN), said(3, OUT, "adjudicator")], []),
        ([said(1, IN), said(2, IN), said(3, OUT, "adjudicator")], [(IN, "agreed", 2)]),  # they changed their mind
        ([said(1, IN), said(2, OUT), said(3, IN)], []),
        (
            [said(1, IN), said(2, OUT), said(4, IN, "adjudicator", hour=3), said(3, OUT, "adjudicator", hour=2)],
            [(IN, "adjudicated", 2)],  # the last one
        ),
    ],
)
def test_what_is_gold(tmp_path, rows, expected):
    assert gold(tmp_path, *rows) == expected


def test_one_annotator_may_be_enough(tmp_path):
    assert gold(tmp_path, said(1, IN), needed=1) == [(IN, "agreed", 1)]
