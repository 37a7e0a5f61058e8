"""A file of a replay is the same, shows the same, is near within the manifest's tolerance, or has other values."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragassay.release.outcome import Outcome

RELEASED = {"name": ["a", "b", "c"], "text": ["x", "y", None], "score": [0.5, None, 2000.0]}
CASES = {
    "same": (RELEASED, 1e-6),
    "shown": ({**RELEASED, "text": ["x", "y", "z"]}, None),
    "near": ({**RELEASED, "score": [0.5000004, None, 2000.001]}, 1e-6),
    "other": ({**RELEASED, "score": [0.500002, None, 2000.0]}, 1e-6),
    "other, without a tolerance": ({**RELEASED, "score": [0.5000004, None, 2000.0]}, None),
    "other, a missing number": ({**RELEASED, "score": [0.5, 0.5, 2000.0]}, 1e-6),
    "other, a shown text": ({**RELEASED, "text": ["x", "z", None]}, 1e-6),
    "other, a name": ({**RELEASED, "name": ["a", "b", "d"]}, 1e-6),
    "other, fewer rows": ({name: values[:2] for name, values in RELEASED.items()}, 1e-6),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_goes_to_one_of_the_outcomes(tmp_path, case):
    made, tolerance = CASES[case]
    pq.write_table(pa.table(RELEASED), tmp_path / "released")
    pq.write_table(pa.table(made), tmp_path / "made")
    outcome = Outcome("texts")
    outcome.add("file", tmp_path / "made", tmp_path / "released", ["text"], tolerance)
    found = {name: getattr(outcome, name) for name in ("same", "shown", "near", "other")}
    assert [name for name, files in found.items() if files] == [case.partition(",")[0]]


def test_a_column_whose_texts_might_have_been_withheld_and_are_all_there_shows_the_same(tmp_path):
    for name, nullable in (("made", False), ("released", True)):
        schema = pa.schema([pa.field("text", pa.string(), nullable)])
        pq.write_table(pa.table({"text": ["x", "y"]}, schema), tmp_path / name)
    outcome = Outcome("answers")
    outcome.add("file", tmp_path / "made", tmp_path / "released", ["text"], None)
    assert outcome.shown == ["file"] and not outcome.other


def test_all_outcomes_are_told():
    outcome = Outcome("answers", given=["a"], same=["b", "c"], shown=["d"], near=["e"], other=["f"])
    assert str(outcome) == (
        "2 files came out byte for byte, from answers, 1 with all values that the release shows, 1 within the tolerance"
        " that its manifest names; 1 could not be made again and were given; 1 came out with other values"
    )
