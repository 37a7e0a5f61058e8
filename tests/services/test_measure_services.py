"""ask_service and measure_services on services whose cards are known: one is right by construction, one always answers,
one always refuses, and one believes what was planted.
"""

import json

import pytest

from ragassay.base import tables
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import DEFUSION_LABELS
from ragassay.schemas.services import SERVICE_ANSWERS
from ragassay.studies.scope.votes import DEFUSED, NOT_DEFUSED
from scripts.services.measure_services import measure_services
from services import always_answers, always_refuses, asker, echoes_poison, of_question, path, right

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
def asked(tmp_path):
    return asker(tmp_path)


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
