"""Kinds of probes: each finds what is planted and nothing where there is nothing; references stand beside."""

import functools

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ragassay.metrics.panel import auroc
from ragassay.models.heads import heads_file
from ragassay.studies.poisoning.probes import _triplets, samples
from ragassay.studies.poisoning.probes.folds import kind_of
from ragassay.studies.poisoning.probes.kinds import certainty, difference, lens, logistic, triplet
from ragassay.studies.poisoning.probes.samples import Layers, Part, ProbeError, scaling

SMALL = {"triplet": {"widths": [8, 8], "epochs": 6, "support": 20, "batch": 16, "rate": 1e-2}, "mlp": {"rate": 1e-2}}
SMALL |= {"lens": {"tokens": 24}, "certainty": {"tokens": 24}}
NAMES = ("certainty", "difference", "lens", "logistic", "mlp", "triplet")
OUTPUT = np.random.default_rng(1).normal(size=(60, 8)).astype(np.float32)  # tokens x width


def planted(count=160, strength=1.5, seed=0):
    """Features of 3 layers x 8 numbers, of which those of the second layer shift with the label."""
    draw = np.random.default_rng(seed)
    features, labels = draw.normal(3, 2, (count, 3, 8)).astype(np.float32), np.arange(count) % 2 > 0
    features[labels, 1] += 2 * strength
    return features, labels


def part(features, labels, rows):
    return Part(features, np.asarray(rows), labels[rows])


@functools.cache
def fitted(name, seed=0, strength=1.5):
    """A probe fitted on the first samples, and its scores of the last ones."""
    features, labels = planted(strength=strength)
    kind = kind_of(name, "test")
    if kind.OUTPUT:
        features = Layers(features, [1] if kind.OUTPUT == "last" else [0, 1], OUTPUT)
    training, validation, test = (part(features, labels, np.arange(*ends)) for ends in ((80,), (80, 110), (110, 160)))
    probe = kind(SMALL.get(name)).fit(training, validation, seed)
    return probe, test, probe.score(test)


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_what_is_planted_and_what_is_saved_says_the_same(name, tmp_path):
    probe, test, scores = fitted(name)
    assert auroc(scores, test.labels) > 0.85 and len(set(scores.tolist())) > 40
    heads_file.write(tmp_path / "h.safetensors", tmp_path / "c.json", {("matched-x", 0): probe.fitted}, {})
    loaded, _ = heads_file.read(tmp_path / "h.safetensors", tmp_path / "c.json")
    again = type(probe)(probe.settings, loaded["matched-x", 0])
    layers = test.features.shape[1]
    assert (again.score(test) == scores).all() and not again.damage(layers) and again.damage(5)
    again.fitted[probe.ARRAYS[-1]] = np.full(3, np.nan)
    assert f"found an array {probe.ARRAYS[-1]} that is not finite" in again.damage(layers)
    del again.fitted[probe.ARRAYS[-1]]
    assert again.damage(layers) == f"found no array {probe.ARRAYS[-1]}"


@pytest.mark.parametrize("name", NAMES)
def test_fitting_depends_on_the_labels(name):
    _, test, with_signal = fitted(name)
    assert auroc(fitted(name, strength=0)[-1], test.labels) < auroc(with_signal, test.labels) - 0.1


@pytest.mark.parametrize("name", ["mlp", "triplet"])
def test_a_seed_decides_where_training_ends(name):
    first, other, again = fitted(name)[-1], fitted(name, 1)[-1], fitted.__wrapped__(name)[-1]
    assert (first == again).all() and (first != other).any()


def test_logistic_regression_is_that_of_scikit_learn():
    features, labels = planted()
    rows, nothing = np.arange(120), np.arange(0)
    probe = logistic.Kind({"strengths": [0.1]}).fit(part(features, labels, rows), part(features, labels, nothing))
    scaler, flat = StandardScaler(), features.reshape(len(features), -1)
    model = LogisticRegression(C=0.1, class_weight="balanced").fit(scaler.fit_transform(flat[:120]), labels[:120])
    scores = probe.score(part(features, labels, np.arange(120, 160)))
    assert np.abs(scores - model.decision_function(scaler.transform(flat[120:]))).max() < 1e-3


def test_the_penalty_is_the_one_with_the_least_loss_on_the_validation_part():
    features, labels = planted(strength=0)
    parts = [part(features, labels, np.arange(*ends)) for ends in ((80,), (80, 160))]
    strengths = ([1e-4, 10.0], [1e-4], [10.0])
    probes = [logistic.Kind({"strengths": some}).fit(*parts) for some in strengths]
    weights = [np.abs(probe.fitted["outer.weight"]).sum() for probe in probes]
    assert weights[0] == weights[1] < weights[2]


def test_the_difference_of_means_is_one_at_one_mean_and_minus_one_at_the_other():
    features, labels = planted()
    probe = difference.Kind().fit(part(features, labels, np.arange(len(labels))), None)
    means = np.stack([features[labels == kind_].mean(axis=0) for kind_ in (True, False)])
    assert np.allclose(probe.score(part(means, labels, [0, 1])), [0.5, -0.5], atol=1e-4)


def test_features_are_scaled_by_their_own_means_whatever_is_read_at_a_time(monkeypatch):
    features, labels = planted()
    features[:, 0, 0] = 7
    monkeypatch.setattr(samples, "READ_BYTES", 1000)
    scale = scaling(part(features, labels, np.arange(50)))
    assert np.allclose(scale.mean, features[:50].mean(axis=0), atol=1e-5) and scale.factor[0, 0] == 0
    assert np.allclose(scale(features[:50])[:, 1:].std(axis=0), 1, atol=1e-4)
    signs = np.resize([-1, 1], (50, 1, 1))
    steps = np.array([[0.8e-6, 1.5e-6], [0.5e-3, 1.5e-3]])  # what varies by less than a millionth does not move
    little = (np.array([[0], [1000]]) + signs * steps).astype(np.float32)
    factors = scaling(part(little, labels[:50], np.arange(50))).factor
    assert (factors[:, 0] == 0).all() and np.allclose(factors[:, 1] * steps[:, 1], 1, atol=0.1)


def test_as_released_one_mean_and_deviation_scale_all_features(monkeypatch):
    features, labels = planted()
    features[:, 0] = features[:, 0] * 5 + 7
    monkeypatch.setattr(samples, "READ_BYTES", 1000)
    scaled = scaling(part(features, labels, np.arange(50)), whole=True)(features[:50])
    assert np.allclose(scaled, (features[:50] - features[:50].mean()) / features[:50].std(), atol=1e-4)


def test_what_does_not_fit_and_what_is_too_little_is_told_in_one_line(monkeypatch):
    features, labels = planted()
    monkeypatch.setattr(samples, "WHOLE_BYTES", 1000)
    with pytest.raises(ProbeError, match=r"160 samples of 3 layers x 8 numbers.*choose fewer layers"):
        part(features, labels, np.arange(160)).whole()
    with pytest.raises(ProbeError, match=r"found 10 right and 10 poisoned answers.*lower the setting support"):
        triplet.Kind().fit(part(features, labels, np.arange(20)), None)


def test_a_support_set_is_not_trained_on_and_decides():
    features, labels = planted()
    support, rest = _triplets._apart(part(features, labels, np.arange(60)), 20, np.random.default_rng(0))
    assert len(support.rows) == 20 and support.labels.sum() == 10
    assert not set(support.rows) & set(rest.rows) and len(rest.rows) == 40
    assert max(support.rows) > 20, "it is drawn, and not the first"
    assert len(_triplets._apart(part(features, labels, np.arange(24)), 20, np.random.default_rng(0))[1].rows) == 4
    with pytest.raises(ProbeError, match=r"found 11 right and 11 poisoned answers .*, expected at least 12 of each"):
        _triplets._apart(part(features, labels, np.arange(22)), 20, np.random.default_rng(0))


def hedging(count=200):
    """States of 6 numbers, of which the first is the logit of a token that hedges: it is as high as that of the answer
    where passages contradict, whatever that is, and far below it where they do not.
    """
    draw, labels = np.random.default_rng(2), np.arange(count) % 2 > 0
    states = draw.normal(0, 0.3, (count, 1, 6)).astype(np.float32)
    height = draw.uniform(2, 8, count)
    states[np.arange(count), 0, draw.integers(1, 6, count)] = height
    states[:, 0, 0] = height - np.where(labels, 1, 3) + draw.normal(0, 0.3, count)
    return Layers(states, [0], np.eye(6, dtype=np.float32)), labels


def test_a_lens_sees_how_probable_a_token_is_which_no_linear_function_of_states_shows():
    features, labels = hedging()
    parts = [part(features, labels, np.arange(*ends)) for ends in ((100,), (100, 140), (140, 200))]
    areas = {}
    for name in ("lens", "logistic"):
        probe = kind_of(name, "test")().fit(*parts[:2])
        areas[name] = auroc(probe.score(parts[2]), parts[2].labels)
        weights = probe.fitted["outer.weight"]
    assert areas["lens"] > 0.95 and areas["logistic"] < 0.85 and weights.shape == (6,)


def test_a_lens_has_the_probabilities_of_the_likeliest_tokens(monkeypatch):
    states, _ = planted()
    states = states[:, 1]
    logits = states.astype(np.float64) @ OUTPUT.T
    reference = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    assert np.abs(lens.log_probabilities(states, OUTPUT) - reference).max() < 1e-3
    best = sorted(np.argsort(-np.exp(reference).mean(axis=0))[:10])
    whole = lens.likeliest(states, OUTPUT, 10)
    monkeypatch.setattr(lens, "ROWS", 7)
    assert (whole == OUTPUT[best]).all() and (lens.likeliest(states, OUTPUT, 10) == whole).all()
    assert (lens.likeliest(states, OUTPUT, 99) == OUTPUT).all()


def arbitrating(count=200):
    """States of two layers and 40 tokens. Where passages contradict, the last layer is torn between the two answers and
    the first one prefers the other; where they do not, both are certain. Which tokens these are differs every time.
    """
    draw, labels, rows = np.random.default_rng(3), np.arange(count) % 2 > 0, np.arange(count)
    states = draw.normal(0, 0.3, (count, 2, 40)).astype(np.float32)
    answer, height = draw.integers(0, 20, count), draw.uniform(4, 8, count)
    other = 20 + draw.integers(0, 20, count)
    states[rows, 1, answer] = height
    states[rows, 0, np.where(labels, other, answer)] = height
    states[rows, 1, other] += labels * (height - 1)
    return Layers(states, [0, 1], np.eye(40, dtype=np.float32)), labels


def test_certainty_sees_layers_that_disagree_whatever_they_would_say():
    features, labels = arbitrating()
    parts = [part(features, labels, np.arange(*ends)) for ends in ((60,), (60, 100), (100, 200))]
    areas = {}
    for name in ("certainty", "logistic"):
        areas[name] = auroc(kind_of(name, "test")().fit(*parts[:2]).score(parts[2]), parts[2].labels)
    assert areas["certainty"] > 0.95 and areas["certainty"] > areas["logistic"] + 0.02


def test_certainties_are_those_of_each_layer_one_token_at_a_time(monkeypatch):
    states, labels = planted(20)
    found = certainty.certainties(states, OUTPUT)
    for sample, layers in enumerate(states.astype(np.float64)):
        last = layers[-1]
        logs = [OUTPUT @ (layer * np.linalg.norm(last) / np.linalg.norm(layer)) for layer in layers]
        logs = [own - np.log(np.exp(own).sum()) for own in logs]
        best = int(np.argmax(logs[-1]))
        for layer, own in enumerate(logs):
            entropy = -sum(np.exp(one) * one for one in own)
            apart = sum(np.exp(one) * (one - other) for one, other in zip(logs[-1], own, strict=True))
            expected = [entropy, *sorted(own)[-5:], own[best], np.log(1 + sum(own > own[best])), apart]
            assert np.abs(found[sample, layer] - expected).max() < 1e-3
    whole = certainty.Kind().read(OUTPUT, part(states, labels, np.arange(20))).features
    monkeypatch.setattr(lens, "ROWS", 7)
    assert np.abs(certainty.Kind().read(OUTPUT, part(states, labels, np.arange(20))).features - whole).max() < 1e-4


def test_all_features_of_a_part_are_scaled_as_by_scikit_learn():
    features, labels = planted()
    scale = scaling(part(features, labels, np.arange(90)))
    scaler = StandardScaler().fit(features[:90].reshape(90, -1))
    expected = scaler.transform(features[90:].reshape(70, -1))
    assert np.abs(scale.flat(part(features, labels, np.arange(90, 160))) - expected).max() < 1e-4


def test_a_sample_is_as_suspicious_as_it_is_nearer_to_the_poisoned_support():
    probe, test, scores = fitted("triplet")
    network = _triplets.Network(probe.settings)
    own = {name.removeprefix("network."): torch.from_numpy(np.array(value)) for name, value in probe.fitted.items()}
    network.load_state_dict({name: own[name] for name in network.state_dict()})
    images = (test.features[test.rows] - probe.fitted["mean"]) * probe.fitted["factor"]
    with torch.inference_mode():
        vectors = network.eval()(torch.from_numpy(images.astype(np.float32))).numpy()
    for vector, score in zip(vectors[:10], scores[:10], strict=True):
        apart = [float(np.sqrt(((vector - one) ** 2).sum())) for one in probe.fitted["support"]]
        right, poisoned = (
            min(distance for distance, kind in zip(apart, probe.fitted["poisoned"], strict=True) if kind == wanted)
            for wanted in (0, 1)
        )
        assert score == pytest.approx(right - poisoned, abs=1e-5)
