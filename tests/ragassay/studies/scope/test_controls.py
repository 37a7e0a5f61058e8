"""Controls of questions, and strata by how near they are."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from ragassay.metrics.panel import auroc
from ragassay.schemas.hardness import FEATURES
from ragassay.search.nearest import unit
from ragassay.studies.scope import controls
from ragassay.studies.scope.strata import Strata, _grade, drift, similarity, stratum, stratum_names

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


def test_fits_of_the_question_alone_control_read_each_text_once_and_are_those_of_scikit_learn_to_the_bit(monkeypatch):
    read, begin = [], controls._beginning
    monkeypatch.setattr(controls, "_beginning", lambda text: read.append(text) or begin(text))
    texts = [row["text"] for row in worded(200, "When did it", "Why was it that")]
    wording, labels = controls._Wording([*texts, *texts]), every_other(200)
    fitted = [(slice(start, start + 140), wording.fit(texts[start:][:140], labels[start:][:140])) for start in (0, 60)]
    assert read == [*dict.fromkeys(texts)]
    for part, model in fitted:
        union, regression = words(140)[0], LogisticRegression(class_weight="balanced", max_iter=1000)
        regression.fit(union.fit_transform(texts[part]), labels[part])
        assert (model.predict_proba(texts) == regression.predict_proba(union.transform(texts))).all()
        assert (model[-1][-1].coef_ == regression.coef_).all()


@pytest.mark.parametrize("count", [0, 4])
def test_too_little_or_one_kind_gives_no_score(count):
    assert controls.overlap_scores(overlapping(count, 1), every_other(count)) == [None] * count
    assert controls.wording_scores(worded(20, "Who", "Who"), [True] * 20) == [None] * 20
    assert controls.wording_scores([], []) == []


LIMITS = [0.4, 0.6]


def test_similarity_is_the_cosine_to_the_claims():
    claims = unit([[3, 0], [1, 1]])
    assert similarity(unit([2, 0]), claims) == pytest.approx((1, (1 + 0.5**0.5) / 2), abs=1e-5)


@pytest.mark.parametrize(
    ("nearness", "name"),
    [(-1, "below 0.40"), (0.39, "below 0.40"), (0.4, "0.40 to 0.60"), (0.6, "from 0.60"), (1, "from 0.60")],
)
def test_each_nearness_has_a_stratum(nearness, name):
    assert stratum(nearness, LIMITS) == name and name in stratum_names(LIMITS)


def grade(rows, limits, fewest, times):
    strata = Strata(limits, fewest, times)
    strata.add(pd.DataFrame(rows))
    return strata.rows()


def rows(per_kind, seed=0):
    """In the nearest stratum the control is blind, in the farthest it sees all; the middle one is all but empty."""
    draw, found = np.random.default_rng(seed), []
    for name, gap, count in (
        ("below 0.40", 0.5, per_kind),
        ("0.40 to 0.60", 0.0, 2),
        ("from 0.60", 0.0, per_kind // 2),
    ):
        for number in range(2 * count):
            score = draw.random() * 0.5 + gap * (number % 2)
            row = {"doc_id": f"doc-{number // 6}", "out_of_scope": number % 2 == 1, "stratum": name, "score": score}
            found.append(row | {"wording": draw.random()})
    return found


def test_a_stratum_is_hard_where_the_control_is_blind():
    far, middle, near, everything = grade(rows(100), LIMITS, 10, 200)
    assert (far["auroc"], far["hard"], far["n_hard"], far["n_out_of_scope"]) == (1.0, False, 0, 100)
    assert near["auroc_high"] <= 0.75 and near["hard"] and near["n_hard"] == 50
    assert middle["grade"] == "undecided" and middle["n_out_of_scope"] == 2  # too few to tell
    assert [row["grade"] for row in (far, near)] == ["easy", "hard"]
    assert everything["stratum"] == "all" and everything["n_hard"] == 50
    assert everything["share"] == pytest.approx(50 / 152)
    assert everything["share_low"] <= everything["share"] <= everything["share_high"] < 0.5
    assert near["auroc_low"] < near["auroc"] < near["auroc_high"]


@pytest.mark.parametrize(("fewest", "grades"), [(50, ["easy", "hard"]), (51, ["easy", "undecided"])])
def test_a_stratum_needs_its_questions_of_both_kinds(fewest, grades):
    far, _, near, everything = grade(rows(100), LIMITS, fewest, 200)
    assert [row["grade"] for row in (far, near)] == grades
    assert (near["n_out_of_scope"], near["n_in_scope"], everything["n_in_scope"]) == (50, 50, 152)


def test_a_stratum_is_also_held_against_all_in_scope():
    given = rows(100)
    near = [row for row in given if row["out_of_scope"] and row["stratum"] == "from 0.60"]
    wins = [(own["score"] > row["score"]) for own in near for row in given if not row["out_of_scope"]]
    assert grade(given, LIMITS, 10, 0)[2]["auroc_against_all"] == pytest.approx(np.mean(wins))


def test_a_stratum_whose_interval_holds_the_limit_is_undecided():
    small, large = (grade(rows(per_kind, seed=1), LIMITS, 5, 200)[2] for per_kind in (16, 400))
    assert small["auroc_low"] < small["auroc"] <= 0.75 < small["auroc_high"] and small["grade"] == "undecided"
    assert not small["hard"] and large["hard"]


def test_a_stratum_that_the_wording_gives_away_is_easy():
    given = [row | {"wording": row["wording"] / 2 + 0.5 * row["out_of_scope"]} for row in rows(100)]
    near = grade(given, LIMITS, 10, 200)[2]
    assert near["auroc_high"] <= 0.75 and near["question_alone"] == 1.0 and near["grade"] == "easy"


@pytest.mark.parametrize(
    ("ends", "name"),
    [
        ([(0.5, 0.75), (0.4, 0.6)], "hard"),
        ([(0.5, 0.751), (0.4, 0.6)], "undecided"),
        ([(0.75, 0.9), (0.4, 0.6)], "undecided"),
        ([(0.4, 0.6), (0.751, 0.9)], "easy"),
        ([(0.4, 0.6), (None, None)], "undecided"),
    ],
)
def test_the_ends_of_both_intervals_grade_a_stratum(ends, name):
    assert _grade([{"low": low, "high": high} for low, high in ends]) == name


def test_without_scores_nothing_is_known_and_nothing_hard():
    found = grade([row | {"score": None} for row in rows(10)], LIMITS, 1, 10)
    assert [(row["auroc"], row["hard"], row["n_out_of_scope"], row["share"]) for row in found] == [
        (None, False, 0, None)
    ] * 4


VECTORS = {"a": np.array([1, 0]), "b": np.array([0, 1]), "c": np.array([0.6, 0.8])}


def test_strata_of_parts_are_those_of_all_questions():
    given = pd.DataFrame(rows(200))
    whole, parts = Strata(LIMITS, 10, 50), Strata(LIMITS, 10, 50)
    whole.add(given)
    parts.add(given[:0])
    for _, of_document in given.sample(frac=1, random_state=1).groupby("doc_id", sort=False):
        parts.add(of_document)
    assert parts.rows() == whole.rows() and parts.error() == whole.error() == 0


def test_each_guess_is_compared_with_first_last_and_nearest():
    claims = [{"slot": 1, "text": "a"}, {"slot": 2, "text": "b"}]
    guesses = [(1, 1, "c"), (2, 1, "b"), (2, 2, "b"), (3, 1, "b")]
    rows = [
        {"recovered_id": f"{turn}{slot}", "doc_id": "d", "round": turn, "slot": slot, "text": text}
        for turn, slot, text in guesses
    ]
    names = ("to_original", "to_previous", "to_nearest")
    found = {row["recovered_id"]: tuple(row[name] for name in names) for row in drift(claims, rows, VECTORS)}
    assert found == {"11": (0.6, 0.6, 0.8), "21": (0, 0.8, 1), "22": (1, 1, 1), "31": (0, 1, 1)}
