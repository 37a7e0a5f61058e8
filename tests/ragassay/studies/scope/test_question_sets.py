"""Question sets as people have them: any kind of file, any name of a column, and an error for what cannot be used."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragassay.documents.sources import SourceError
from ragassay.studies.scope.question_sets import QuestionSetError, documents, questions, scope_vote, verdict, votes

NAMES = {
    "documents": ["doc_id", "text", "title", "url", "date", "topic"],
    "questions": ["question_id", "doc_id", "question", "out_of_scope"],
    "human_votes": ["question_id", "annotator", "task", "responder", "label"],
}
COLUMNS = {name: {column: column for column in columns} for name, columns in NAMES.items()}
DOCUMENTS = [{"doc_id": "a", "text": "A ferry sails."}, {"doc_id": "b", "text": "A bridge fell."}]
QUESTIONS = [
    {"question_id": "1", "doc_id": "a", "question": "What sails?", "out_of_scope": False},
    {"question_id": "2", "doc_id": "a", "question": "Who steers it?", "out_of_scope": True},
    {"question_id": "3", "doc_id": "b", "question": "What  fell?", "out_of_scope": None},
]


@pytest.fixture
def write(tmp_path):
    """A function that writes rows as a file of this kind and gives its path in a list."""

    def write(rows, kind="jsonl", name="file"):
        path = tmp_path / f"{name}.{kind}"
        if kind == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        elif kind == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        else:
            head = list(rows[0])
            cells = [["" if row.get(name) is None else str(row[name]) for name in head] for row in rows]
            path.write_text("".join(",".join(line) + "\n" for line in [head, *cells]))
        return [str(path)]

    return write


@pytest.fixture
def asked(write):
    """A function from changed rows to questions of the set `mine`."""

    def asked(rows=QUESTIONS, texts=DOCUMENTS, kind="jsonl", more=()):
        _, ids = documents(write(texts, kind, "documents"), COLUMNS["documents"], "mine")
        return questions(write(rows, kind, "questions"), COLUMNS["questions"], ids, "mine", more)

    return asked


def test_every_kind_of_file_gives_the_same_rows(asked):
    found = [[question.row for question in asked(kind=kind)] for kind in ("jsonl", "csv", "parquet")]
    assert found[0] == found[1] == found[2]
    assert [(row["intended"], row["slot"], row["text"]) for row in found[0]] == [
        ("in_scope", 1, "What sails?"),
        ("out_of_scope", 1, "Who steers it?"),
        ("unlabelled", 1, "What fell?"),
    ]
    assert {row["generator"] for row in found[0]} == {row["shard"] for row in found[0]} == {"mine"}


def test_an_id_is_that_of_the_text_and_not_of_the_label(asked):
    before, after = asked(), asked([row | {"out_of_scope": True} for row in QUESTIONS])
    assert [one.row["question_id"] for one in before] == [one.row["question_id"] for one in after]


def test_the_same_text_under_two_ids_is_one_document(write):
    rows, ids = documents(write([*DOCUMENTS, {"doc_id": "c", "text": "A ferry sails. "}]), COLUMNS["documents"], "mine")
    assert len(rows) == 2 and ids["a"] == ids["c"] and rows[0]["source_id"] == "a"


def test_columns_may_have_other_names(write):
    rows, _ = documents(
        write([{"Key": 7, "body": "A ferry sails."}], "parquet"),
        COLUMNS["documents"] | {"doc_id": "Key", "text": "body"},
        "mine",
    )
    assert [(row["source_id"], row["text"]) for row in rows] == [("7", "A ferry sails.")]


@pytest.mark.parametrize(("cell", "label"), [("True", "out_of_scope"), ("in_scope", "in_scope"), (0, "in_scope")])
def test_a_label_has_several_forms(asked, cell, label):
    assert asked([QUESTIONS[0] | {"out_of_scope": cell}])[0].row["intended"] == label


@pytest.mark.parametrize(
    ("rows", "texts", "message"),
    [
        (QUESTIONS, [*DOCUMENTS, DOCUMENTS[0]], "documents.jsonl row 3: found the same doc_id as in .* row 1 .a.,"),
        (QUESTIONS, [{"doc_id": "a"}], "documents.jsonl row 1: found nothing in 'text', expected a value"),
        (QUESTIONS, [{"doc_id": "a", "text": "T.", "date": "May"}], "documents.jsonl row 1: found 'May' in 'date'"),
        ([{"doc_id": "z", "question": "Q?"}], DOCUMENTS, "questions.jsonl row 1: found document 'z', expected one of"),
        ([QUESTIONS[0], QUESTIONS[0]], DOCUMENTS, "questions.jsonl row 2: found the same question as in .* row 1"),
        ([QUESTIONS[0], QUESTIONS[1] | {"question_id": "1"}], DOCUMENTS, "row 2: found the same question_id as in .*1"),
        (
            [QUESTIONS[0] | {"out_of_scope": "maybe"}],
            DOCUMENTS,
            "row 1: found the label 'maybe', expected out_of_scope",
        ),
        ([], DOCUMENTS, "question set mine: found no question in .*questions.jsonl"),
    ],
)
def test_what_cannot_be_used_is_an_error_of_one_line(asked, rows, texts, message):
    with pytest.raises(QuestionSetError, match=message) as error:
        asked(rows, texts)
    assert "\n" not in str(error.value)


def test_a_column_that_is_not_there_is_named(asked):
    with pytest.raises(SourceError, match=r"questions.csv: no column 'verdict' among question_id, doc_id, question"):
        asked(kind="csv", more=("verdict",))


def test_votes_of_people_are_about_questions_by_their_id(asked, write):
    given = [
        {"question_id": 1, "annotator": "ann", "label": "in_scope"},
        {"question_id": 2, "annotator": "ann", "label": "true"},
        {"question_id": 2, "annotator": "ann", "task": "defusion", "responder": "m", "label": "false"},
        {"question_id": 2, "label": "out_of_scope"},
    ]
    found = votes(write(given, name="votes"), COLUMNS["human_votes"], asked())
    assert [(row["annotator"], row["task"], row["label"]) for row in found] == [
        ("ann", "scope", "in_scope"),
        ("ann", "scope", "out_of_scope"),
        ("ann", "defusion", "not_defused"),
        ("", "scope", "out_of_scope"),
    ]


@pytest.mark.parametrize(
    ("vote", "message"),
    [
        ({"question_id": "9"}, "row 1: found question '9', expected one of the column question_id"),
        ({"task": "tone"}, "row 1: found the task 'tone', expected one of: scope, defusion"),
        ({"label": "defused"}, "row 1: found the label 'defused', expected out_of_scope or in_scope"),
        ({"label": " "}, "row 1: found nothing in 'label'"),
    ],
)
def test_a_wrong_vote_is_named(asked, write, vote, message):
    good = {"question_id": "1", "annotator": "ann", "label": "in_scope"}
    with pytest.raises(QuestionSetError, match=message):
        votes(write([good | vote], name="votes"), COLUMNS["human_votes"], asked())


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        ({"out_of_scope": None, "in_scope": "answerable"}, ["in_scope", "out_of_scope", "unlabelled"]),
        ({"out_of_scope": "answerable", "in_scope": None}, ["out_of_scope", "in_scope", "unlabelled"]),
        ({"out_of_scope": None, "in_scope": None}, ["unlabelled"] * 3),
    ],
)
def test_a_column_of_labels_may_say_either(write, columns, labels):
    rows = [{"doc_id": "a", "question": f"What {n}?", "answerable": cell} for n, cell in enumerate(["yes", "no", ""])]
    _, ids = documents(write(DOCUMENTS, name="documents"), COLUMNS["documents"], "mine")
    found = questions(write(rows, "csv"), COLUMNS["questions"] | columns, ids, "mine", ("answerable",))
    assert [question.row["intended"] for question in found] == labels
    if columns["in_scope"]:
        votes = [scope_vote(question, "answerable", COLUMNS["questions"] | columns) for question in found]
        assert votes == ["in_scope", "out_of_scope", None]


@pytest.mark.parametrize(
    ("cells", "label"), [("true Yes 1 1.0 good", "good"), ("FALSE no 0 0.0 bad", "bad"), (" ", None)]
)
def test_a_label_has_several_spellings(cells, label):
    assert {verdict(cell, ("good", "bad"), "here") for cell in cells.split() or [""]} == {label}
    with pytest.raises(QuestionSetError, match="here: found the label 'perhaps', expected good or bad, true or false"):
        verdict("perhaps", ("good", "bad"), "here")


def test_a_column_of_labels_that_is_named_and_missing_is_an_error(write):
    _, ids = documents(write(DOCUMENTS, name="documents"), COLUMNS["documents"], "mine")
    file = write([{"doc_id": "a", "question": "What?", "answerable": "yes"}], "csv")
    with pytest.raises(SourceError, match="no column 'answerabel' among doc_id, question, answerable"):
        questions(file, COLUMNS["questions"] | {"in_scope": "answerabel"}, ids, "mine")
