"""retrieve_bm25: clean and poisoned passages in one ranking, as one search of both."""

from passages import TEXTS, write_passages
from ragassay.base import tables
from ragassay.schemas.attacks import RETRIEVED
from ragassay.schemas.corpora import NEIGHBOURS
from scripts.attacks.retrieve_bm25 import retrieve_bm25
from scripts.search.search_bm25 import search_bm25
from targets import write_poison

POISON = [("bridge", "What fell in the storm. The lighthouse fell."), ("ferry", "When does the ferry sail? At seven.")]


def test_it_is_one_search_of_both_and_says_what_is_poisoned_and_for_whom(files):
    write_poison(files("poison"), POISON)
    retrieve_bm25(files("passages"), files("queries"), files("poison"), files("retrieved"), {"k1": 1.1}, 3)
    found = tables.read(RETRIEVED, files("retrieved")).to_pylist()
    assert [row["poisoned"] for row in found if row["rank"] == 1] == [True, True]
    for row in found:
        of_poison = ("planted", {"poison-0": "bridge", "poison-1": "ferry"}.get(row["passage_id"]))
        assert (row["attack"], row["aimed_at"]) == (of_poison if row["poisoned"] else (None, None))
    together = TEXTS | {f"poison-{at}": text for at, (_, text) in enumerate(POISON)}
    write_passages(files("together"), together)
    search_bm25(files("together"), files("queries"), files("neighbours"), {"k1": 1.1}, 3)
    wanted = tables.read(NEIGHBOURS, files("neighbours")).to_pylist()
    names = ("rank", "passage_id", "score")
    assert [[row[name] for name in names] for row in found] == [[row[name] for name in names] for row in wanted]


def test_without_poison_it_is_the_clean_search(files):
    write_poison(files("poison"), [])
    retrieve_bm25(files("passages"), files("queries"), files("poison"), files("retrieved"), {}, 2)
    found = tables.read(RETRIEVED, files("retrieved")).to_pylist()
    assert found and not any(row["poisoned"] for row in found)


def test_the_corpus_is_read_once(files, monkeypatch):
    write_poison(files("poison"), POISON)
    reads, original = [], tables.batches
    monkeypatch.setattr(
        tables, "batches", lambda table, path, *more: reads.append(path) or original(table, path, *more)
    )
    retrieve_bm25(files("passages"), files("queries"), files("poison"), files("retrieved"), {}, 3)
    assert reads.count(files("passages")) == 1
