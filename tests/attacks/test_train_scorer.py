"""A scorer of two halves."""

import json

import pytest

from ragassay.base import tables
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.documents import DOCUMENTS
from ragassay.studies.poisoning.defences.scorer import DOCUMENTS as HALVES
from ragassay.studies.poisoning.defences.scorer import ScorerError
from ragassay.studies.poisoning.defences.scorers.ngram import Kind
from rows import row
from scripts.attacks.train_scorer import train_scorer

CLUSTERS = (0.6, 300)


def test_each_half_of_the_documents_trains_one_model(scored, tmp_path):
    halves = json.loads((scored / "scorer" / HALVES).read_text())
    assert len(halves) == 30 and 5 < sum(halves.values()) < 25
    again = tmp_path / "again"
    train_scorer([scored / "passages.parquet"], [], again, "ngram", {"order": 2}, *CLUSTERS)
    for file in (scored / "scorer").iterdir():
        assert (again / file.name).read_bytes() == file.read_bytes()
    assert len(Kind.load(again).models) == 2


def test_documents_of_shards_train_what_a_corpus_of_them_does(scored, tmp_path):
    whole = {}
    for one in tables.read(PASSAGES, scored / "passages.parquet").to_pylist():
        whole.setdefault(one["document_id"], []).append(one["text"])
    texts = [(name, " ".join(parts)) for name, parts in whole.items() if "".join(parts)]
    rows = [row(PASSAGES, passage_id=name, document_id=name, text=text) for name, text in texts]
    tables.write(PASSAGES, tmp_path / "passages.parquet", rows)
    for shard, part in (("a", texts[:11]), ("b", texts[11:])):
        of_shard = [row(DOCUMENTS, doc_id=name, text=text) for name, text in part]
        tables.write(DOCUMENTS, tmp_path / f"{shard}.parquet", of_shard)
    train_scorer([tmp_path / "passages.parquet"], [], tmp_path / "of corpus", "ngram", {"order": 2}, *CLUSTERS)
    shards = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    train_scorer([], shards, tmp_path / "of shards", "ngram", {"order": 2}, *CLUSTERS)
    for file in (tmp_path / "of corpus").iterdir():
        assert (tmp_path / "of shards" / file.name).read_bytes() == file.read_bytes()


def test_near_duplicates_lie_in_one_half(tmp_path):
    words = [f"word{at}" for at in range(80)]
    rows = [row(PASSAGES, passage_id=f"p{at}", document_id=f"d{at}", text=" ".join(words[at:])) for at in range(5)]
    rows += [row(PASSAGES, passage_id=f"o{at}", document_id=f"o{at}", text=f"other {at} " * 9) for at in range(9)]
    tables.write(PASSAGES, tmp_path / "passages.parquet", rows)
    train_scorer([tmp_path / "passages.parquet"], [], tmp_path / "scorer", "ngram", {"order": 2}, *CLUSTERS)
    halves = json.loads((tmp_path / "scorer" / HALVES).read_text())
    assert len({halves[f"d{at}"] for at in range(5)}) == 1 and len(set(halves.values())) == 2


def test_a_corpus_of_one_half_is_refused(tmp_path):
    tables.write(PASSAGES, tmp_path / "p.parquet", [row(PASSAGES, passage_id="p", document_id="d", text="A text.")])
    with pytest.raises(ScorerError, match=r"p\.parquet: found 1 documents in 1 of two halves, expected some in both"):
        train_scorer([tmp_path / "p.parquet"], [], tmp_path / "scorer", "ngram", {"order": 2}, *CLUSTERS)
