"""compute_overlap: ten features of each question, higher where less is shared."""

import pytest

from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import FEATURES, OVERLAP
from ragassay.schemas.scope_questions import QUESTIONS
from scripts.question_sets.compute_overlap import compute_overlap
from study import MINILM, document, question


@pytest.fixture
def measured(tmp_path):
    texts = [document("d", "The ferry sails at nine. It carries forty cars."), document("e", "Nobody asks this.")]
    asked = ["When does the ferry sail and how many cars does it carry?", "Which volcano in Peru did Marta climb?"]
    questions = [question("d", number, "in_scope", text) for number, text in enumerate(asked)]
    tables.write(DOCUMENTS, tmp_path / "documents.parquet", texts)
    tables.write(QUESTIONS, tmp_path / "questions.parquet", questions)
    files = [tmp_path / f"{name}.parquet" for name in ("documents", "questions", "overlap")]
    compute_overlap(*files, encoder=MINILM, embeddings=tmp_path / "embeddings")
    return tables.read(OVERLAP, files[-1]).to_pylist()


def test_a_foreign_question_shares_less(measured):
    near, far = measured
    assert all(far[name] >= near[name] for name in FEATURES) and far["missing_words"] == 1
    assert near["cluster_id"].startswith("cluster-")
