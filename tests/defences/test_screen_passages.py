"""Texts as they come in, before anybody has asked for them: what is held, and what people decide about it."""

import numpy as np
import pytest

from ragassay.base import tables
from ragassay.schemas.corpora import PASSAGES, QUERIES
from ragassay.schemas.documents import QUARANTINE
from ragassay.services.guard import Guard
from ragassay.services.screen import Screen
from ragassay.studies.poisoning.defences.defence import DefenceError
from rows import row
from scripts.defences.screen_passages import screen_passages
from study import MINILM

GUARD = "results/guards/mine/minilm/raguard.json"


@pytest.fixture
def run(place, scored, tmp_path):
    """passage -> its row of the table quarantine; the log asks for exactly what one text says."""
    tables.write(
        QUERIES, tmp_path / "queries.parquet", [row(QUERIES, query_id="q", text="Zyzzyva quuxes and wombats?")]
    )

    def run(queries=True, reviews="", snapshot=()):
        (tmp_path / "reviews.csv").write_text(reviews)
        scores = [scored / f"{name}.parquet" for name in ("clean", "poison")]
        inputs = ([scored / "passages.parquet", *snapshot], scored / "poisoned_passages.parquet", scores)
        more = ([tmp_path / "queries.parquet"] if queries else [], [tmp_path / "reviews.csv"] if reviews else [])
        settings = ("cosine", MINILM, MINILM, str(tmp_path / "embeddings"))
        screen_passages(place / GUARD, *inputs, *more, tmp_path / "quarantine.parquet", *settings)
        rows = tables.read(QUARANTINE, tmp_path / "quarantine.parquet").to_pylist()
        return {one["passage_id"]: one for one in rows}

    return run


def test_a_text_that_resembles_a_question_of_the_log_is_held_and_most_clean_ones_are_not(run, scored):
    rows = run()
    planted = rows["poison-1"]
    assert planted["held"] and "asked" in planted["reason"] and planted["query"] == "Zyzzyva quuxes and wombats?"
    assert planted["state"] == "quarantined" and planted["poisoned"] and planted["score"] > 1
    clean = [one for one in rows.values() if not one["poisoned"]]
    assert len(clean) == tables.read(PASSAGES, scored / "passages.parquet").num_rows
    assert 0 < np.mean([one["held"] for one in clean]) < 0.5
    for one in rows.values():
        reached = [score >= limit for score, limit in zip(one["criterion_scores"], one["thresholds"], strict=True)]
        assert one["held"] == any(reached) == bool(one["reason"])


def test_without_questions_scores_alone_count(run):
    rows = run(queries=False)
    assert {name for one in rows.values() for name in one["criteria"]} == {"pd_high", "pd_low", "pm"}
    assert all(one["query"] is None for one in rows.values())


def test_similarity_to_questions_is_fitted_on_the_vetted_copy_of_the_corpus(run, scored, tmp_path):
    """As low as possible where what resembles the questions most is not in it."""
    rows = run()
    near = {name: one["criterion_scores"][one["criteria"].index("asked")] for name, one in rows.items()}
    clean = tables.read(PASSAGES, scored / "passages.parquet").to_pylist()
    least = sorted(clean, key=lambda one: near[one["passage_id"]])[: len(clean) // 4 * 3]
    tables.write(PASSAGES, tmp_path / "vetted.parquet", sorted(least, key=lambda one: one["passage_id"]))
    vetted = run(snapshot=[tmp_path / "vetted.parquet"])
    limits = [own["p03"]["thresholds"][own["p03"]["criteria"].index("asked")] for own in (rows, vetted)]
    assert vetted.keys() == rows.keys() and limits[1] < limits[0]
    assert limits[1] <= max(near[one["passage_id"]] for one in least)


def test_trimming_lowers_the_threshold_of_similarity_to_questions(place, scored):
    guard = Guard.load(place / GUARD, scored / "scorer")
    clean = np.eye(3)[np.arange(30) % 3] * np.linspace(0.5, 1, 30)[:, None]
    usual = Screen(guard, np.eye(3), clean).limit
    guard.defence.settings |= {"trim": 0.2, "quantile": "lower"}
    at = int((1 - guard.defence.settings["alpha"]) * 0.8 * 29)
    trimmed = Screen(guard, np.eye(3), clean).limit
    assert trimmed == pytest.approx(np.linspace(0.5, 1, 30)[at]) and trimmed < usual


def test_people_release_what_is_held_and_refuse_what_is_not(run):
    rows = run(reviews="passage_id,decision,reviewer,note\npoison-1,release,Ada,fine\np03,refuse,Ada,\n")
    assert (rows["poison-1"]["state"], rows["poison-1"]["note"]) == ("released", "fine")
    assert (rows["p03"]["state"], rows["p03"]["reviewer"]) == ("refused", "Ada") and rows["poison-1"]["held"]
    with pytest.raises(DefenceError, match=r"reviews\.csv:2: found the decision 'keep', expected release or refuse"):
        run(reviews="passage_id,decision\np03,keep\n")
    with pytest.raises(DefenceError, match=r"reviews\.csv:1: found no column decision, expected passage_id"):
        run(reviews="passage_id\np03\n")


def test_what_cannot_screen_is_one_line(place, scored):
    guard = Guard.load(place / GUARD, scored / "scorer")
    clean = np.eye(3)[np.arange(30) % 3] * np.linspace(0.5, 1, 30)[:, None]
    with pytest.raises(DefenceError, match=r"raguard\.json: criterion asked: found 3 clean texts .* at least 10"):
        Screen(guard, np.eye(3), np.eye(3))
    with pytest.raises(DefenceError, match="found no vectors, which are compared with questions"):
        Screen(guard, np.eye(3), clean)(["A text."])
    with pytest.raises(DefenceError, match="criterion asked: found the same score 1 for all 30 clean texts"):
        Screen(guard, np.eye(3), np.eye(3)[np.arange(30) % 3])
    with pytest.raises(DefenceError, match="found vectors of 2 numbers for texts and of 3 for questions"):
        Screen(guard, np.eye(3), clean)(["A text."], [[0.1, 0.2]])
    with pytest.raises(DefenceError, match="found 2 texts and 1 vectors, expected one for each"):
        Screen(guard, np.eye(3), clean)(["A text.", "Another."], np.eye(3)[:1])
    with pytest.raises(DefenceError, match="found one text, expected a list of texts"):
        Screen(guard)("A text.")
    echo = Guard.load(place / GUARD.replace("raguard", "echo"), scored / "scorer")
    with pytest.raises(DefenceError, match="found a guard of kind echo, which needs a question, expected one that"):
        Screen(echo)
