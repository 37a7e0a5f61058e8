"""measure_answers: what a gate is worth in answers, from one small study set, and its way into the section."""

import json

import pytest

from described import shown
from ragassay.base import tables
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, QUERIES
from ragassay.schemas.relevance import DIRECT_ANSWERS, PASSAGE_ANSWERS
from ragassay.schemas.report import ANSWER_EXAMPLES, ANSWER_METRICS, METRICS
from rows import place, row, written
from scripts.relevance.measure_answers import measure_answers
from scripts.relevance.measure_relevance import measure_relevance

SHARED = ("passages", "held_out_documents", "queries", "neighbours")
ALPHAS = {"alphas": {"one": 0.1}}
OUTPUTS = ("answer_metrics", "answer_examples")


@pytest.fixture(scope="module")
def answers(study, files, tmp_path_factory):
    """The inputs: the responder is right where the corpus has the document, wrong where not, and declines by itself."""
    folder = tmp_path_factory.mktemp("answers")
    known = tables.read(HELD_OUT_DOCUMENTS, files["held_out_documents"][0]).to_pylist()
    out = {one["document_id"] for one in known if one["held_out"]}
    queries = tables.read(QUERIES, place(study, QUERIES, query_set="natural")).to_pylist()
    for one in queries:
        one["answers"] = ["this"]
    changed = written(folder, QUERIES, queries, query_set="natural")
    shown = []
    for corpus in ("small", "small.held_out"):
        keys = {"responder": "m", "corpus": corpus, "retriever": "dense", "query_set": "natural"}
        lacking = out if corpus == "small.held_out" else set()
        rows = []
        for query in queries:
            outcome = "wrong" if query["passage_id"].removesuffix("#0") in lacking else "right"
            answer = {"query_id": query["query_id"], "text": "This.", "passages": [query["passage_id"]]}
            rows.append(row(PASSAGE_ANSWERS, outcome=outcome, **answer))
        shown.append(written(folder, PASSAGE_ANSWERS, rows, **keys))
    rows = [row(DIRECT_ANSWERS, query_id=one["query_id"], outcome="declined", text="?") for one in queries]
    direct = written(folder, DIRECT_ANSWERS, rows, responder="m", query_set="natural")
    paths = [str(changed) if path.endswith("natural.parquet") else path for path in files["queries"]]
    own = {name: files[name] for name in SHARED} | {"queries": paths}
    return own | {"passage_answers": shown, "direct_answers": [direct]}


@pytest.fixture(scope="module")
def measured(answers, entry, options, tmp_path_factory):
    """The files that the stage writes."""
    folder = tmp_path_factory.mktemp("measured")
    outputs = {name: folder / f"{name}.parquet" for name in OUTPUTS}
    settings = {"sets": {"one": entry}, "options": options | {"retrievers": ["dense"]}, "responders": ["m"]} | ALPHAS
    measure_answers(**answers, **outputs, **settings, resamples=20, seed=0)
    return outputs


@pytest.fixture(scope="module")
def gate(measured):
    """(statistic, strategy, tag, metric) -> value."""
    rows = tables.read(ANSWER_METRICS, measured["answer_metrics"]).to_pylist()
    found = {}
    for one in rows:
        keys = json.loads(one["keys"])
        if one["table"] == "gate":
            found[keys["statistic"], keys["strategy"], keys["tag"], one["metric"]] = one["value"]
    return found


def test_without_a_gate_every_held_out_query_is_answered_wrong(gate):
    assert gate["no gate", "no gate", "out-of-knowledge", "wrong"] == 1
    assert gate["no gate", "no gate", "in-knowledge", "right"] == 1


def test_a_gate_turns_wrong_answers_into_what_its_strategy_gives(gate):
    avoided = gate["MSS", "reject", "out-of-knowledge", "wrong_avoided"]
    assert 0.1 < avoided < 1
    outcomes = {"reject": "declined", "answer directly": "declined", "search wider": "right", "ask person": "person"}
    for strategy, outcome in outcomes.items():
        assert gate["MSS", strategy, "out-of-knowledge", outcome] == pytest.approx(avoided)
        assert gate["MSS", strategy, "out-of-knowledge", "wrong"] == pytest.approx(1 - avoided)
    assert gate["MSS", "search wider", "in-knowledge", "right_lost"] == 0
    assert 0 <= gate["MSS", "reject", "in-knowledge", "right_lost"] < 0.25  # alpha is 0.1


def test_a_better_statistic_avoids_more(gate):
    name = ("reject", "out-of-knowledge", "wrong_avoided")
    assert gate["Fused MSS", *name] > gate["Energy", *name]


def test_examples_show_what_was_decided(measured):
    rows = tables.read(ANSWER_EXAMPLES, measured["answer_examples"]).to_pylist()
    titles = {one["title"] for one in rows}
    assert {"in-knowledge and let pass (one)", "out-of-knowledge and rejected (one)"} <= titles
    [rejected] = [one for one in rows if one["part"] == "Gate" and one["title"].startswith("out-of-knowledge and rej")]
    assert "alpha = 0.1: out of knowledge" in rejected["text"]
    p = float(rejected["text"].split("p = ")[1].split(" ")[0])
    assert p <= 0.1
    parts = {"Query", "Right answers", "Passages found by dense in small.held_out", "Gate"}
    parts |= {"m with these passages (right)", "m with these passages (wrong)", "m without passages (declined)"}
    assert {row["part"] for row in rows} == parts


def test_the_section_takes_the_numbers_in_and_puts_accuracy_beside_auroc(files, measured, entry, options, tmp_path):
    settings = {"sets": {"one": entry}, "options": options, "resamples": 20, "flips": 9, "seed": 0}
    own = {**files, "answer_metrics": [measured["answer_metrics"]], "metrics": tmp_path / "metrics.parquet"}
    measure_relevance(**own, **settings)
    for name in ("relevance", "relevance_answers", "relevance_figures", "relevance_tables"):
        assert shown(name, tmp_path / "metrics.parquet")[1] == []
    rows = tables.read(METRICS, tmp_path / "metrics.parquet").to_pylist()
    found = {one["table"] for one in rows}
    assert {"equation_1", "gate", "gate_chart", "figure_3_answers"} <= found and "accuracy" not in found
    points = {}
    for one in rows:
        if one["table"] == "figure_3_answers":
            keys = json.loads(one["keys"])
            assert (keys["responder"], keys["retriever"]) == ("m", "dense")
            points.setdefault(keys["set"], {})[one["metric"]] = one["value"]
    assert set(points) == {"held out", "near", "far"}
    assert all(point["accuracy"] == 1 and set(point) == {"accuracy", "auroc", "recall"} for point in points.values())


def test_a_corpus_that_nobody_was_asked_about_adds_no_number(answers, entry, options, tmp_path):
    outputs = {name: tmp_path / f"{name}.parquet" for name in OUTPUTS}
    settings = {"sets": {"one": entry}, "options": options, "responders": ["other"], "resamples": 0, "seed": 0} | ALPHAS
    measure_answers(**answers, **outputs, **settings)
    assert not len(tables.read(ANSWER_METRICS, outputs["answer_metrics"]))
    assert not len(tables.read(ANSWER_EXAMPLES, outputs["answer_examples"]))
