"""The first passages of each question, with what a defence removes."""

import pytest

from passages import write_passages
from ragassay import tables
from ragassay.attacks.poison import AttackError
from ragassay.schemas.filtered import FILTERED
from scripts.defences.filter_retrieved import filter_retrieved


def run(files, kind="oracle", k=1, depth=3):
    names = ("retrieved", "passages", "poisoned_passages", "filtered")
    filter_retrieved(*map(files, names), kind, {}, k, depth)
    return tables.read(FILTERED, files("filtered")).to_pylist()


def test_passages_below_the_depth_are_not_looked_at_and_the_first_left_are_shown(files):
    rows = run(files)
    assert [row["rank"] for row in rows] == [1, 2, 3] * 2
    assert [row["passage_id"] for row in rows if row["removed"]] == ["poison-0", "poison-1"]
    assert [row["passage_id"] for row in rows if row["shown"] == 1] == ["p2", "p1"]


def test_a_passage_that_is_in_no_table_is_told(files):
    write_passages(files("passages"), {"p1": "A text."})
    with pytest.raises(AttackError, match=r"passages\.parquet, .*found no passage 'p2', which a search found"):
        run(files)
