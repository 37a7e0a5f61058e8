"""Kinds of detectors on encoders: roles of texts, and vectors that are there already."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import paired_cosine_distances

from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.studies.scope.detectors.detector import DetectorQuestion, kind
from study import MINILM

DOCUMENTS = ["The ferry waits at the quay. It costs 4 marks.", "The orchard is old. Nobody counts its trees."]
ASKED = [
    DetectorQuestion(f"q{number}", f"d{number % 2}", question, DOCUMENTS[number % 2])
    for number, question in enumerate(["Where does the ferry wait?", "How old is the orchard?", "What does it cost?"])
]
KINDS = ("sentence_pair", "similarity", "question_alone", "overlap")


@pytest.fixture(scope="module")
def embeddings(tmp_path_factory):
    """A folder that has all texts as they are, put there without a role."""
    folder = tmp_path_factory.mktemp("embeddings")
    sentences = [f"{part.rstrip('.')}." for text in DOCUMENTS for part in text.split(". ")]
    Embedder(Encoder(**MINILM), folder).embed([*DOCUMENTS, *sentences, *(one.question for one in ASKED)])
    return folder


def made(name, folder, **options):
    settings = {"detector": "d", "kind": name, "encoder": MINILM | {"options": {"device": "cpu"} | options}}
    return kind(settings | {"options": {}}, str(folder), "")


@pytest.mark.parametrize("name", KINDS)
def test_without_prefixes_all_vectors_are_found_again(name, embeddings):
    own = made(name, embeddings)
    assert len(own.features(ASKED)) == len(ASKED) and own.embedder.computed == 0
    assert "prefixes" not in own.identity()


def test_documents_are_passages_and_questions_queries(embeddings):
    own = made("sentence_pair", embeddings, prefixes={"passage": "passage: ", "query": "query: "})
    found = own.features(ASKED)
    assert own.embedder.computed == len(DOCUMENTS) + len(ASKED)
    passages = own.embedder.embed([f"passage: {one.document}" for one in ASKED]).astype(np.float32)
    queries = own.embedder.embed([f"query: {one.question}" for one in ASKED]).astype(np.float32)
    assert own.embedder.computed == len(DOCUMENTS) + len(ASKED)
    assert np.array_equal(found, np.concatenate([passages, queries, np.abs(passages - queries)], axis=1))
    assert own.identity()["prefixes"] == {"passage": "passage: ", "query": "query: "}


@pytest.mark.parametrize("name", ["similarity", "question_alone"])
def test_the_role_of_a_question_counts_for_each_kind(name, embeddings):
    own = made(name, embeddings, prefixes={"query": "query: "})
    assert not np.allclose(own.features(ASKED), made(name, embeddings).features(ASKED), atol=1e-3)


def test_overlap_is_that_of_hardness_whatever_the_roles(embeddings):
    own = made("overlap", embeddings, prefixes={"query": "query: ", "passage": "passage: "})
    assert np.array_equal(own.features(ASKED), made("overlap", embeddings).features(ASKED))
    assert own.embedder.computed == 0


def test_question_alone_embeds_no_document(tmp_path):
    own = made("question_alone", tmp_path)
    assert own.features(ASKED).shape == (3, 384) and own.embedder.computed == 3
    assert own.cut(ASKED) == (0, 0)


def test_similarity_is_the_distance_by_cosine(embeddings):
    own = made("similarity", embeddings)
    distances = paired_cosine_distances(own.documents(ASKED), own.questions(ASKED))
    assert own.features(ASKED) == pytest.approx(distances[:, None], abs=1e-6)
