"""The ten features by hand; both controls learn what words give away, from other documents only."""

import numpy as np
import pytest

from ragassay.metrics.auroc import auroc
from ragassay.schemas.scope_questions import FEATURES
from ragassay.studies.scope import controls

TEXT = "The ferry Sallow Star costs 57 million marks. It was built in Brackwater by Ana Lindqvast in June."
AXES = np.eye(3, dtype=np.float32)


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


def test_similarity_is_to_sentences_and_document(document):
    found = controls.features("What?", AXES[2], document)
    assert [found[name] for name in ("unlike_sentence", "unlike_sentences", "unlike_document")] == [1, 1, 1]


def test_entities_are_names_and_numbers(document):
    found = controls.entities("Did Ana Lindqvast of Tolven pay 57 million marks in June or 12 crowns?")
    assert [(entity, controls.has(document, entity)) for entity in found] == [
        ("Ana Lindqvast of Tolven", False),
        ("June", True),
        ("57", True),
        ("12", False),
    ]


def rows(count, shift, seed=0):
    """Questions, four per document, half of them out of scope and that much higher in every feature."""
    draw = np.random.default_rng(seed)
    labels = np.arange(count) % 2 == 1
    values = draw.standard_normal((count, len(FEATURES))) + shift * labels[:, None]
    found = [
        {"doc_id": f"doc-{at // 4}", "cluster_id": f"c-{at // 4}", **dict(zip(FEATURES, row, strict=True))}
        for at, row in enumerate(values.tolist())
    ]
    return found, labels


def test_it_learns_what_there_is_to_learn():
    given, labels = rows(400, 0.7)
    assert auroc(controls.overlap_scores(given, labels), labels) > 0.85


def test_where_there_is_nothing_it_finds_nothing():
    given, labels = rows(400, 0.0)
    assert 0.4 < auroc(controls.overlap_scores(given, labels), labels) < 0.6


def test_shuffled_labels_give_chance():
    given, labels = rows(400, 0.7)
    shuffled = np.random.default_rng(1).permutation(labels)
    assert 0.4 < auroc(controls.overlap_scores(given, shuffled), shuffled) < 0.6


def test_a_score_never_depends_on_its_own_document():
    given, labels = rows(200, 0.7)
    before = controls.overlap_scores(given, labels)
    own = [at for at, row in enumerate(given) if row["doc_id"] == "doc-3"]
    changed = labels.copy()
    changed[own] = ~changed[own]
    after = controls.overlap_scores(given, changed)
    assert [after[at] for at in own] == [before[at] for at in own] and after != before


def test_scores_are_the_same_again():
    assert controls.overlap_scores(*rows(100, 0.3)) == controls.overlap_scores(*rows(100, 0.3))


@pytest.mark.parametrize("count", [0, 4])
def test_too_little_gives_no_score(count):
    assert controls.overlap_scores(*rows(count, 1)) == [None] * count


NAMES = ["harbour", "council", "tram", "museum", "bridge", "roof", "ferry", "orchard", "mayor", "choir"]


def rows_wording_control(count, beginnings, seed=0):
    """Questions, four per document; those out of scope, every other one, begin with the second of two beginnings."""
    draw = np.random.default_rng(seed)
    for at in range(count):
        words = " ".join(draw.choice(NAMES, 4))
        yield {"cluster_id": f"c-{at // 4}", "text": f"{beginnings[at % 2]} the {words}?"}


def area(given):
    labels = np.arange(len(given)) % 2 == 1
    return auroc(controls.wording_scores(given, labels), labels)


def test_it_learns_a_template_and_finds_nothing_where_there_is_none():
    assert area(list(rows_wording_control(400, ["When did", "Why was it that"]))) > 0.99
    assert 0.4 < area(list(rows_wording_control(400, ["When did", "When did"]))) < 0.6


def test_a_score_never_depends_on_its_own_document_of_wording_control():
    given = list(rows_wording_control(200, ["When did", "Why was it that"]))
    labels = np.arange(200) % 2 == 1
    own = np.array([row["cluster_id"] == "c-7" for row in given])
    before = controls.wording_scores(given, labels)
    after = controls.wording_scores(given, labels ^ own)
    assert [score for score, mine in zip(before, own, strict=True) if mine] == [
        score for score, mine in zip(after, own, strict=True) if mine
    ]


def test_of_one_kind_or_of_nothing_there_is_no_score():
    given = list(rows_wording_control(20, ["When did", "When did"]))
    assert controls.wording_scores(given, [True] * 20) == [None] * 20 and controls.wording_scores([], []) == []
