"""Question sets that users bring: questions, their places in documents, responses and verdicts."""

import json
import logging
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from files_of_users import pdf
from ragassay.base import tables
from ragassay.base.atomic import write_lines
from ragassay.base.tally import MostRejected
from ragassay.documents.sources import document_files
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import HUMAN_LABELS
from ragassay.schemas.scope_answers import RESPONSES
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_VOTES
from ragassay.studies.scope.question_sets import QuestionSetError
from scripts.documents.place_questions import place_questions
from scripts.documents.read_question_set import read_question_set
from scripts.documents.read_responses import read_responses
from scripts.documents.read_verdicts import read_verdicts
from study import MINILM


@pytest.fixture
def made(tmp_path):
    """The places of what a set is made of."""
    return {name: tmp_path / f"{name}.parquet" for name in ("documents", "questions", "human_labels")}


def test_documents_questions_and_votes_of_people(files, settings, made):
    read_question_set(**files, vote_files=[], **made, **settings, annotators={"ann": "j"})
    documents, questions, labels = (
        tables.read(table, made[table.name]).to_pylist() for table in (DOCUMENTS, QUESTIONS, HUMAN_LABELS)
    )
    assert {row["source_id"] for row in documents} == {"a", "b"} and {row["shard"] for row in documents} == {"mine"}
    assert {row["doc_id"] for row in questions} == {row["doc_id"] for row in documents}
    texts = {row["question_id"]: row["text"] for row in questions}
    assert {texts[row["question_id"]]: row["label"] for row in labels} == {
        "When does the ferry sail?": "in_scope",
        "Who is the captain?": "out_of_scope",
        "When did the bridge fall?": "out_of_scope",
    }


def change(files, changed):
    """Another row in the place of each of the questions' file."""
    [path] = map(Path, files["question_files"])
    write_lines(path, [changed(json.loads(line)) for line in path.read_text().splitlines()])


@pytest.mark.parametrize(("column", "warned"), [("j", False), ("opposite", True)])
def test_the_log_counts_the_labels_and_warns_where_people_say_the_opposite(
    files, settings, made, caplog, column, warned
):
    change(files, lambda row: row | {"opposite": "no" if row["out_of_scope"] else "yes"})
    with caplog.at_level(logging.INFO, "ragassay"):
        read_question_set(**files, vote_files=[], **made, **settings, annotators={"ann": column})
    assert "4 questions: 2 out of scope, 2 in scope, 0 without a label" in caplog.text
    expected = "people say the opposite of 4 of the 4 labels that they voted on; a column that says"
    assert (expected in caplog.text) == warned == ("columns.questions.in_scope" in caplog.text)


def test_documents_of_a_folder_are_called_by_their_paths_and_those_that_cannot_be_read_are_left_out(
    settings, made, tmp_path, caplog
):
    folder = tmp_path / "handbook"
    (folder / "more").mkdir(parents=True)
    (folder / "ferry.md").write_text("# The ferry\n\nIt sails at nine and carries forty cars.\n")
    (folder / "more/bridge.pdf").write_bytes(pdf("The bridge fell in May, and nobody was hurt."))
    (folder / "locked.docx").write_bytes(bytes.fromhex("d0cf11e0") + bytes(600))
    (folder / "empty.txt").touch()
    (tmp_path / "asked.csv").write_text(
        "doc_id,question,out_of_scope\nferry.md,When?,\nmore/bridge.pdf,Who was hurt?,no\n"
    )
    files = {"document_files": document_files(folder), "question_files": [str(tmp_path / "asked.csv")]}
    read_question_set(**files, vote_files=[], **made, **settings, annotators={}, below=[str(folder)])
    rows = tables.read(DOCUMENTS, made["documents"]).to_pylist()
    named = {row["source_id"]: row["title"] for row in rows}
    assert named == {"ferry.md": "The ferry", "more/bridge.pdf": "bridge"}
    asked = tables.read(QUESTIONS, made["questions"]).to_pylist()
    assert {row["doc_id"] for row in asked} == {row["doc_id"] for row in rows}
    assert f"left out {folder / 'locked.docx'}: encrypted: " in caplog.text
    assert f"left out {folder / 'empty.txt'}: empty_text: found no text" in caplog.text


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
    numbers = count()
    change(files, lambda row: row | {"question_id": next(numbers)})

    def read(*rows):
        said = tmp_path / "responses.jsonl"
        write_lines(said, rows)
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
    change(files, lambda row: row | {"m": ""})
    empty = r"questions.jsonl: found nothing in 'm', expected responses of model-m"
    with pytest.raises(QuestionSetError, match=empty):
        read_responses(
            **files, response_files=[], responses=tmp_path / "r.parquet", **settings, responder="model-m", column="m"
        )
    assert not (tmp_path / "r.parquet").exists()


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
        write_lines(tmp_path / "questions.jsonl", rows)
        read_verdicts(**files, scope_votes=tmp_path / "v.parquet", **settings, judge="j", column="j", most_rejected=0.5)

    with pytest.raises(
        MostRejected, match=r"question set mine: 21 of 41 verdicts of j rejected.* 21 as empty, such as"
    ):
        read([*asked, {"doc_id": "a", "question": "Who else?", "j": None}])
    assert not (tmp_path / "v.parquet").exists()
    read(asked)
    assert tables.read(SCOPE_VOTES, tmp_path / "v.parquet").num_rows == 40


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
def place(tmp_path, settings, made):
    """A function that places these questions and gives the rows of a table."""
    for name, text in PAGES.items():
        (tmp_path / f"{name}.txt").write_text(text)
    write_lines(tmp_path / "asked.jsonl", ASKED)
    columns = settings["columns"] | {
        "documents": settings["columns"]["documents"] | {"doc_id": ""},
        "questions": {"question_id": "id", "doc_id": None, "question": "query", "out_of_scope": None, "in_scope": "ok"},
    }
    files = {
        "document_files": sorted(map(str, tmp_path.glob("*.txt"))),
        "question_files": [str(tmp_path / "asked.jsonl")],
    }
    of_set = {"name": "mine", "columns": columns, "annotators": {"ann": "by_ann"}, "vote_files": []}
    of_set |= {"encoder": MINILM, "embeddings": str(tmp_path / "embeddings")}

    def run(count=1, words=50):
        place_questions(**files, **made, **of_set, cut={"words": words, "overlap": 0}, count=count)
        kinds = (DOCUMENTS, QUESTIONS, HUMAN_LABELS)
        return {table.name: tables.read(table, made[table.name]).to_pylist() for table in kinds}

    run.files, run.columns = files, columns
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
def answer(place, made, tmp_path):
    """A function from rows of a file to question -> response of the set's bot."""
    place()

    def read(*rows):
        said, output, table = tmp_path / "answers.jsonl", tmp_path / "responses.parquet", made["questions"]
        write_lines(said, rows)
        named = {"question_id": None, "question": "q", "responder": None, "response": "a"}
        of_set = {"name": "mine", "columns": place.columns | {"responses": named}, "placed": [str(table)]}
        answers = {"response_files": [str(said)], "responses": output, "responder": "bot", "column": "bot"}
        read_responses(**place.files, **answers, **of_set)
        texts = {row["question_id"]: row["text"] for row in tables.read(QUESTIONS, table).to_pylist()}
        return {texts[row["question_id"]]: row["text"] for row in tables.read(RESPONSES, output).to_pylist()}

    return read


def test_answers_find_their_question_by_its_text(answer):
    rows = [{"q": "When does the ferry  leave?", "a": "At nine."}, {"q": "Who?", "a": "Ada."}]
    assert answer(*rows, {"q": "How long does cheese ripen?", "a": ""}) == {"When does the ferry leave?": "At nine."}


def test_answers_to_no_question_of_the_set_are_an_error(answer):
    with pytest.raises(QuestionSetError, match="found no response of 'bot'"):
        answer({"q": "Who?", "a": "Ada."})
