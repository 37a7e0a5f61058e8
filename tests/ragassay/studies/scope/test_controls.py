"""The ten features by hand; both controls learn what words give away, from other documents only."""

import hashlib

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from ragassay.metrics.panel import auroc
from ragassay.schemas.hardness import FEATURES
from ragassay.studies.scope import controls

TEXT = "The ferry Sallow Star costs 57 million marks. It was built in Brackwater by Ana Lindqvast in June."
AXES = np.eye(3, dtype=np.float32)

NAMES = ["harbour", "council", "tram", "museum", "bridge", "roof", "ferry", "orchard", "mayor", "choir"]


@pytest.fixture
def document():
    return controls.Document(TEXT, AXES[0], AXES[:2])


def test_a_question_in_the_documents_words_has_nothing_missing(document):
    found = controls.features("Which ferry costs 57 million marks?", AXES[0], document)
    assert list(found) == list(FEATURES) and not any(value for name, value in found.items() if "unlike" not in name)
    assert found["unlike_document"] == found["unlike_sentence"] == 0 and found["unlike_sentences"] == 0.5


@pytest.mark.parametrize(
    ("question", "grown"),
    [
        (
            "How much does the ferry Sallow Star sway?",
            {"missing_words", "missing_weight", "missing_forms", "missing_pairs"},
        ),
        ("How much does the ferry Tolven Star cost?", {"missing_names", "n_missing_names"}),
        ("Did the ferry cost 58 million?", {"missing_names", "n_missing_names"}),
        ("Does the ferry Sallow Star cost Brackwater?", {"scattered", "missing_pairs"}),
        ("What costing had the ferry Sallow Star?", {"missing_forms"}),
    ],
)
def test_what_the_document_lacks_shows(document, question, grown):
    found = controls.features(question, AXES[0], document)
    assert grown <= {name for name, value in found.items() if value > 0 and "unlike" not in name}


def overlapping(count, shift):
    """Questions, four per document, every other one out of scope and that much higher in every feature."""
    values = np.random.default_rng(0).standard_normal((count, len(FEATURES))) + shift * (np.arange(count) % 2)[:, None]
    features = [dict(zip(FEATURES, row, strict=True)) for row in values.tolist()]
    return [{"cluster_id": f"c-{at // 4}", **row} for at, row in enumerate(features)]


def worded(count, *beginnings):
    """The same; those out of scope begin with the second of two beginnings."""
    draw = np.random.default_rng(0)
    texts = [f"{beginnings[at % 2]} the {' '.join(draw.choice(NAMES, 4))}?" for at in range(count)]
    return [{"cluster_id": f"c-{at // 4}", "text": text} for at, text in enumerate(texts)]


def every_other(count):
    return np.arange(count) % 2 == 1


TELLING = [
    (controls.overlap_scores, overlapping(400, 0.7), 0.85),
    (controls.wording_scores, worded(400, "When did", "Why was it that"), 0.99),
]


@pytest.mark.parametrize(("scores", "rows", "least"), TELLING)
def test_a_control_learns_what_there_is_to_learn_and_nothing_from_shuffled_labels(scores, rows, least):
    labels = every_other(400)
    assert auroc(scores(rows, labels), labels) > least
    shuffled = np.random.default_rng(1).permutation(labels)
    assert 0.4 < auroc(scores(rows, shuffled), shuffled) < 0.6


@pytest.mark.parametrize(("scores", "rows", "least"), TELLING)
def test_a_score_never_depends_on_its_own_document(scores, rows, least):
    labels = every_other(400)
    own = np.array([row["cluster_id"] == "c-7" for row in rows])
    before, after = np.array(scores(rows, labels)), np.array(scores(rows, labels ^ own))
    assert (before[own] == after[own]).all() and (before != after).any()


def plainly(rows, inputs, labels, steps):
    """What scikit-learn gives fold by fold, by a pipeline of these steps for so many rows."""
    digests = [hashlib.sha256(row["cluster_id"].encode()).digest() for row in rows]
    folds, expected = np.array([int.from_bytes(digest[:4], "big") % 5 for digest in digests]), np.empty(len(rows))
    for fold in range(5):
        learnt = folds != fold
        model = make_pipeline(*steps(learnt.sum()), LogisticRegression(class_weight="balanced", max_iter=1000))
        model.fit(inputs[learnt], labels[learnt])
        expected[~learnt] = model.predict_proba(inputs[~learnt])[:, 1]
    return pytest.approx(expected, abs=1e-6)


def words(size):
    """One to three words anywhere, those of a single question too where there are few, and the first three."""
    tokens = {"token_pattern": r"(?u)\b\w+\b", "sublinear_tf": True}
    anywhere = TfidfVectorizer(ngram_range=(1, 3), min_df=2 if size > 50 else 1, **tokens)
    first = {"preprocessor": lambda text: " ".join(text.lower().split()[:3])}
    return [make_union(anywhere, TfidfVectorizer(ngram_range=(1, 3), **first, **tokens))]


def test_scores_are_those_of_scikit_learn_fold_by_fold():
    rows, labels = overlapping(100, 0.3), every_other(100)
    values = np.array([[row[name] for name in FEATURES] for row in rows])
    assert controls.overlap_scores(rows, labels) == plainly(rows, values, labels, lambda size: [StandardScaler()])
    for count in (100, 56):
        rows, labels = worded(count, "When did it", "Why was it that"), every_other(count)
        labels[::5] = False
        texts = np.array([row["text"] for row in rows], object)
        assert controls.wording_scores(rows, labels) == plainly(rows, texts, labels, words)


@pytest.mark.parametrize("count", [0, 4])
def test_too_little_or_one_kind_gives_no_score(count):
    assert controls.overlap_scores(overlapping(count, 1), every_other(count)) == [None] * count
    assert controls.wording_scores(worded(20, "Who", "Who"), [True] * 20) == [None] * 20
    assert controls.wording_scores([], []) == []
