"""Queries that studies make: of kept questions, of mixtures, and of passages, with a model and without."""

import json

import pytest

from ragassay.base import tables
from ragassay.queries.synthetic import WrittenQuery, passages_in_turn, taken_from, written
from ragassay.schemas.corpora import QUERIES, QUERY_LOG
from ragassay.schemas.scope_questions import QUESTIONS, SELECTED_QUESTIONS
from ragassay.text.sentences import sentences
from rows import row
from scripts.queries.collect_queries import collect_queries
from scripts.queries.collect_set_queries import collect_set_queries
from scripts.queries.mix_query_log import mix_query_log
from scripts.queries.take_synthetic_queries import take_synthetic_queries
from scripts.queries.write_synthetic_queries import write_synthetic_queries


def test_kept_questions_are_queries(tmp_path):
    status = ["kept", "disputed", "undecided", "kept"]
    rows = [
        row(SELECTED_QUESTIONS, question_id=f"q{at}", doc_id="d", slot=at, text="?", intended="in_scope", status=own)
        for at, own in enumerate(status)
    ]
    tables.write(SELECTED_QUESTIONS, tmp_path / "s.parquet", rows)
    collect_queries([tmp_path / "s.parquet"], tmp_path / "queries.parquet")
    found = tables.read(QUERIES, tmp_path / "queries.parquet").to_pylist()
    assert [row["query_id"] for row in found] == ["q0", "q3"]
    assert {(row["kind"], row["passage_id"]) for row in found} == {("in_scope", "d")}


def test_questions_of_every_kind_are_queries(tmp_path):
    kinds = ["in_scope", "out_of_scope", "unlabelled"]
    asked = [
        row(QUESTIONS, question_id=f"q{at}", doc_id="d", slot=at, intended=kind, text=f"Q{at}?")
        for at, kind in enumerate(kinds)
    ]
    tables.write(QUESTIONS, tmp_path / "questions.parquet", asked)
    collect_set_queries(tmp_path / "questions.parquet", tmp_path / "queries.parquet")
    rows = tables.read(QUERIES, tmp_path / "queries.parquet").to_pylist()
    assert [(one["query_id"], one["text"], one["kind"], one["passage_id"]) for one in rows] == [
        (f"q{at}", f"Q{at}?", kind, "d") for at, kind in enumerate(kinds)
    ]


def test_a_log_has_its_queries_on_its_days_and_drifts_on_the_day_that_is_named(files):
    settings = {"before": {"asked": 1}, "after": {"asked": 0.5, "other": 0.5}, "first_day": "2026-11-01", "days": 10}
    settings |= {"drift_day": 6, "queries": 203}
    paths = [files("asked"), files("other")]
    mix_query_log(paths, files("log"), **settings, seed=0)
    rows = tables.read(QUERY_LOG, files("log")).to_pylist()
    assert [one["entry"] for one in rows] == list(range(1, 204)) and rows == sorted(rows, key=lambda one: one["date"])
    days = {one["date"].date().isoformat() for one in rows}
    assert (min(days), max(days), len(days)) == ("2026-11-01", "2026-11-10", 10)
    assert all(one["drifted"] == (one["date"].day >= 6) for one in rows)
    assert {one["query_set"] for one in rows if not one["drifted"]} == {"asked"}
    share = [one["query_set"] for one in rows if one["drifted"]].count("other") / 102
    assert 0.35 < share < 0.65
    mix_query_log(paths, files("again"), **settings, seed=0)
    assert tables.read(QUERY_LOG, files("again")).to_pylist() == rows
    mix_query_log(paths, files("another"), **settings, seed=1)
    assert tables.read(QUERY_LOG, files("another")).to_pylist() != rows


def test_a_model_writes_queries_that_know_their_passage(files, tmp_path, reader, texts):
    settings = {"model": reader, "ledger": str(tmp_path / "ledger"), "sampling": {"temperature": 0.7}, "count": 4}
    prompt = "resources/prompts/write_synthetic_queries.yaml"
    paths = [files(name) for name in ("passages", "queries", "rejects", "calls")]
    settings |= {"examples": ["When was the fair?"], "most_rejected": 1}
    write_synthetic_queries(paths[0], prompt, *paths[1:], **settings)
    rows, rejects = tables.read(QUERIES, paths[1]).to_pylist(), tables.read(tables.REJECTS, paths[2]).to_pylist()
    assert len(rows) + len(rejects) == 4 and len(rows) >= 2
    for one in rows:
        assert one["passage_id"].partition("#")[0] in texts
        assert one["text"].endswith("?") and one["kind"] == "synthetic"
        assert one["answers"][0] in one["options"] and len(one["options"]) == 2
    assert {one["reason"] for one in rejects} <= {"repeated", "no_object", "no_options"}


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ("conclusion", ["The mayor opened the berth.", "Therefore the toll is 2 marks."]),
        (
            "question",
            [
                f"Is it true that the {text}?"
                for text in ("bridge in Port Alder has nine piers", "ferry Kittiwake was built in Brackwater in 2028")
            ],
        ),
    ],
)
def test_without_a_model_sentences_become_queries(files, texts, taken, expected):
    take_synthetic_queries(files("passages"), files("queries"), 2, taken)
    rows = tables.read(QUERIES, files("queries")).to_pylist()
    assert sorted(row["text"] for row in rows) == expected and all(row["passage_id"] for row in rows)
    assert taken_from(texts["bridge"], "sentence") in texts["bridge"] and taken_from("Too short.", taken) == ""


def test_every_sentence_becomes_a_query_once_though_passages_overlap(files, texts):
    take_synthetic_queries(files("passages"), files("queries"), 100, "sentences")
    rows = tables.read(QUERIES, files("queries")).to_pylist()
    long_enough = [line for text in texts.values() for line in sentences(text) if len(line.split()) >= 5]
    assert sorted(row["text"] for row in rows) == sorted(long_enough)
    take_synthetic_queries(files("passages"), files("queries"), 2, "sentences")
    assert {row["passage_id"][:6] for row in tables.read(QUERIES, files("queries")).to_pylist()} == {"ferry#", "bridge"}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"question": "Who built it?", "options": ["A man", "A hen"], "answer": "a hen"}, "A hen"),
        ({"question": "Who built it?", "options": ["A man", "A hen"], "answer": "B"}, "A hen"),
        ({"question": "Who built it?", "options": {"a": 1874, "b": 1875}, "answer": "a."}, "1874"),
        ({"question": "Who built it?", "options": ["A man", "A hen"], "answer": "A dog"}, "no_answer"),
        ({"question": "Who built it?", "options": ["A man", "a man"], "answer": "A man"}, "no_options"),
        ({"question": "Who built it?", "options": "A man or a hen", "answer": "A man"}, "no_options"),
        ({"question": "He built it.", "options": ["A man", "A hen"], "answer": "A hen"}, "no_question"),
        ({"question": None, "options": ["A man", "A hen"], "answer": "A hen"}, "no_question"),
        ({"question": "Who built it?", "answer": "A hen"}, "no_object"),
    ],
)
def test_a_query_is_a_question_with_its_answer_among_the_options(answer, expected):
    found = written(json.dumps(answer), "stop")
    assert (found.answer if isinstance(found, WrittenQuery) else found.reason) == expected


CASE = " ".join(["A man comes to the clinic."] * 20) + " Which drug helps"


@pytest.mark.parametrize(
    ("question", "examples", "is_kept"),
    [
        (f"{CASE}?", [], False),
        (f"{CASE}?", [f"{CASE} most? A: none"], True),
        (f"{CASE} him, and why?", [f"{CASE}?"], False),
        ("The drug that helps is", [], False),
        ("The drug that helps is", ["Which drug? A"], False),
        ("The drug that helps is", ["Which drug? A", "The nerve is: A"], True),
    ],
)
def test_what_is_written_is_as_long_as_the_examples_and_ends_as_they_do(question, examples, is_kept):
    answer = json.dumps({"question": question, "options": ["A man", "A hen"], "answer": "A hen"})
    result = written(answer, "stop", examples)
    assert isinstance(result, WrittenQuery) == is_kept
    assert is_kept or "expected a question of 3 to" in result.detail


PASSAGES = [{"passage_id": f"{name}#{number}", "document_id": name} for name in "ab" for number in (1, 2)]


def test_documents_take_turns():
    chosen = passages_in_turn(PASSAGES, 3)
    assert len({row["document_id"] for row in chosen[:2]}) == 2 and len({row["passage_id"] for row in chosen}) == 3
    assert passages_in_turn(PASSAGES[::-1], 3) == chosen and len(passages_in_turn(PASSAGES, 9)) == 4
