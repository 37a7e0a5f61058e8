"""Probes trained, transferred to other places, and beside alarms of defences."""

import dataclasses
import json
import shutil
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from probe_study import CELL, COUNT, LOGISTIC, PROBES, WHERE, area_of
from ragassay.base import tables
from ragassay.base.chance import split_of
from ragassay.models import files
from ragassay.models.activations.state_store import Decoder
from ragassay.schemas.defences import FILTERED
from ragassay.schemas.probes import ACTIVATIONS, ALARMS, PROBE_SCORES, PROBE_TRANSFERS, PROMPT_ANSWERS
from ragassay.services.probe import Probe
from ragassay.studies.poisoning.probes.folds import CONTROLS, Contestant
from ragassay.studies.poisoning.probes.reading import Readings
from ragassay.studies.poisoning.probes.samples import Joined, ProbeError


def scores(study, **wanted):
    return [row for row in study.rows(PROBE_SCORES) if all(row[name] == value for name, value in wanted.items())]


def test_every_sample_is_tested_once_in_the_fold_of_its_document(study):
    rows = scores(study, trained_on="matched", facts="all", probe="logistic", condition="matched")
    assert len({(row["target_id"], row["side"]) for row in rows}) == len(rows) == 2 * (COUNT - 1)
    assert all(split_of(row["cluster"], row["fold"]) == "test" for row in rows)
    assert len({row["score"] for row in rows}) > COUNT


def test_what_was_fitted_on_one_condition_is_tested_on_all(study):
    assert {row["condition"] for row in scores(study, trained_on="matched", facts="all")} == {
        "released", "retrieved", "prefixed", "matched", "irrelevant", "misspelt"
    }  # fmt: skip
    assert not scores(study, trained_on="misspelt"), "which has no poison to be fitted on"
    assert {row["condition"] for row in scores(study, trained_on="matched", facts="unknown")} == {"matched"}
    assert not scores(study, facts="known"), "nothing is known by heart, so that nothing can be fitted"


def test_controls_stand_beside_probes_and_see_what_they_should(study):
    assert {row["probe"] for row in scores(study)} == {
        "logistic", "last_layer", "lens", "certainty", "masking", *CONTROLS
    }  # fmt: skip
    assert {row["trained_on"] for row in scores(study, probe="last_layer")} == {"released"}

    def area(condition, probe):
        return area_of(scores(study, condition=condition, trained_on=condition, facts="all", probe=probe))

    assert area("released", "control") > 0.95 and area("released", "logistic") > 0.95
    assert area("matched", "control") < 0.8


@pytest.mark.parametrize(("name", "by"), [("logistic", 0), ("lens", 0), ("certainty", 1e-3)])
def test_a_saved_probe_gives_the_scores_of_its_fold(study, name, by):
    """`certainty` counts tokens that a layer prefers: the last digit of a product, which depends on the rows that are
    multiplied together, may decide one.
    """
    probe = Probe.load(study.folder, name)
    rows = scores(study, trained_on="matched", facts="all", probe=name, fold=0, condition="matched")
    keys = {(row["target_id"], row["condition"], row["side"]): row["key"] for row in study.rows(ACTIVATIONS)}
    decoder = Decoder("model tiny", study.model)
    store = Readings.resolved([{}], decoder).store(decoder, study.embeddings)
    names = [bytes.fromhex(keys[row["target_id"], row["condition"], row["side"]]) for row in rows]
    judged = probe.judge(store.read(names)[:, :, 0])
    assert rows and [one.score for one in judged] == pytest.approx([row["score"] for row in rows], abs=by)
    assert [one.poisoned for one in judged] == [row["flagged"] for row in rows]


def test_a_service_watches_a_generation_with_the_model_that_was_read(study):
    from transformers import AutoModelForCausalLM

    probe, model = Probe.load(study.folder), AutoModelForCausalLM.from_pretrained(study.model["model"])
    with probe.watching(model) as watched:
        model.generate(torch.tensor([[3, 5, 7, 9]]), max_new_tokens=2, do_sample=False)
    [judgement] = probe.judge(watched.states())
    assert np.isfinite(judgement.score)
    card = json.loads((study.folder / "card.json").read_text())
    digest = card["identity"]["files"]
    with pytest.raises(ProbeError, match="found site 'mlp', expected 'residual', which the probe was fitted with"):
        probe.check(files=digest, site="mlp")
    with pytest.raises(ProbeError, match="found files 'another'"):
        probe.check(files="another")
    with pytest.raises(ProbeError, match="found prompt 'another'"):
        probe.check(files=digest, prompt="another")
    with pytest.raises(ProbeError, match=r"states of shape \(1, 1, 16\), expected generations x 2 layers"):
        probe.scores(np.zeros((1, 1, 16)))
    with pytest.raises(ProbeError, match="no finite numbers"):
        probe.scores(np.full((1, 2, 16), np.inf))
    last = Probe.load(study.folder, "last_layer", "released")
    states = np.random.default_rng(0).normal(size=(3, 2, 16))
    changed = np.stack([states[:, 0] + 1, states[:, 1]], axis=1)
    assert (last.scores(states) == last.scores(changed)).all() and (probe.scores(states) != probe.scores(changed)).any()
    with pytest.raises(ProbeError, match=r"found the probe 'matched-triplet\.0'"):
        Probe.load(study.folder, "triplet")


def test_a_probe_without_a_threshold_gives_no_verdict_but_a_score(study):
    probe = Probe.load(study.folder)
    states = np.random.default_rng(0).normal(size=(2, 2, 16))
    without = dataclasses.replace(probe, entry=probe.entry | {"threshold": None})
    assert [(one.score, one.poisoned) for one in without.judge(states)] == [
        (one.score, None) for one in probe.judge(states)
    ]


def test_files_of_a_model_are_read_once_however_many_generations_are_watched(study, tmp_path, monkeypatch):
    """Also those of a model that is named as the hub does."""
    hub, model = tmp_path / "hub", shutil.copytree(study.model["model"], tmp_path / "snapshot")
    config = SimpleNamespace(name_or_path="some/decoder", _commit_hash="0" * 40)
    monkeypatch.setattr(files, "_in_cache", lambda owner, name, revision: model if revision == "0" * 40 else hub)
    seen, digest = [], files.digest
    monkeypatch.setattr(files, "digest", lambda folder: seen.append(folder) or digest(folder))
    probe, named = Probe.load(study.folder), SimpleNamespace(config=config, dtype=torch.float32)
    for _ in range(3):
        probe.watching(named)
    assert seen == [model]
    (model / "config.json").write_text("{}")
    with pytest.raises(ProbeError, match="found files"):
        probe.watching(named)


def test_a_probe_looks_where_it_says_and_a_service_has_to_look_there_too(study, tmp_path):
    elsewhere = LOGISTIC | WHERE | {"site": "mlp", "layers": [2], "conditions": ["matched"]}
    with study.changed(ACTIVATIONS):
        study.collect([{}, {"site": "mlp"}])
        study.train(tmp_path, probes={"inside": elsewhere, "certainty": dict(PROBES["certainty"])})
    inside, certainty = (Probe.load(tmp_path, name) for name in ("inside", "certainty"))
    assert inside.entry["reading"] == {"site": "mlp", "layers": [1, 2], "position": "last_prompt"}
    assert inside.entry["places"] == [1] and inside.scores(np.ones((1, 2, 32))).shape == (1,)
    assert certainty.entry["reading"]["site"] == "residual"
    digest = inside.about["identity"]["files"]
    with pytest.raises(ProbeError, match="found site 'residual', expected 'mlp'"):
        inside.check(files=digest, site="residual")


def test_what_reads_the_output_layer_needs_what_the_last_block_puts_out(study, tmp_path):
    with study.changed(ACTIVATIONS):
        study.collect([{"layers": [1]}])
        for name in ("lens", "certainty"):
            with pytest.raises(ProbeError, match=rf"no probe can be fitted: {name}: revprag\.activations leaves out"):
                study.train(tmp_path, probes={name: dict(PROBES[name])})
        with pytest.raises(ProbeError, match=r"elsewhere/\w+: found no activations of \d+ of"):
            study.train(tmp_path, embeddings=str(tmp_path / "elsewhere"))


def test_answers_of_which_none_is_poisoned_are_refused(study, tmp_path):
    labels = {"poisoned": "undecided"}
    rows = [row | {"label": labels.get(row["label"], row["label"])} for row in study.rows(PROMPT_ANSWERS)]
    line = "tiny: no probe can be fitted: matched, all facts: found 0 poisoned answers"
    with study.changed(PROMPT_ANSWERS, rows), pytest.raises(ProbeError, match=line):
        study.train(tmp_path)


def test_a_place_is_tested_by_what_was_fitted_on_others_and_on_all(study, monkeypatch):
    seen, fitted = [], Contestant.fitted

    def spy(method, training, validation, seed):
        seen.append(training.rows)
        return fitted(method, training, validation, seed)

    monkeypatch.setattr(Contestant, "fitted", spy)
    before = study.place("probe_transfers").read_bytes()
    study.transfer([CELL], "kind")
    assert study.place("probe_transfers").read_bytes() == before
    rows = study.rows(PROBE_TRANSFERS)
    assert {(row["tested_on"], row["fitted_on"], row["probe"]) for row in rows} == {
        (place, fitted, probe)
        for place in ("who", "keeper")
        for fitted in ("others", "all")
        for probe in ("logistic", "control", "first_token")
    }
    sizes = [len(own) for own in seen]
    assert max(sizes) > 1.5 * min(sizes), "all places are more than the others"
    for probe in ("logistic", "control"):
        assert area_of(row for row in rows if (row["fitted_on"], row["probe"]) == ("others", probe)) > 0.9
    odd = {row["target_id"]: row["tested_on"] for row in rows}
    assert all((int(name[-2:]) % 2 == 1) == (place == "keeper") for name, place in odd.items())
    assert all(any(split_of(row["cluster"], fold) == "test" for fold in range(10)) for row in rows)


def test_cells_stand_one_after_another_and_only_models_of_one_shape_together():
    draw = np.random.default_rng(0)
    one, other, wide = (draw.normal(size=shape).astype(np.float32) for shape in ((3, 2, 4), (2, 2, 4), (2, 2, 5)))
    joined = Joined([one, other], ["a", "b"])
    assert joined.shape == (5, 2, 4) and (joined[[4, 0, 3]] == np.stack([other[1], one[0], other[0]])).all()
    with pytest.raises(ProbeError, match="found activations of 2 layers x 4 numbers of a and of 2 x 5 of b"):
        Joined([one, wide], ["a", "b"])


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
