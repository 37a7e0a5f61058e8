"""Heads: how they are fitted to labels and by groups of documents, calibrated, saved and read."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ragassay.base.chance import split_of
from ragassay.models.heads import head, heads_file, learning, regression, scores
from ragassay.models.heads.scores import LOGISTIC, MLP, Recipe, bins, expected_error, temperature

QUICK = Recipe(hidden=16, epochs=4, rate=1e-2)


@pytest.fixture
def parts(data):
    made = data()
    return [head.Labelled(made.features[made.of(name)], made.labels[made.of(name)]) for name in ("train", "validation")]


def test_training_changes_parameters_and_scores_vary(parts):
    before, _ = head.train(*parts, Recipe(hidden=16, epochs=1, rate=1e-12), 0)
    after, _ = head.train(*parts, QUICK, 0)
    assert all(np.abs(after[name] - before[name]).max() > 1e-3 for name in before)
    found = scores.scores(after, parts[1].features)
    assert found.std() > 0.1 and ((found > 0) == parts[1].labels).mean() > 0.8


@pytest.mark.parametrize("standardize", [False, True])
def test_the_same_seed_gives_the_same_bytes_and_another_one_others(parts, standardize):
    recipe = Recipe(hidden=16, epochs=2, rate=1e-3, standardize=standardize)
    runs = []
    for seed, threads in ((3, 1), (3, 2), (4, 1)):
        torch.set_num_threads(threads)
        torch.manual_seed(seed * 100 + threads)  # what others draw does not matter
        runs.append({name: array.tobytes() for name, array in head.train(*parts, recipe, seed)[0].items()})
    assert runs[0] == runs[1] and runs[0] != runs[2]


def test_the_best_epoch_on_the_validation_part_is_kept(parts):
    wild = Recipe(hidden=16, epochs=6, rate=0.3)
    arrays, history = head.train(*parts, wild, 1)
    best = min(history[1:], key=lambda row: row["validation_loss"])
    assert best["epoch"] < wild.epochs
    found = scores.scores(arrays, parts[1].features)
    loss = np.mean(np.logaddexp(0, found) - parts[1].labels * found)
    assert loss == pytest.approx(best["validation_loss"], abs=1e-4)


def test_without_a_validation_part_the_last_epoch_is_kept(parts):
    nothing = head.Labelled(parts[0].features[:0], parts[0].labels[:0])
    arrays, history = head.train(parts[0], nothing, QUICK, 0)
    assert len(history) == 5 and history[-1]["validation_loss"] is None
    assert ((scores.scores(arrays, parts[0].features) > 0) == parts[0].labels).mean() > 0.8


def test_scaling_is_part_of_the_head(parts):
    far = [head.Labelled(1000 + 50 * part.features, part.labels) for part in parts]
    arrays, _ = head.train(*far, Recipe(hidden=16, epochs=4, rate=1e-2, standardize=True), 0)
    assert ((scores.scores(arrays, far[1].features) > 0) == far[1].labels).mean() > 0.8


@pytest.fixture
def heads(data):
    made = data()
    return {("logistic", 0): regression.train(made.features, made.labels)}


def test_heads_round_trip_to_the_same_scores_and_bytes(heads, data, tmp_path):
    for name in ("a", "b"):
        heads_file.write(tmp_path / f"{name}.safetensors", tmp_path / f"{name}.json", heads, {"identity": {"x": 1}})
    found, about = heads_file.read(tmp_path / "a.safetensors", tmp_path / "a.json")
    given = data().features
    assert (scores.scores(found["logistic", 0], given) == scores.scores(heads["logistic", 0], given)).all()
    assert about["identity"] == {"x": 1} and np.std(scores.scores(heads["logistic", 0], given)) > 0.1
    for ending in ("safetensors", "json"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


@pytest.mark.parametrize("spoil", ["weights", "card", "missing"])
def test_heads_that_do_not_belong_to_their_card_are_refused(heads, tmp_path, spoil):
    weights, card = tmp_path / "heads.safetensors", tmp_path / "card.json"
    heads_file.write(weights, card, heads, {})
    if spoil == "weights":
        other = {("logistic", 0): {name: array + 1 for name, array in heads["logistic", 0].items()}}
        heads_file.write(weights, tmp_path / "other.json", other, {})
    elif spoil == "card":
        card.write_text("{}")
    else:
        weights.unlink()
    with pytest.raises(heads_file.HeadsFileError, match="train"):
        heads_file.read(weights, card)


def test_what_differs_from_the_training_is_named_with_both_values():
    trained = {"files": "ab", "dtype": "bfloat16", "layer": -1}
    heads_file.check("card.json", trained, dict(trained))
    told = "dtype was 'bfloat16' and is now 'float32'; token was 'nothing' and is now '<x>'; train them again or set "
    with pytest.raises(heads_file.HeadsFileError, match=rf"card\.json: .* other features: {told}.* dtype"):
        heads_file.check("card.json", trained, trained | {"dtype": "float32", "token": "<x>"})
    with pytest.raises(heads_file.HeadsFileError, match=r"layer was -1 and is now 'nothing'; train them again$"):
        heads_file.check("card.json", trained, {"files": "ab", "dtype": "bfloat16"})


def test_a_head_is_the_regression_of_scikit_learn(data):
    made = data()
    scaled = StandardScaler().fit_transform(made.features)
    wanted = LogisticRegression(max_iter=2000).fit(scaled, made.labels).decision_function(scaled)
    predicted = scores.scores(regression.train(made.features, made.labels), made.features)
    assert np.abs(predicted - wanted).max() < 1e-3


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"strength": 0.01}, {"C": 0.01}),
        ({"balanced": True}, {"class_weight": "balanced"}),
        ({"sparse_seed": 3, "strength": 0.1}, {"C": 0.1, "l1_ratio": 1, "solver": "liblinear", "random_state": 3}),
    ],
)
def test_settings_reach_the_fit(data, given, wanted):
    made = data()
    chosen = made.labels | (made.features[:, 1] > 0)  # classes of unequal size
    fitted = regression.fit(made.features, chosen, **given)[-1]
    assert (fitted.coef_ == LogisticRegression(max_iter=2000, **wanted).fit(made.features, chosen).coef_).all()
    assert (fitted.coef_ != LogisticRegression(max_iter=2000).fit(made.features, chosen).coef_).any()


def test_each_fold_is_scored_by_the_usable_items_of_all_others():
    folds, labels = [0, 0, 1, 1, 2, 2], [True, False, True, False, True, True]
    usable = [True, True, True, True, True, False]
    seen = regression.out_of_fold(
        folds, list("abcdef"), labels, lambda inputs, _: "".join(inputs), lambda model, own: [model] * len(own), usable
    )
    assert seen == ["cde", "cde", "abe", "abe", "abcd", "abcd"]


def test_a_fold_whose_others_are_all_alike_has_no_scores():
    seen = regression.out_of_fold([0, 1, 1], ["a", "b", "c"], [True, True, True], None, None)
    assert seen == [None] * 3 and regression.one_class([]) and not regression.one_class([0, 1])


def test_a_temperature_finds_how_much_too_sure_scores_are():
    draw = np.random.default_rng(0)
    scores = draw.standard_normal(20_000) * 2
    labels = draw.random(20_000) < 1 / (1 + np.exp(-scores))
    assert temperature(scores * 3, labels) == pytest.approx(3, rel=0.05)
    before = expected_error(1 / (1 + np.exp(-3 * scores)), labels)
    after = expected_error(1 / (1 + np.exp(-scores)), labels)
    assert after < 0.02 < before


@pytest.mark.parametrize("labels", [[], [True, True], [False]])
def test_without_both_kinds_there_is_no_temperature(labels):
    assert temperature([1.0] * len(labels), labels) == 1.0


def test_expected_error_by_hand():
    predicted, labels = [0.05, 0.15, 0.15, 0.95, 1.0], [False, True, False, True, True]
    assert bins(predicted).tolist() == [0, 1, 1, 9, 9]
    assert expected_error(predicted, labels) == pytest.approx((0.05 + 2 * 0.35 + 2 * 0.025) / 5)
    assert expected_error([], []) is None


QUICKER = Recipe(hidden=16, epochs=3, rate=1e-2)


def learn(data, shares=(1.0,), seeds=(0, 1)):
    return learning.learn("test", data, (MLP, LOGISTIC), False, QUICKER, list(seeds), shares)


def auroc_on_test(trained):
    rows = [row for row in trained.rows if row["kept"] and row["percent"] == 100]
    return {(row["head"], row["seed"]): row["test_auroc"] for row in rows}


def test_heads_tell_what_can_be_told_of_documents_that_were_left_out(data):
    assert min(auroc_on_test(learn(data())).values()) > 0.85


def shuffled_by_document(parted_by, seed):
    """Questions of 240 documents whose labels mean nothing, one for all questions of a document: who has seen another
    question of a document can know it, nobody else. Wide features tell every document apart.
    """
    draw, width = np.random.default_rng(seed), 200
    documents = np.repeat(np.arange(240), 5)
    features = 3 * draw.standard_normal((240, width))[documents] + draw.standard_normal((len(documents), width))
    labels = draw.permutation(np.arange(240) % 2 == 0)[documents]
    keys = documents if parted_by == "document" else np.arange(len(documents))
    parts = np.array([split_of(f"{seed} {key}") for key in keys])
    return learning.Data(features.astype(np.float32), labels, parts, documents.astype(str))


@pytest.mark.parametrize(("parted_by", "leaks"), [("document", False), ("question", True)])
def test_labels_of_documents_are_chance_and_a_document_in_two_parts_would_show(parted_by, leaks):
    found = [auroc_on_test(learn(shuffled_by_document(parted_by, seed), seeds=(0,))) for seed in range(3)]
    for name in found[0]:
        mean = np.mean([one[name] for one in found])
        assert mean > 0.8 if leaks else 0.3 < mean < 0.7, (name, mean)


def test_the_test_part_is_not_trained_on(data):
    made, spoilt = data(), data()
    spoilt.features[spoilt.of("test")] = 99.0
    first, second = learn(made), learn(spoilt)
    assert first.temperatures == second.temperatures
    for key, arrays in first.heads.items():
        assert all((arrays[name] == second.heads[key][name]).all() for name in arrays)


def test_temperature_is_of_the_validation_part_alone(data):
    made = data()
    made.features[made.of("validation"), 0] *= -1  # there the heads are wrong: the temperature goes up
    found = learn(made, seeds=(0,))
    assert min(found.temperatures.values()) > 3


def test_a_smaller_share_is_part_of_a_larger_one(data):
    made = data()
    quarter, half, whole = (set(made.clusters[made.of("train", share)]) for share in (0.25, 0.5, 1.0))
    assert quarter < half < whole and len(half) == pytest.approx(len(whole) / 2, abs=1)
    rows = learn(made, shares=(0.25, 0.5), seeds=(0,)).rows
    assert {row["percent"] for row in rows} == {25, 50, 100}
    assert {row["clusters"] for row in rows if row["percent"] == 25} == {len(quarter)}


def test_items_with_one_label_are_told(data):
    made = data()
    alike = learning.Data(made.features, np.ones_like(made.labels), made.parts, made.clusters)
    with pytest.raises(
        learning.LearningError, match=r"test: found 426 items of 71 clusters in the training part, not of both labels"
    ):
        learn(alike)


def test_rows_and_messages_call_items_and_clusters_by_their_names(data):
    made = data()
    named = learning.Data(made.features, made.labels, made.parts, made.clusters, "passages", "targets")
    row = learn(named, seeds=(0,)).rows[0]
    assert (row["passages"], row["targets"]) == (426, 71) and "items" not in row
    named.features[[7, 9], 3] = np.nan, np.inf
    with pytest.raises(learning.LearningError, match=r"found 2 of 540 passages .* not finite.* row 7"):
        learn(named)


def test_only_rows_without_features_have_no_score():
    head = {"outer.weight": np.array([1, 3e38], np.float32), "outer.bias": np.zeros((), np.float32)}
    given = scores.scores(head, np.array([[1, 1e-38], [np.nan, np.nan]], np.float32))
    assert given[0] == pytest.approx(4, abs=0.1) and np.isnan(given[1])
    for row in ([1, 9], [1, np.nan], [np.inf, 1]):
        with pytest.raises(scores.HeadScoreError, match="no finite number"):
            scores.scores(head, np.array([[np.nan, np.nan], row], np.float32))
