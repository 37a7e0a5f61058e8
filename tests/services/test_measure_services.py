"""ask_service and measure_services on services whose cards are known: one is right by construction, one always answers,
one always refuses, and one believes what was planted.
"""

import json
import re

import pytest
from scipy.stats import binomtest

from ragassay.base import tables
from ragassay.schemas.report import METRICS
from ragassay.schemas.services import SERVICE_ANSWERS
from scripts.services.measure_services import measure_services
from services import always_answers, always_refuses, asker, echoes_poison, measured, of_question, path, right

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


@pytest.fixture
def asked(tmp_path):
    return asker(tmp_path)


@pytest.fixture
def card(tmp_path):
    """The metrics of these services, by table."""

    def of(services):
        rows = tables.read(METRICS, measured(tmp_path, services)["metrics"]).to_pylist()
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


def test_what_is_answered_out_of_scope_is_counted_by_the_type_of_question(card):
    rows = [row for row in card({"answers": always_answers, "right": right}) if row["table"] == "types"]
    values = {(row["keys"]["service"], row["keys"]["type"]): (row["value"], row["n"]) for row in rows}
    assert values == {
        (f"service:{name}", kind): (share, count)
        for name, share in (("answers", 1), ("right", 0))
        for kind, count in (("near_miss", 3), ("far_away", 1))
    }


def test_two_services_differ_where_their_cards_do(card):
    rows = card({"answers": always_answers, "right": right})
    values = {row["metric"]: row["value"] for row in rows if row["table"] == "differences"}
    assert values["answered_out_of_scope"] == 1 and values["supported"] == -1 and values["document_retrieved"] == 0
    # Each document has one question of a kind, so that flipping documents is McNemar's exact test.
    assert values["answered_out_of_scope_p"] == pytest.approx(binomtest(4, 4).pvalue, abs=0.02)
    assert values["document_retrieved_p"] == 1


def test_what_steers_or_hides_in_a_reply_is_in_no_table(asked):
    dirty = {"text": "The har\u200bbour.\x1b[2J", "id": "h\u202e1", "source": "a\0b"}
    rows = asked("dirty", lambda body: {"answer": "Pe\x1bll\u2066.\u2028Yes\U000e0041.", "passages": [dirty]})
    assert {row["text"] for name in ("responses", "answers") for row in rows[name]} == {"Pell.\nYes."}
    passages = {(row["text"], row["passage_id"], row["source"]) for row in rows["passages"]}
    assert passages == {("The harbour.[2J", "h1", "ab")}


def test_what_hides_in_words_changes_no_measure(asked):
    def rows_of(name, sign):
        def answer(question):
            reply = right(question)
            texts = [reply["answer"], reply["passages"][0]["text"]]
            given, text = [re.sub(r"(?<=[a-z])(?=[a-z])", sign, text) for text in texts]
            return {"answer": given, "passages": [{"text": text, "id": "7"}]}

        rows = asked(name, of_question(answer))
        return [row | {"responder": ""} for table in rows.values() for row in table]

    hidden = rows_of("hidden", "\u00ad\u200b")
    assert hidden == rows_of("plain", "")
    assert all(row["of_document"] for row in hidden if "of_document" in row)
    assert {row["support"] for row in hidden if row.get("outcome") == "answered"} == {1}


def test_one_that_answers_now_and_then_is_unstable(asked, tmp_path):
    turns = {}

    def moody(body):
        question = json.loads(body)["question"]
        turns[question] = turns.get(question, 0) + 1
        return right(question) if turns[question] > 1 else {"answer": "I am not sure.", "passages": []}

    asked("moody", moody)
    answers, files = [path(tmp_path, SERVICE_ANSWERS, "moody")], (tmp_path / "m.parquet", tmp_path / "o.parquet")
    measure_services(answers, [], *files, resamples=50, seed=1, flips=99)
    rows = {row["metric"]: row for row in tables.read(METRICS, tmp_path / "m.parquet").to_pylist()}
    assert (rows["unstable"]["value"], rows["unstable"]["n"]) == (0.5, 8)  # in-scope questions
