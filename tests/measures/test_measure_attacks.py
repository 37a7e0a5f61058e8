"""Retrieval of what is planted and how loud it is, by hand."""

import json

import pandas as pd
import pytest

from passages import TEXTS, write_passages
from ragassay.base import tables
from ragassay.schemas.attacks import ANSWERS, POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.report import METRICS
from ragassay.studies.poisoning.attacks.attack import tried
from ragassay.studies.poisoning.measures.success import competition
from rows import place, row, written
from scripts.measures.measure_attacks import measure_attacks
from targets import targets as targets_of_two
from targets import write_poison, write_targets

BRIDGE = ["What fell in the storm. Lighthouse.", "What fell in the storm. The lighthouse of the harbour fell."]
POISON = [("bridge", text) for text in BRIDGE] + [("ferry", "At seven.")]
FOUND = {"bridge": ["poison-0", "p2", "poison-2", "poison-1"], "ferry": ["p1", "p3", "p4", "p2"]}


@pytest.fixture
def metrics(tmp_path):
    return measured(tmp_path)


def measured(tmp_path, poison=POISON, made_by=(), **tried):
    places = [place(tmp_path, table, dataset="mine", attack="planted", retriever="bm25", corpus="mine")
              for table in (TARGETS, POISONED_PASSAGES, RETRIEVED)]  # fmt: skip
    targets, planted, retrieved = places
    write_targets(targets)
    write_poison(planted, poison)
    if made_by:
        rows = tables.read(POISONED_PASSAGES, planted).to_pylist()
        made_by = {name: dict(zip(("method", "wants"), pair, strict=True)) for name, pair in made_by.items()}
        tables.write(POISONED_PASSAGES, planted, [one | made_by.get(one["passage_id"], {}) for one in rows])
    aimed = {f"poison-{at}": name for at, (name, _) in enumerate(poison)}
    rows = [
        row(RETRIEVED, target_id=name, rank=rank, passage_id=one, poisoned=one in aimed, aimed_at=aimed.get(one))
        for name, found in FOUND.items()
        for rank, one in enumerate(found, 1)
    ]
    tables.write(RETRIEVED, retrieved, rows)
    passages = write_passages(tmp_path / "passages.parquet", TEXTS)
    own = (2, [1, 4], [1, 2, 13], {"planted": "answer"}, 50, 0, tried)
    said = {"bridge": "target", "ferry": "correct"}
    said = [row(ANSWERS, target_id=name, outcome=outcome) for name, outcome in said.items()]
    answers = written(tmp_path, ANSWERS, said, dataset="mine", attack="planted")
    measure_attacks([targets], [planted], [passages], [retrieved], [answers], tmp_path / "metrics.parquet", *own)
    found = tables.read(METRICS, tmp_path / "metrics.parquet").to_pylist()
    return {(row["table"], _at(json.loads(row["keys"])), row["metric"]): row for row in found}


def _at(keys):
    return keys.get("k", keys.get("texts"))


def test_what_is_found_of_what_is_planted_for_each_question(metrics):
    def value(k, name):
        return metrics["retrieval", k, name]["value"]

    assert value("1", "precision") == 0.5 and value("1", "reached") == 0.5
    assert value("1", "recall") == pytest.approx((1 / 2 + 0) / 2)
    assert value("4", "precision") == pytest.approx((2 / 4 + 0) / 2)
    assert value("4", "recall") == pytest.approx((2 / 2 + 0 / 1) / 2)
    assert value("4", "f1") == pytest.approx((2 * 2 / (4 + 2) + 0) / 2)
    assert value("4", "poisoned") == pytest.approx((3 / 4 + 0) / 2), "the text for the other question competes, too"
    assert metrics["retrieval", "4", "recall"]["n"] == 2


def test_fewer_texts_are_measured_without_another_search_and_more_than_there_are_are_not(metrics):
    assert {at for table, at, _ in metrics if table == "texts"} == {"1", "2"}
    assert metrics["texts", "1", "precision"]["value"] == pytest.approx((1 / 2 + 0) / 2)
    assert metrics["texts", "1", "recall"]["value"] == pytest.approx((1 / 1 + 0) / 2)
    assert metrics["texts", "2", "recall"]["value"] == pytest.approx((1 / 2 + 0) / 2)
    assert metrics["texts", "1", "poisoned"]["value"] == pytest.approx((1 / 2 + 0) / 2)


def test_a_ruler_tells_texts_that_are_shorter_or_repeat_the_question(metrics):
    assert metrics["loudness", None, "shorter"]["value"] < 1
    clean = [("bridge", "p2"), *(("ferry", name) for name in FOUND["ferry"])]
    lengths = [len(TEXTS[name].split()) for _, name in clean]
    poison = [len(text.split()) for _, text in POISON]
    wins = sum((short < long) + (short == long) / 2 for short in poison for long in lengths)
    assert metrics["loudness", None, "shorter"]["value"] == pytest.approx(wins / len(poison) / len(lengths))
    assert metrics["loudness", None, "question_words"]["n"] == len(clean) + len(POISON)
    assert metrics["loudness", None, "content_words"]["n"] == len(clean) + len(POISON)
    assert metrics["loudness", None, "unusual_pairs"]["n"] == len(clean) + len(POISON)


def test_what_was_planted_is_counted(metrics):
    assert [metrics["planted", None, name]["value"] for name in ("targets", "passages", "calls")] == [2, 3, 0]
    assert (metrics["success", None, "success"]["value"], metrics["success", None, "success"]["n"]) == (0.5, 2)


def test_an_attack_on_few_targets_is_measured_on_these(tmp_path):
    found = measured(tmp_path, planted={"targets": 1})
    [name] = tried(FOUND, 1)
    first = {"bridge": 1 / 1, "ferry": 0}[name]
    assert found["planted", None, "targets"]["value"] == found["retrieval", "1", "precision"]["n"] == 1
    assert found["retrieval", "1", "precision"]["value"] == first
    assert found["success", None, "success"]["n"] == found["outcomes", None, "correct"]["n"] == 1


def test_what_is_aimed_at_no_target_counts_for_all(tmp_path):
    found = measured(tmp_path, [(None, text) for _, text in POISON])
    assert found["retrieval", "4", "reached"]["value"] == 0.5 and found["retrieval", "4", "recall"]["value"] == 0.5
    assert found["loudness", None, "shorter"]["n"] == 5 + 3  # three are found by the one question


def test_of_attackers_who_compete_the_one_wins_whose_answer_alone_is_given():
    """By hand: nobody wins where two answers are given, or the right one, too; declined parts count for nothing."""
    targets = pd.DataFrame(targets_of_two()).set_index("target_id")
    owners = [("ferry", "a", None), ("ferry", "b", "at ten"), ("bridge", "a", "the mill"), ("bridge", "b", None)]
    rows = [
        {"passage_id": f"p{at}", "target_id": name, "method": method, "wants": wants}
        for at, (name, method, wants) in enumerate(owners)
    ]

    def won(**texts):
        answers = pd.DataFrame(
            {"text": texts, "passages": {name: ["p0", "p3", "p2", "clean"] for name in texts}}
        ).rename_axis("target_id")
        results = competition(answers, targets, pd.DataFrame(rows), 4)
        return {(who, name): tuple(row) for who, of in results.items() for name, row in of.iterrows()}

    assert won(ferry="It sails at ten.", bridge="The lighthouse and the mill fell.") == {
        ("a", "ferry"): (0, 0, 0.25), ("b", "ferry"): (1, 1, 0),
        ("a", "bridge"): (0, 1, 0.25), ("b", "bridge"): (0, 1, 0.25),
    }  # fmt: skip
    assert won(ferry="It sails at seven, not at nine.") == {("a", "ferry"): (0, 1, 0.25), ("b", "ferry"): (0, 0, 0)}
    assert won(ferry="7") == {("a", "ferry"): (1, 1, 0.25), ("b", "ferry"): (0, 0, 0)}


def test_who_wins_is_a_table_only_where_attackers_want_different_answers(tmp_path):
    assert not {table for table, *_ in measured(tmp_path / "one")} & {"competition", "methods"}
    rows = measured(tmp_path / "two", made_by={"poison-0": ("black", None), "poison-2": ("white", "at eight")})
    assert {name for table, _, name in rows if table == "competition"} == {"wins", "said", "shown"}
    assert [row["value"] for (table, *_), row in rows.items() if table == "methods"] == [0.5]
