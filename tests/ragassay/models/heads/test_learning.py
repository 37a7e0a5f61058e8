"""Learning: nothing leaks between parts, shuffled labels give chance, and shares of documents are nested."""

import numpy as np
import pytest

from ragassay.documents.ids import split_of
from ragassay.models.heads import learning
from ragassay.models.heads.scores import LOGISTIC, MLP, Recipe

QUICK = Recipe(hidden=16, epochs=3, rate=1e-2)


def learn(data, shares=(1.0,), seeds=(0, 1)):
    return learning.learn("test", data, (MLP, LOGISTIC), False, QUICK, list(seeds), shares)


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
    for head in found[0]:
        mean = np.mean([one[head] for one in found])
        assert mean > 0.8 if leaks else 0.3 < mean < 0.7, (head, mean)


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
