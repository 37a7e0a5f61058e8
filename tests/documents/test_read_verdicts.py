"""read_verdicts: one vote per question, an abstention where a cell is empty."""

import json
from collections import Counter

import pytest

from ragassay.base import tables
from ragassay.base.tally import MostRejected
from ragassay.schemas.scope_questions import SCOPE_VOTES
from scripts.documents.read_verdicts import read_verdicts


def test_recorded_verdicts_are_votes(files, settings, tmp_path):
    read_verdicts(
        **files, scope_votes=tmp_path / "v.parquet", **settings, judge="model-j", column="j", most_rejected=0.5
    )
    rows = tables.read(SCOPE_VOTES, tmp_path / "v.parquet").to_pylist()
    assert Counter((row["verdict"], row["abstained"]) for row in rows) == {
        (True, None): 2,
        (False, None): 1,
        (None, "empty"): 1,
    }


def test_more_empty_cells_than_may_be_stop_the_stage(files, settings, tmp_path):
    asked = [{"doc_id": "a", "question": f"Who is {n}?", "j": "yes" if n % 2 else ""} for n in range(40)]

    def read(rows):
        (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        read_verdicts(**files, scope_votes=tmp_path / "v.parquet", **settings, judge="j", column="j", most_rejected=0.5)

    with pytest.raises(
        MostRejected, match=r"question set mine: 21 of 41 verdicts of j rejected.* 21 as empty, such as"
    ):
        read([*asked, {"doc_id": "a", "question": "Who else?", "j": None}])
    assert not (tmp_path / "v.parquet").exists()
    read(asked)
    assert tables.read(SCOPE_VOTES, tmp_path / "v.parquet").num_rows == 40
