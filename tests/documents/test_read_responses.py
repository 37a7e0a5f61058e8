"""read_responses: one row per response, none where a cell is empty, from either form."""

import json

import pytest

from ragassay.base import tables
from ragassay.schemas.scope_answers import RESPONSES
from ragassay.studies.scope.question_sets import QuestionSetError
from scripts.documents.read_responses import read_responses


def test_recorded_responses_say_that_they_are(files, settings, tmp_path):
    read_responses(
        **files, response_files=[], responses=tmp_path / "r.parquet", **settings, responder="model-m", column="m"
    )
    rows = tables.read(RESPONSES, tmp_path / "r.parquet").to_pylist()
    assert sorted(row["text"] for row in rows) == ["At nine.", "In May.", "Nobody."]
    assert {(row["responder"], row["prompt_name"], row["finish_reason"]) for row in rows} == {
        ("model-m", "recorded", "stop")
    }


@pytest.fixture
def read(files, settings, tmp_path):
    """A function from rows of a file in long form to question -> response of the model that the file calls M."""
    asked = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    numbered = [json.dumps({**row, "question_id": number}) for number, row in enumerate(asked)]
    (tmp_path / "questions.jsonl").write_text("\n".join(numbered))

    def read(*rows):
        said = tmp_path / "responses.jsonl"
        said.write_text("".join(json.dumps(row) + "\n" for row in rows))
        output = tmp_path / "r.parquet"
        settings_of_m = {**settings, "responder": "model-m", "column": "M"}
        read_responses(**files, response_files=[str(said)], responses=output, **settings_of_m)
        return tables.read(RESPONSES, output).to_pylist()

    return read


def test_a_file_in_long_form_gives_the_rows_of_one_responder(read):
    said = [("0", "M", "At nine."), ("1", "M", ""), ("0", "N", "At ten."), (3, "M", "Nobody.")]
    rows = read(*({"question_id": name, "responder": who, "response": text} for name, who, text in said))
    assert sorted(row["text"] for row in rows) == ["At nine.", "Nobody."]
    assert {(row["responder"], row["prompt_name"]) for row in rows} == {("model-m", "recorded")}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"question_id": 9, "responder": "M", "response": "No."}], "row 1: found question '9', expected one of"),
        (
            [{"question_id": 0, "responder": "M", "response": "No."}] * 2,
            "row 2: found the same response as in .* row 1",
        ),
        ([{"question_id": 0, "responder": "N", "response": "No."}], "no response of 'M', but of these: N"),
        ([{"question_id": 0, "response": "No."}], "row 1: found nothing in 'responder'"),
    ],
)
def test_a_wrong_row_is_named(read, rows, message):
    with pytest.raises(QuestionSetError, match=message):
        read(*rows)


def test_a_column_without_any_response_is_an_error(files, settings, tmp_path):
    asked = [json.loads(line) | {"m": ""} for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    empty = r"questions.jsonl: found nothing in 'm', expected responses of model-m"
    with pytest.raises(QuestionSetError, match=empty):
        read_responses(
            **files, response_files=[], responses=tmp_path / "r.parquet", **settings, responder="model-m", column="m"
        )
    assert not (tmp_path / "r.parquet").exists()
