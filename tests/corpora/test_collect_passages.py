"""collect_passages: a passage per document, one of a document that two shards hold."""

from ragassay.base import tables
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.documents import DOCUMENTS
from scripts.corpora.collect_passages import collect_passages
from study import document


def test_documents_of_all_shards_are_passages(tmp_path):
    tables.write(DOCUMENTS, tmp_path / "1.parquet", [document("b", "Two."), document("a", "One.")])
    tables.write(DOCUMENTS, tmp_path / "2.parquet", [document("b", "Two."), document("c", "Three.")])
    collect_passages([tmp_path / "1.parquet", tmp_path / "2.parquet"], tmp_path / "passages.parquet")
    rows = tables.read(PASSAGES, tmp_path / "passages.parquet").to_pylist()
    assert [(row["passage_id"], row["text"], row["source"]) for row in rows] == [
        ("a", "One.", "s"),
        ("b", "Two.", "s"),
        ("c", "Three.", "s"),
    ]
