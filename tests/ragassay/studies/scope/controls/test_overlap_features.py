"""What shared words tell about a question: each feature grows when the document has less of it."""

import numpy as np
import pytest

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
