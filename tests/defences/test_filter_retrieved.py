"""The first passages of each question, with what a defence removes."""

import pytest

from guarded import write_guard
from passages import write_passages
from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES, RETRIEVED
from ragassay.schemas.defences import FEWER_PLANTED, FILTERED
from ragassay.studies.poisoning.attacks.attack import AttackError
from ragassay.studies.poisoning.defences.defence import DefenceError, kind_of


@pytest.fixture
def run(files, run_filter):
    def run(kind="oracle", **more):
        run_filter(kind, **more)
        return tables.read(FILTERED, files("filtered")).to_pylist()

    return run


def test_passages_below_the_depth_are_not_looked_at_and_the_first_left_are_shown(run):
    rows = run()
    assert [row["rank"] for row in rows] == [1, 2, 3] * 2
    assert [row["passage_id"] for row in rows if row["removed"]] == ["poison-0", "poison-1"]
    assert [row["passage_id"] for row in rows if row["shown"] == 1] == ["p2", "p1"]


def test_a_passage_that_is_in_no_table_is_told(files, run):
    write_passages(files("passages"), {"p1": "A text."})
    with pytest.raises(AttackError, match=r"passages\.parquet, .*found no passage 'p2', which a search found"):
        run()


def test_where_nothing_is_left_twice_as_many_are_looked_at_and_then_no_more(run):
    rows = run("closed_book", depth=1, settings={"doublings": 1})
    assert [(row["target_id"], row["rank"]) for row in rows] == [
        (name, rank) for name in ("bridge", "ferry") for rank in (1, 2)
    ]
    assert all(row["removed"] and row["shown"] is None for row in rows)
    rows = run("oracle", depth=1, settings={"doublings": 2})
    assert [(row["target_id"], row["rank"]) for row in rows] == [("bridge", 1), ("bridge", 2), ("ferry", 1)]


def test_fewer_texts_make_room_for_the_passages_behind_them(files, run):
    """Two texts for each target: of one text alone the second is missing, and of the ferry what was found behind it."""
    planted = tables.read(POISONED_PASSAGES, files("poisoned_passages")).to_pylist()
    second = [row | {"number": 2, "passage_id": f"second-{row['target_id']}"} for row in planted]
    tables.write(POISONED_PASSAGES, files("poisoned_passages"), [*planted, *second])
    found = [{**row, "rank": row["rank"] + 1} for row in tables.read(RETRIEVED, files("retrieved")).to_pylist()]
    found += [
        {**row, "rank": 1, "passage_id": f"second-{row['target_id']}", "poisoned": True, "aimed_at": row["target_id"]}
        for row in found
        if row["rank"] == 2
    ]
    alone = run(depth=3, k=2)
    tables.write(RETRIEVED, files("retrieved"), found)
    run(depth=3, k=2)
    rows = tables.read(FEWER_PLANTED, files("fewer_planted")).to_pylist()
    kept = ("target_id", "rank", "passage_id", "removed", "shown")
    assert [[row[name] for name in kept] for row in rows] == [[row[name] for name in kept] for row in alone]
    assert {row["planted"] for row in rows} == {1} and [row["poisoned"] for row in rows].count(True) == 2


def test_what_the_first_judgement_imports_is_not_timed(run, monkeypatch):
    kind, events = kind_of("oracle"), []
    judge = kind.judge
    monkeypatch.setattr(kind, "judge", lambda self, rows: events.append("judged") or judge(self, rows))
    monkeypatch.setattr("scripts.defences.filter_retrieved.clock", lambda: events.append("clock") or 0.0)
    run()
    assert events == ["judged", *["clock", "judged", "clock"] * 2]


def test_each_defence_judges_as_it_does_alone(run):
    alone = {
        name: run(name, settings=settings)
        for name, settings in (("closed_book", {"doublings": 1}), ("none", {}), ("oracle", {}))
    }
    together = run("closed_book", settings={"doublings": 1}, beside=["none", "oracle"])
    assert together == [row for rows in alone.values() for row in rows] and len(together) == 8 + 6 + 6


def test_a_guard_that_was_fitted_otherwise_is_refused(run, tmp_path):
    guard = write_guard(tmp_path / "mine/minilm/oracle.json", "oracle", {}, retriever="bm25")
    with pytest.raises(
        DefenceError, match=r"oracle\.json: found the retriever 'minilm', but it was fitted with 'bm25'"
    ):
        run(guard=[guard])
    guard.write_text(guard.read_text().replace('"format": 3', '"format": 9'))
    with pytest.raises(DefenceError, match=r"found a guard of format 9, expected 3, as this version"):
        run(guard=[guard])
