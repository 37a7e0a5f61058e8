"""Logs of queries, from tables and from spans."""

import datetime
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from otlp import line_of, message, span
from ragassay.base import tables
from ragassay.base.chance import content_id
from ragassay.base.errors import AssayError, Unusable
from ragassay.queries import query_log
from ragassay.queries.query_log import questions
from ragassay.schemas.corpora import QUERY_LOG
from scripts.queries.read_query_log import read_query_log

NAMES = {"date": "Asked at", "text": "text", "session": "User"}


def read(folder, *lines, names=NAMES, file="log.csv", date_format=None, most_rejected=0.5):
    path = folder / file
    path.write_text("\n".join(lines) + "\n")
    outputs = folder / "log.parquet", folder / "rejects.parquet"
    read_query_log([str(path)], *outputs, "support", names, date_format, most_rejected)
    return tables.read(QUERY_LOG, outputs[0]).to_pylist()


def rejects(folder):
    return tables.read(tables.REJECTS, folder / "rejects.parquet").to_pylist()


def test_queries_come_in_the_order_of_time_and_the_same_text_has_one_id(tmp_path):
    rows = read(
        tmp_path, "text,asked at", "Who?,2026-11-02T08:00:00+01:00", "Where?,2026-11-02", "Who?,2026-11-01T23:30:00Z"
    )
    assert [(one["entry"], one["text"]) for one in rows] == [(1, "Who?"), (2, "Where?"), (3, "Who?")]
    assert rows[2]["date"] == datetime.datetime(2026, 11, 2, 7, tzinfo=datetime.UTC)
    assert rows[0]["query_id"] == rows[2]["query_id"] != rows[1]["query_id"]
    assert {one["drifted"] for one in rows} == {None}


def test_texts_that_differ_in_case_and_punctuation_are_the_same_query(tmp_path):
    asked = ["Who?", " who ", "WHO!", "Who is?", "?!", "!"]
    rows = read(tmp_path, "text,asked at", *(f"{text},2026-11-0{at}" for at, text in enumerate(asked, 1)))
    ids = [one["query_id"] for one in rows]
    assert len(set(ids[:3])) == 1 and len(set(ids)) == 4 and rows[2]["text"] == "WHO!"


@pytest.mark.parametrize(
    ("times", "warned"),
    [
        (["2026-11-01T08:00", "2026-11-02T08:00:00+02:00", "2026-11-03T08:00:00Z"], True),
        (["2026-11-01T08:00+02:00", "2026-11-02T08:00:00+01:00", "2026-11-03T08:00:00Z"], False),
        (["2026-11-01T08:00", "2026-11-02", "2026-11-03 08:00:00"], False),
    ],
)
def test_a_log_in_which_some_times_say_no_zone_is_named_in_one_line(tmp_path, caplog, times, warned):
    rows = read(tmp_path, "text,asked at", *(f"Who?,{time}" for time in times))
    assert len(rows) == 3
    line = "query log support: 1 of 3 times say no time zone and count as UTC; write one with each, or with none"
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == [line] * warned


def test_a_log_of_which_nothing_is_left_is_no_log(tmp_path):
    with pytest.raises(AssayError, match="found no row"):
        read(tmp_path, "text,asked at", "Who?,yesterday", most_rejected=1.0)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["text", "Who?"], "log.csv: .*asked at"),
        (
            ["text,asked at", "Where?,"],
            "1 of 1 rows rejected.*log.csv row 1: found nothing in 'asked at', expected a val",
        ),
        (["text,asked at", ",2026-11-01"], "1 as empty_text, such as .*log.csv row 1: found nothing in 'text'"),
        (["text,asked at", "Who?,yesterday"], "log.csv row 1: found 'yesterday' in 'date', expected ISO 8601"),
        (["text,asked at", "Who?,2026-11-01,more"], "log.csv row 1: found 3 cells, expected 2"),
        (["text,asked at", *["Who?,2026-11-01"] * 9, *["Who?,"] * 11], "11 of 20 rows rejected, expected at most 50%"),
        (["text,asked at"], "log.csv: found no row, expected at least one query with its date"),
    ],
)
def test_what_cannot_be_used_is_named_in_one_line(tmp_path, lines, problem):
    with pytest.raises(AssayError, match=problem) as error:
        read(tmp_path, *lines)
    assert "\n" not in str(error.value)


def test_rows_that_cannot_be_used_are_rejected_with_their_reason_and_the_others_stay(tmp_path):
    rows = read(tmp_path, "text,asked at", "Who?,2026-11-01", " ,", "Where?,2026-11-02", "When?,soon", "Why?,", "a,b,c")
    assert [row["text"] for row in rows] == ["Who?", "Where?"]
    reasons = {row["item"].rpartition("/")[2]: row["reason"] for row in rejects(tmp_path)}
    places = [f"log.csv row {number}" for number in (2, 4, 5, 6)]
    assert reasons == dict(zip(places, ["empty_text", "bad_date", "no_date", "bad_row"], strict=True))


def test_dates_are_read_in_the_form_that_the_configuration_names(tmp_path):
    lines = ("text,asked at", "Who?,02.11.2026 08:15", "Where?,2026-11-02")
    rows = read(tmp_path, *lines, date_format="%d.%m.%Y %H:%M")
    assert [(row["text"], row["date"]) for row in rows] == [
        ("Who?", datetime.datetime(2026, 11, 2, 8, 15, tzinfo=datetime.UTC))
    ]
    assert [row["detail"] for row in rejects(tmp_path)] == [
        "found '2026-11-02' in 'date', expected the format %d.%m.%Y %H:%M"
    ]


def test_logs_are_read_from_json_lines_and_parquet(tmp_path):
    lines = ['{"Asked at": "2026-11-02", "text": "Who?"}', "no JSON"]
    assert [row["text"] for row in read(tmp_path, *lines, file="log.jsonl")] == ["Who?"]
    assert [row["reason"] for row in rejects(tmp_path)] == ["bad_row"]
    times = pa.array([datetime.datetime(2026, 11, 2, 8)], pa.timestamp("ns"))
    pq.write_table(pa.table({"asked at": times, "text": ["Who?"]}), tmp_path / "log.parquet")
    outputs = tmp_path / "read.parquet", tmp_path / "rejects.parquet"
    read_query_log([str(tmp_path / "log.parquet")], *outputs, "support", NAMES, None, 0.5)
    [row] = tables.read(QUERY_LOG, outputs[0]).to_pylist()
    assert row["date"] == datetime.datetime(2026, 11, 2, 8, tzinfo=datetime.UTC)


def test_a_log_may_name_the_session_of_each_query(tmp_path):
    rows = read(tmp_path, "text,asked at,user", "Who?,2026-11-01,ada", "Where?,2026-11-02,", "When?,2026-11-03,ada")
    first, second, third = (row["session"] for row in rows)
    assert first == third != second is None and "ada" not in first


def test_logs_are_read_from_spans(tmp_path):
    conversation = {"session.id": "visit", "gen_ai.conversation.id": "c-1"}
    line = json.dumps(
        line_of(span("Who?", seconds=1_793_000_000, **conversation), span(None), span("When?", seconds="soon"))
    )
    rows = read(tmp_path, line, file="log.jsonl")
    assert [(row["text"], row["date"].timestamp()) for row in rows] == [("Who?", 1_793_000_000)]
    assert rows[0]["session"] == content_id("session", "c-1")
    reasons = {row["item"].rpartition("row ")[2]: row["reason"] for row in rejects(tmp_path)}
    assert reasons == {"1 span 2": "no_message", "1 span 3": "bad_date"}


def costs_itself(folder, damaged):
    """The reason why one of three spans is rejected."""
    rows = read(folder, json.dumps(line_of(span("Who?"), damaged, span("Why?"))), file="log.jsonl")
    assert sorted(row["text"] for row in rows) == ["Who?", "Why?"]
    [reject] = rejects(folder)
    return reject["reason"]


STRANGE = [{"arrayValue": [1]}, {"kvlistValue": "s"}, {"arrayValue": None}, {"arrayValue": {"values": 1}}, {}, 7]


@pytest.mark.parametrize("strange", STRANGE, ids=str)
def test_a_span_that_lost_its_form_costs_itself(tmp_path, strange):
    damaged = span("Where?") | {"attributes": [{"key": "gen_ai.input.messages", "value": strange}]}
    assert costs_itself(tmp_path, damaged) == "no_message"


def test_a_span_whose_attributes_cannot_be_read_costs_itself(tmp_path, monkeypatch):
    whole = query_log._mapping
    monkeypatch.setattr(query_log, "_mapping", lambda pairs: {}[0] if "Where?" in str(pairs) else whole(pairs))
    assert costs_itself(tmp_path, span("Where?")) == "crash"


PARTS = [message("Who?"), message("Ada.", "assistant")]
PLAIN = json.dumps([{"role": "user", "content": "Who?"}])


def asked(*spans):
    """The texts, and the reasons of what is wrong."""
    results = questions(line_of(*spans)["resourceSpans"], set())
    return [item.reason if isinstance(item, Unusable) else item[1] for item in results]


@pytest.mark.parametrize(
    "call",
    [
        span("Who?"),
        span(None, **{"gen_ai.input.messages": PARTS}),  # structured, not JSON
        span(None, **{"gen_ai.input.messages": PLAIN}),
        span(None, events=[("gen_ai.client.inference.operation.details", {"gen_ai.input.messages": PARTS})]),
        span(None, events=[("gen_ai.user.message", {"content": "Who?"})]),
        span(None, events=[("gen_ai.content.prompt", {"gen_ai.prompt": PLAIN})]),
        span(None, **{"gen_ai.prompt": "Who?"}),
        span(None, **{
            "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.",
            "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "Who?",
        }),
    ],
)  # fmt: skip
def test_the_last_message_of_the_user_is_what_was_asked(call):
    assert asked(call) == ["Who?"]


def test_a_trace_asks_the_same_once_and_other_traces_again():
    pairs = [("Who?", "a"), ("Who?", "a"), ("When?", "a"), ("Who?", "b")]
    assert asked(*(span(text, trace=trace) for text, trace in pairs)) == ["Who?", "When?", "Who?"]


def test_other_spans_are_no_queries():
    other = {"traceId": "c", "name": "GET /", "attributes": [{"key": "http.method", "value": {"stringValue": "GET"}}]}
    assert asked(other, span("Who?", operation="embeddings"), span("Who?", operation="execute_tool")) == []


@pytest.mark.parametrize("messages", ["[]", "[1]", json.dumps([message("Yes?", "assistant")]), [], [message(" ")]])
def test_a_call_without_a_message_of_the_user_says_how_to_record_some(messages):
    [error] = questions(line_of(span(None, **{"gen_ai.input.messages": messages}))["resourceSpans"], set())
    assert error.reason == "no_message" and "CAPTURE_MESSAGE_CONTENT" in str(error)


@pytest.mark.parametrize("damaged", [None, 1, "x", [1], [{"scopeSpans": [{"spans": [{"attributes": [{"key": 1}]}]}]}]])
def test_damaged_spans_are_none(damaged):
    assert list(questions(damaged, set())) == []
