"""A corpus is extended: some passages in other words, each of its source's document."""

import pytest

from ragassay.base import tables
from ragassay.corpora.corpus import CorpusError
from ragassay.schemas.corpora import PASSAGES, REWRITTEN_PASSAGES
from rows import row
from scripts.corpora.rewrite_passages import rewrite_passages
from targets import READER

NAMES = ("rewritten_passages", "rejects", "calls", "new_passages")
TEXTS = {
    "d#1": "Nobody said how many boats were bought. The town gets 12 more in spring.",
    "d#2": "The company said that the ferry is to be built in Dray.",
    "e#1": "Xyz!",
    "f#1": "Several people stayed because the storm began in the evening.",
}


@pytest.fixture
def rewrite(tmp_path):
    def rewrite(texts=TEXTS, count=9, seed=0):
        rows = [
            row(PASSAGES, passage_id=name, document_id=name[0], title="T", text=text) for name, text in texts.items()
        ]
        tables.write(PASSAGES, tmp_path / "passages.parquet", rows)
        paths = {name: tmp_path / f"{name}.parquet" for name in NAMES}
        settings = {"model": READER, "ledger": str(tmp_path / "ledger"), "sampling": {}, "corpus": "more"}
        prompt = "resources/prompts/rewrite_passage.yaml"
        settings |= {"count": count, "seed": seed, "most_rejected": 0.5}
        rewrite_passages(tmp_path / "passages.parquet", prompt, **paths, **settings)
        kinds = (PASSAGES, REWRITTEN_PASSAGES, tables.REJECTS)
        names = ("new_passages", "rewritten_passages", "rejects")
        return [tables.read(kind, paths[name]).to_pylist() for kind, name in zip(kinds, names, strict=True)]

    return rewrite


def test_each_new_passage_knows_its_source_and_belongs_to_its_document(rewrite):
    passages, sources, rejects = rewrite()
    source = {one["passage_id"]: one["source_passage"] for one in sources}
    assert sorted(source.values()) == ["d#1", "d#2", "f#1"] and len(passages) == 3
    for one in passages:
        assert one["passage_id"].startswith("rewritten-") and one["document_id"] == source[one["passage_id"]][0]
        assert one["text"] != TEXTS[source[one["passage_id"]]] and one["title"] == "T"
    assert [(one["item"], one["reason"], one["shard"]) for one in rejects] == [("e#1", "other_length", "more")]


def test_as_many_are_drawn_as_asked_for_by_their_ids_alone(rewrite):
    def drawn(**own):
        return {one["source_passage"] for one in rewrite(**own)[1]} | {one["item"] for one in rewrite(**own)[2]}

    two = drawn(count=2)
    assert len(two) == 2 and len({frozenset(drawn(count=2, seed=seed)) for seed in range(3)}) > 1
    assert drawn(texts=TEXTS | {"g#1": "Nobody often said so."}, count=2) <= two | {"g#1"}


def test_a_corpus_without_passages_is_told(rewrite):
    with pytest.raises(CorpusError, match="found no passage, expected at least one"):
        rewrite(texts={})
