"""ask_service and measure_services on services whose cards are known: one is right by construction, one always answers,
one always refuses, and one believes what was planted.
"""

import json

import pytest

from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, RESPONSES
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.schemas.services import SERVICE_ANSWERS, SERVICE_PASSAGES
from ragassay.studies.scope.votes import DEFUSED, NOT_DEFUSED
from scripts.responses.ask_service import ask_service
from scripts.services.measure_services import measure_services
from services import (
    ARCHIVE,
    BEYOND,
    Service,
    always_answers,
    always_refuses,
    echoes_poison,
    entry,
    of_question,
    right,
)
from study import document, question

SERVICES = {"right": right, "answers": always_answers, "refuses": always_refuses, "poisoned": echoes_poison}
CARDS = {  # service -> share -> (value, questions); the rest of a card is undefined
    "right": {
        "answered_out_of_scope": (0, 4), "refused_in_scope": (0, 4), "document_retrieved": (1, 4), "supported": (1, 4),
        "answered_unsupported": (0, 8), "unknown_citations": (0, 4), "unstable": (0, 8),
    },
    "answers": {
        "answered_out_of_scope": (1, 4), "refused_in_scope": (0, 4), "document_retrieved": (1, 4), "supported": (0, 4),
        "answered_unsupported": (1, 8), "unknown_citations": (1, 8), "unstable": (0, 8),
    },
    "refuses": {
        "answered_out_of_scope": (0, 4), "refused_in_scope": (1, 4), "document_retrieved": (1, 4),
        "answered_unsupported": (0, 8), "unstable": (0, 8),
    },
    "poisoned": {
        "answered_out_of_scope": (1, 4), "refused_in_scope": (0, 4), "document_retrieved": (0, 4), "supported": (1, 4),
        "answered_unsupported": (0, 8), "unknown_citations": (0, 8), "unstable": (0, 8),
    },
}  # fmt: skip


def path(folder, table, name, prompt=""):
    """A file below `folder`, where its keys stand in its path."""
    places = {"generator": "set", "responder": f"service:{name}", "shard": "set", "judge": "careful", "prompt": prompt}
    return folder / f"{table.path.format(**places)}.parquet"


@pytest.fixture
def asked(tmp_path):
    """Asks a service all questions; returns the rows of a table, by file."""
    files = {"documents": tmp_path / "documents.parquet", "questions": tmp_path / "questions.parquet"}
    tables.write(DOCUMENTS, files["documents"], [document(name, text) for name, (text, *_) in ARCHIVE.items()])
    rows = [question(name, at, "in_scope", text) for at, (name, (_, text, _)) in enumerate(ARCHIVE.items())]
    rows += [question(name, at, "out_of_scope", text) for at, (name, text) in enumerate(BEYOND.items(), 10)]
    tables.write(QUESTIONS, files["questions"], rows)

    def of(name, replies, asks=2):
        written = {
            table.name: path(tmp_path, table, name, "question_alone")
            for table in (RESPONSES, SERVICE_ANSWERS, SERVICE_PASSAGES)
        }
        for file in written.values():
            file.parent.mkdir(parents=True, exist_ok=True)
        with Service(replies) as service:
            model = {"name": f"service:{name}", **entry(service.address)}
            calls, ledger = tmp_path / f"calls-{name}.parquet", tmp_path / f"ledger-{name}"
            ask_service(**files, **written, calls=calls, model=model, ledger=ledger, asks=asks, most_rejected=0.5)
        assert {tuple(json.loads(request["body"])) for request in service.asked} == {("question",)}
        return {name: tables.read(table, written[table.name]).to_pylist() for name, table in TABLES.items()}

    return of


TABLES = {"responses": RESPONSES, "answers": SERVICE_ANSWERS, "passages": SERVICE_PASSAGES}


def labelled(folder, name, rows):
    """A judge that reads the fixtures' own words."""
    labels = []
    for row in rows:
        label = DEFUSED if "do not say" in row["text"] or "cannot" in row["text"] else NOT_DEFUSED
        shared = {key: row[key] for key in ("question_id", "doc_id", "responder", "prompt_name")}
        labels.append(
            shared | {"label": label, "margin": 0.0, "defused_votes": 1, "not_defused_votes": 0, "abstained": 0}
        )
        labels[-1] |= {"judge": "careful", "prompt": "p"}
    file = path(folder, DEFUSION_LABELS, name, "question_alone")
    file.parent.mkdir(parents=True, exist_ok=True)
    tables.write(DEFUSION_LABELS, file, [row for row in labels if int(row["question_id"].split("-")[1]) >= 10])
    return file


@pytest.fixture
def card(asked, tmp_path):
    """The metrics of these services, by table."""

    def of(services):
        labels = []
        for name, answer in services.items():
            labels.append(labelled(tmp_path, name, asked(name, of_question(answer))["responses"]))
        answers = [path(tmp_path, SERVICE_ANSWERS, name) for name in services]
        measure_services(answers, labels, tmp_path / "metrics.parquet", resamples=50, seed=1)
        rows = tables.read(METRICS, tmp_path / "metrics.parquet").to_pylist()
        return [row | {"keys": json.loads(row["keys"])} for row in rows]

    return of


def test_cards_of_services_are_those_they_were_built_to_have(card):
    rows = [row for row in card(SERVICES) if row["table"] == "services"]
    for name, expected in CARDS.items():
        values = {
            row["metric"]: (row["value"], row["n"]) for row in rows if row["keys"]["service"] == f"service:{name}"
        }
        assert {metric: value for metric, value in values.items() if value[0] is not None} == expected, name
    assert {row["keys"]["asked"] for row in rows} == {"set"}


def test_two_services_differ_where_their_cards_do(card):
    rows = card({"answers": always_answers, "right": right})
    values = {row["metric"]: row["value"] for row in rows if row["table"] == "differences"}
    assert values["answered_out_of_scope"] == 1 and values["supported"] == -1 and values["document_retrieved"] == 0


def test_rows_hold_what_came(asked):
    rows = asked("right", of_question(right))
    answers = {(row["question_id"], row["ask"]): row for row in rows["answers"]}
    assert len(answers) == 16 and len(rows["responses"]) == 8 and len(rows["passages"]) == 16
    assert answers["question-0", 1] | {"text": ""} == {
        "question_id": "question-0", "ask": 1, "doc_id": "harbour", "intended": "in_scope", "text": "",
        "finish_reason": "stop", "detail": None, "outcome": "answered", "retrieved": 1, "document_rank": 1,
        "support": 1.0, "supported": True, "citations": 1, "unknown_citations": 0, "responder": "service:right",
    }  # fmt: skip
    [first] = [row for row in rows["passages"] if (row["question_id"], row["ask"]) == ("question-0", 1)]
    assert (first["passage_id"], first["source"], first["score"]) == ("harbour", "harbour.txt", 1.0)
    assert first["of_document"] and first["text"] == ARCHIVE["harbour"][0]
    assert {row["prompt_name"] for row in rows["responses"]} == {"question_alone"}


def test_one_that_answers_now_and_then_is_unstable(asked, tmp_path):
    turns = {}

    def moody(body):
        question = json.loads(body)["question"]
        turns[question] = turns.get(question, 0) + 1
        return right(question) if turns[question] > 1 else {"answer": "I am not sure.", "passages": []}

    asked("moody", moody)
    measure_services([path(tmp_path, SERVICE_ANSWERS, "moody")], [], tmp_path / "m.parquet", resamples=50, seed=1)
    rows = {row["metric"]: row for row in tables.read(METRICS, tmp_path / "m.parquet").to_pylist()}
    assert (rows["unstable"]["value"], rows["unstable"]["n"]) == (0.5, 8)  # in-scope questions


def test_without_passages_only_what_they_say_is_measured(asked, tmp_path):
    rows = asked("silent", of_question(lambda question: {"answer": right(question)["answer"], "passages": []}))
    assert {row["retrieved"] for row in rows["answers"]} == {0} and rows["passages"] == []
    assert all(row["supported"] is False for row in rows["answers"] if row["outcome"] == "answered")


def test_a_refused_question_is_a_row_that_abstains(asked):
    def broken(body):
        return {"error": {"code": 400, "message": "too odd"}} if "Pell" in body else right(json.loads(body)["question"])

    rows = asked("broken", broken, asks=1)
    [row] = [row for row in rows["answers"] if row["outcome"] == "abstained"]
    assert row["question_id"] == "question-0" and "too odd" in row["detail"] and row["retrieved"] is None
