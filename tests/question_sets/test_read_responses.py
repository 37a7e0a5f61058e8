"""read_responses: one row per response, none where a cell is empty."""

from ragassay import tables
from ragassay.schemas.responses import RESPONSES
from scripts.question_sets.read_responses import read_responses


def test_recorded_responses_say_that_they_are(files, settings, tmp_path):
    read_responses(**files, responses=tmp_path / "r.parquet", **settings, responder="model-m", column="m")
    rows = tables.read(RESPONSES, tmp_path / "r.parquet").to_pylist()
    assert sorted(row["text"] for row in rows) == ["At nine.", "In May.", "Nobody."]
    assert {(row["responder"], row["prompt_name"], row["finish_reason"]) for row in rows} == {
        ("model-m", "recorded", "stop")
    }
