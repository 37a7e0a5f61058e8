"""read_verdicts: one vote per question, an abstention where a cell is empty."""

from collections import Counter

from ragassay import tables
from ragassay.schemas.scope_votes import SCOPE_VOTES
from scripts.question_sets.read_verdicts import read_verdicts


def test_recorded_verdicts_are_votes(files, settings, tmp_path):
    read_verdicts(**files, scope_votes=tmp_path / "v.parquet", **settings, judge="model-j", column="j")
    rows = tables.read(SCOPE_VOTES, tmp_path / "v.parquet").to_pylist()
    assert Counter((row["verdict"], row["abstained"]) for row in rows) == {
        (True, None): 2,
        (False, None): 1,
        (None, "empty"): 1,
    }
