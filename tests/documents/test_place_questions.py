"""place_questions: questions that name no document get the nearest passages, and the set is like any other."""

import json

import pytest

from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import HUMAN_LABELS
from ragassay.schemas.scope_answers import RESPONSES
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.question_sets import QuestionSetError
from scripts.documents.place_questions import place_questions
from scripts.documents.read_responses import read_responses
from study import MINILM

PAGES = {
    "ferry": "The ferry sails at nine in the morning. It carries forty cars and a bus.",
    "bridge": "A bridge collapsed during the storm in May. Nobody was hurt.",
    "cheese": "Goat cheese ripens for three weeks. The cellar stays cool.",
}
ASKED = [
    {"query": "When does the ferry leave?", "ok": "yes", "by_ann": "yes"},
    {"query": "How long does cheese ripen?", "ok": "", "by_ann": "no"},
    {"query": "When does  the ferry leave?", "ok": "", "by_ann": ""},
]


@pytest.fixture
def place(tmp_path, settings):
    """A function that places these questions and gives the rows of a table."""
    for name, text in PAGES.items():
        (tmp_path / f"{name}.txt").write_text(text)
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ASKED))
    columns = settings["columns"] | {
        "documents": settings["columns"]["documents"] | {"doc_id": ""},
        "questions": {"question_id": "id", "doc_id": None, "question": "query", "out_of_scope": None, "in_scope": "ok"},
    }
    files = {
        "document_files": sorted(map(str, tmp_path.glob("*.txt"))),
        "question_files": [str(tmp_path / "asked.jsonl")],
    }
    outputs = {name: tmp_path / f"{name}.parquet" for name in ("documents", "questions", "human_labels")}

    def run(count=1, words=50):
        encoder = {"encoder": MINILM, "embeddings": str(tmp_path / "embeddings")}
        cut = {"words": words, "overlap": 0}
        people = {"ann": "by_ann"}
        place_questions(
            **files,
            vote_files=[],
            **outputs,
            name="mine",
            columns=columns,
            annotators=people,
            cut=cut,
            count=count,
            **encoder,
        )
        return {
            table.name: tables.read(table, outputs[table.name]).to_pylist()
            for table in (DOCUMENTS, QUESTIONS, HUMAN_LABELS)
        }

    run.files, run.columns, run.outputs = files, columns, outputs
    return run


def test_a_question_has_its_nearest_passage_as_document_and_labels_stay(place):
    rows = place()
    texts = {row["doc_id"]: row["text"] for row in rows["documents"]}
    asked = {row["text"]: row for row in rows["questions"]}
    assert {text: texts[row["doc_id"]] for text, row in asked.items()} == {
        "When does the ferry leave?": PAGES["ferry"],
        "How long does cheese ripen?": PAGES["cheese"],
    }
    assert [asked[text]["intended"] for text in sorted(asked)] == ["unlabelled", "in_scope"]
    names = {row["question_id"]: row["text"] for row in rows["questions"]}
    labels = {names[row["question_id"]]: row["label"] for row in rows["human_labels"]}
    assert labels == {"When does the ferry leave?": "out_of_scope", "How long does cheese ripen?": "in_scope"}


def test_several_passages_are_one_document_the_nearest_first(place):
    rows = place(count=2, words=9)
    [ferry] = [row for row in rows["questions"] if "ferry" in row["text"]]
    [document] = [row for row in rows["documents"] if row["doc_id"] == ferry["doc_id"]]
    assert document["text"].split("\n\n")[0] == "The ferry sails at nine in the morning."
    assert len(document["text"].split("\n\n")) == 2


def test_ids_do_not_depend_on_where_questions_were_placed(place):
    ids = [{row["question_id"] for row in place(count)["questions"]} for count in (1, 3)]
    assert ids[0] == ids[1] and len(ids[0]) == 2


@pytest.fixture
def answer(place, tmp_path):
    """A function from rows of a file to question -> response of the set's bot."""
    place()

    def read(*rows):
        (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        columns = place.columns | {
            "responses": {"question_id": None, "question": "q", "responder": None, "response": "a"}
        }
        output, table = tmp_path / "responses.parquet", place.outputs["questions"]
        answers = {
            "response_files": [str(tmp_path / "answers.jsonl")],
            "responses": output,
            "responder": "bot",
            "column": "bot",
        }
        read_responses(**place.files, **answers, name="mine", columns=columns, placed=[str(table)])
        texts = {row["question_id"]: row["text"] for row in tables.read(QUESTIONS, table).to_pylist()}
        return {texts[row["question_id"]]: row["text"] for row in tables.read(RESPONSES, output).to_pylist()}

    return read


def test_answers_find_their_question_by_its_text(answer):
    rows = [{"q": "When does the ferry  leave?", "a": "At nine."}, {"q": "Who?", "a": "Ada."}]
    assert answer(*rows, {"q": "How long does cheese ripen?", "a": ""}) == {"When does the ferry leave?": "At nine."}


def test_answers_to_no_question_of_the_set_are_an_error(answer):
    with pytest.raises(QuestionSetError, match="found no response of 'bot'"):
        answer({"q": "Who?", "a": "Ada."})
