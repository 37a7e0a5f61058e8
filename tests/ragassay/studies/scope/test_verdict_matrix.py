"""Questions and verdicts come out of files of any number of shards and generators into one matrix each."""

import datetime

import pytest

from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import DEFUSION_LABELS
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope.verdict_matrix import (
    ABSTAINED,
    NO,
    UNASKED,
    YES,
    JudgedCell,
    cells_of,
    read_questions,
    read_verdicts,
)
from rows import row

DAY = datetime.datetime(2024, 5, 22, 23, 30, tzinfo=datetime.UTC)
ASKED = [("q3", "b", "out_of_scope", "kept"), ("q1", "a", "out_of_scope", "disputed"), ("q2", "a", "in_scope", "kept")]


@pytest.fixture
def files(tmp_path):
    """A function that writes rows of a table to a path below the test's folder."""

    def write(table, path, rows):
        tables.write(table, tmp_path / path, [row(table, **own) for own in rows])
        return tmp_path / path

    return write


@pytest.fixture
def questions(files):
    known = {"doc_id": "a", "topic": "food", "published_at": DAY}
    documents = [files(DOCUMENTS, "documents/s.parquet", [known, {"doc_id": "b"}, {"doc_id": "nobody asks of it"}])]
    paths = []
    for generator in ("g", "other"):
        rows = [
            {"question_id": name, "doc_id": doc, "intended": meant, "status": status, "generator": generator}
            for name, doc, meant, status in ASKED
        ]
        for number, own in enumerate(rows if generator == "g" else rows[:1]):
            own |= {"slot": number, "text": f"{own['question_id']}?"}
            paths.append(files(SELECTED_QUESTIONS, f"selected_questions/{generator}/j/{number}.parquet", [own]))
    return read_questions(documents, paths)


def test_questions_are_columns_and_documents_have_numbers(questions):
    own = questions["g"]
    assert own.ids.tolist() == ["q3", "q1", "q2"] and own.documents == ["a", "b"]
    assert own.owners.tolist() == [1, 0, 0] and own.topics.tolist() == ["food", "(none)"]
    assert own.published == ["2024-05-22", None] and own.texts[0].as_py() == "q3?"
    assert own.out.tolist() == [True, True, False] and own.kept.tolist() == [True, False, True]
    assert questions["other"].ids.tolist() == ["q3"]


def test_labels_find_their_questions_in_whatever_file_they_stand(questions, files):
    def labels(path, **said):
        rows = [{"question_id": name, "label": label} for name, label in said.items()]
        return files(DEFUSION_LABELS, f"defusion_labels/{path}.parquet", rows)

    paths = [
        labels("g/r/two_shot/j/1", q1="defused", q9="defused"),
        labels("g/r/basic/j/1", q1="tie"),
        labels("g/r/basic/j/2", q3="not_defused"),
        labels("other/r/basic/j/1", q3="no_verdict"),
    ]
    found = read_verdicts(questions, paths)
    assert cells_of(paths)["g"] == [JudgedCell("j", "two_shot", "r"), JudgedCell("j", "basic", "r")], (
        "as the files name them"
    )
    assert found["g"]["j", "basic", "r"].tolist() == [NO, ABSTAINED, UNASKED]
    assert found["g"]["j", "two_shot", "r"].tolist() == [UNASKED, YES, UNASKED]
    assert found["other"]["j", "basic", "r"].tolist() == [ABSTAINED]
