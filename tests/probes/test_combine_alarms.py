"""Probes beside a defence on the same prompts: who is compared, and which passages a prompt's suspicion comes from."""

from collections import Counter

from ragassay.base import tables
from ragassay.schemas.defences import FILTERED
from ragassay.schemas.probes import ALARMS, PROBE_SCORES


def alarms(path):
    return tables.read(ALARMS, path).to_pylist()


def test_every_scored_prompt_stands_in_all_four_ways_beside_each_probe_and_the_control(study):
    rows = alarms(study.place("alarms"))
    scored = [
        (row["probe"], row["target_id"], row["side"])
        for row in study.rows(PROBE_SCORES)
        if (row["condition"], row["trained_on"], row["facts"]) == ("retrieved", "retrieved", "all")
        and row["probe"] not in ("log_probabilities", "answer_text", "first_words", "shuffled")
    ]
    counts = Counter((row["probe"], row["target_id"], row["side"]) for row in rows)
    assert counts == dict.fromkeys(scored, 4) and {"logistic", "control", "masking"} <= {name for name, *_ in scored}
    assert {row["defence"] for row in rows} == {"guard"}


def test_a_prompt_is_as_suspicious_as_its_worst_passage_that_is_shown(study, tmp_path):
    rows = alarms(study.place("alarms"))
    sure = {
        row["target_id"]
        for row in rows
        if row["way"] == "defence" and row["side"] == "attacked" and row["score"] > 2 and row["flagged"]
    }
    assert {f"target-{at:02}" for at in range(0, 23, 3)} == sure, "planted passages of every third target score 2"
    clean = tables.read(FILTERED, study.place("filtered_clean")).to_pylist()
    third = clean[0] | {"rank": 3, "passage_id": "p11", "score": 9.0}  # which no prompt of two passages shows
    with study.changed(FILTERED, [*clean, third], "filtered_clean"):
        study.combine(tmp_path / "alarms.parquet")
    assert alarms(tmp_path / "alarms.parquet") == rows
    blind = [row | {"score": None} if row["target_id"] == "target-00" else row for row in clean]
    with study.changed(FILTERED, blind, "filtered_clean"):
        study.combine(tmp_path / "blind.parquet")
    kept = {(row["target_id"], row["side"]) for row in alarms(tmp_path / "blind.parquet")}
    assert ("target-00", "attacked") in kept and ("target-00", "clean") not in kept
