"""Which queries are asked, and in what words."""

import pytest

from ragassay.base import tables
from ragassay.grading.asking import NoAnswers, answerable, question
from ragassay.schemas.corpora import QUERIES
from rows import row


def written(path, *rows):
    tables.write(QUERIES, path, [row(QUERIES, query_id=f"q{at}", text="Why?", **own) for at, own in enumerate(rows)])
    return path


def test_only_queries_with_answers_are_asked(tmp_path):
    rows = [{"answers": ["x"]}, {"answers": []}, {}, {"answers": [" "]}, {"answers": ["", "y"], "passage_id": "p"}]
    path = written(tmp_path / "queries.parquet", *rows, {"answers": ["z"], "relevant": ["p"]})
    assert [one["query_id"] for one in answerable(path)] == ["q0", "q4", "q5"]
    assert [one["query_id"] for one in answerable(path, about_known=True)] == ["q4", "q5"]


def test_a_set_without_answers_is_refused_in_one_line(tmp_path):
    path = written(tmp_path / "queries.parquet", {}, {"answers": []})
    with pytest.raises(
        NoAnswers, match=r"queries.parquet: found 2 queries and no answer to any, expected some"
    ) as error:
        answerable(path)
    assert "query_sets.{name}.columns.answers" in str(error.value) and "\n" not in str(error.value)


def test_options_stand_behind_the_question():
    assert question({"text": "Where?", "options": ["here", "there"]}) == "Where? (here; there)"
    assert question({"text": "Where?", "options": None}) == question({"text": "Where?", "options": []}) == "Where?"
