"""Activations: collected, and projected to a plane."""

import numpy as np
import pytest
import torch
from transformers import AutoModel

from probe_study import PROMPTS
from ragassay.calls.prompts import Prompt
from ragassay.models.activations.sites import ActivationsError
from ragassay.models.activations.state_store import Decoder
from ragassay.models.likelihood import Scorer
from ragassay.models.local import LocalModel
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.probes import ACTIVATIONS, PROJECTIONS, PROMPT_PAIRS
from ragassay.studies.poisoning.probes.collecting import Collector
from ragassay.studies.poisoning.probes.reading import Collection, Readings
from ragassay.studies.poisoning.probes.samples import Stored


def test_they_are_the_states_of_the_last_token_of_each_prompt(study):
    decoder = Decoder("model tiny", study.model)
    states = Readings.resolved([{}], decoder).store(decoder, study.embeddings)
    rows = study.rows(ACTIVATIONS)
    pairs = study.rows(PROMPT_PAIRS)
    questions = {row["target_id"]: row["question"] for row in study.rows(TARGETS)}
    assert len(rows) == len(pairs) > len({row["key"] for row in rows})
    trunk = AutoModel.from_pretrained(study.model["model"])
    for at in (0, 5, len(rows) - 1):
        messages = Prompt.load(PROMPTS[0]).messages(
            passages=pairs[at]["passages"], question=questions[pairs[at]["target_id"]]
        )
        tokens = decoder.tokens(messages)
        with torch.inference_mode():
            hidden = trunk(torch.tensor([tokens]), output_hidden_states=True).hidden_states
        expected = np.stack([layer[0, -1].numpy() for layer in hidden[1:]])
        found = states.read([bytes.fromhex(rows[at]["key"])])[0, :, 0]
        assert len(tokens) == rows[at]["tokens"] and np.abs(found - expected).max() < 5e-3


def test_a_job_that_runs_again_computes_nothing_and_gives_the_same_numbers(study, monkeypatch):
    before = study.rows(ACTIVATIONS)
    local = Decoder("model tiny", study.model)
    texts, answers = ["Question:\n", "Another:\n"], ["Anna Marlowe", "Piet"]
    exact = Scorer(local).certainties(answers, texts)
    stored = Collector(local, [{}], study.embeddings).certainties(texts, answers)
    assert np.abs(np.array(stored) - exact).max() < 1e-5
    monkeypatch.setattr(LocalModel, "_loaded", None)  # no weights are loaded
    with study.changed(ACTIVATIONS):
        study.collect()
        assert study.rows(ACTIVATIONS) == before


def test_several_readings_of_one_pass_are_those_of_passes_of_their_own(study, tmp_path):
    base, inside = {"layers": [2]}, {"site": "mlp", "position": "first_generated"}
    kept = {}
    with study.changed(ACTIVATIONS):
        for name, readings in {"both": [base, inside], "base": [base], "inside": [inside]}.items():
            study.collect(readings)
            keys = [row["key"] for row in study.rows(ACTIVATIONS)]
            collected = Collection.load(study.collection)
            where = [(None, None)] if len(readings) == 1 else [(None, None), ("mlp", "first_generated")]
            kept[name] = [Stored(collected, study.embeddings, keys, collected.reading(*each)) for each in where]
    assert [states.shape[1:] for states in kept["both"]] == [(1, 16), (2, 32)]
    rows = np.arange(0, len(keys), 7)
    for states, alone in zip(kept["both"], (*kept["base"], *kept["inside"]), strict=True):
        assert states.shape == alone.shape and np.abs(states[rows] - alone[rows]).max() < 1e-2


def test_a_layer_that_the_model_lacks_is_refused(study):
    with pytest.raises(ActivationsError, match="found layer 9 at the site mlp, expected one from -2 to 2 and not 0"):
        study.collect([{"site": "mlp", "layers": [9]}])


def test_pca_is_that_of_the_means_over_layers(study):
    rows = study.rows(PROJECTIONS)
    own = [row for row in rows if (row["method"], row["condition"]) == ("pca", "released")]
    assert len(own) == 30 and {row["label"] for row in own} == {"correct", "poisoned"}
    decoder = Decoder("model tiny", study.model)
    store = Readings.resolved([{}], decoder).store(decoder, study.embeddings)
    keys = {
        (row["target_id"], row["condition"], row["side"]): bytes.fromhex(row["key"]) for row in study.rows(ACTIVATIONS)
    }
    states = store.read([keys[row["target_id"], row["condition"], row["side"]] for row in own])[:, :, 0]
    means = states.astype(np.float64).mean(axis=1)
    left, sizes, _ = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    expected, found = left[:, :2] * sizes[:2], np.array([[row["x"], row["y"]] for row in own])
    assert np.allclose(np.abs(found), np.abs(expected), atol=1e-3) and found.std(axis=0)[0] > found.std(axis=0)[1]


def test_every_condition_is_drawn_both_ways_and_the_same_again(study):
    rows = study.rows(PROJECTIONS)
    assert {(row["condition"], row["method"]) for row in rows} >= {("matched", "t_sne"), ("released", "t_sne")}
    with study.changed(PROJECTIONS):
        study.project()
        assert study.rows(PROJECTIONS) == rows
        study.project(seed=1)
        assert study.rows(PROJECTIONS) != rows or len({(row["x"], row["y"]) for row in rows}) > 100
