"""BM25 over a corpus in parts under attack: the bytes of one job, however the corpus is cut."""

import random
import shutil
import sys
import weakref
from itertools import pairwise

import pytest

from ragassay.base import tables
from ragassay.corpora import corpus
from ragassay.corpora.corpus import FrequencyError
from ragassay.schemas.attacks import RETRIEVED
from ragassay.schemas.corpora import PASSAGES, QUERIES
from ragassay.search import bm25
from ragassay.search.neighbours import PassageError
from rows import row
from scripts.attacks.merge_attacked_parts import merge_attacked_parts
from scripts.attacks.retrieve_bm25 import retrieve_bm25
from scripts.attacks.search_attacked_part import search_attacked_part
from scripts.corpora.add_word_counts import add_word_counts
from scripts.corpora.count_words import count_words
from targets import write_poison

WORDS = "ferry quay glacier marks council storm harbour orchard lighthouse census bridge herring cheese".split()
SIZE, COUNT = 300, 7
OPTIONS = [{}, {"divide_by_idf": True, "titles": "before"}, {"k1": 0.9, "b": 0.4, "divide_by_idf": True}]
TRIED = {"targets": 5}


def sentence(dice, longest):
    words = [WORDS[int(len(WORDS) ** dice.random()) - 1] for _ in range(dice.randint(4, longest))]
    return " ".join([*words, f"rare{dice.randrange(200)}"]).capitalize() + "."


@pytest.fixture
def place(tmp_path):
    """A function that gives the place of a table. Many passages are the same text, also planted ones; ids stand before
    and after those of planted ones; some words of questions are in planted passages alone, or nowhere.
    """

    def path(name):
        return tmp_path / f"{name}.parquet"

    dice = random.Random(5)
    texts = [sentence(dice, 14) for _ in range(SIZE // 2)]
    texts += [dice.choice(texts) for _ in range(SIZE // 2 - 1)]
    rows = [
        row(PASSAGES, passage_id=f"{'az'[at % 2]}{at:03}", document_id=f"d{at}", title=f"Ferry {at % 7}", text=text)
        for at, text in enumerate([*texts, "!"])
    ]
    tables.write(PASSAGES, path("passages"), rows)
    asked = [f"{sentence(dice, 8)} planted{at}" for at in range(12)] + ["Zzz?"]
    queries = [row(QUERIES, query_id=f"q{at:02}", text=text) for at, text in enumerate(asked)]
    tables.write(QUERIES, path("queries"), queries)
    planted = [(f"q{at:02}", f"{asked[at]} Herring {sentence(dice, 9)}") for at in range(0, 12, 2)]
    planted += [("q01", text) for text in dice.sample(texts, 40)]
    write_poison(path("poison"), planted)
    write_poison(path("nothing"), [])
    return path


def retrieved_in_parts(place, cut, poison, options, tried=None, count=COUNT):
    """The bytes of the table; `cut` gives the part of a row by its number."""
    files, counts, found, every = [], [], [], tables.read(PASSAGES, place("passages")).to_pylist()
    for number in sorted({cut(at) for at in range(SIZE)}):
        files.append(place(f"part{number}"))
        tables.write(PASSAGES, files[-1], [one for at, one in enumerate(every) if cut(at) == number])
        counts.append(place(f"counts{number}"))
        count_words(files[-1], counts[-1], options.get("titles", "none"))
    add_word_counts(counts, place("counts"))
    inputs = place("queries"), place("counts"), place(poison)
    for number, file in enumerate(files):
        found.append(place(f"found{number}"))
        search_attacked_part(file, *inputs, found[-1], options, count, tried)
    merge_attacked_parts(files, found, *inputs, place("merged"), options, count, tried)
    return place("merged").read_bytes()


@pytest.mark.parametrize("options", OPTIONS, ids=["plain", "titled", "other"])
@pytest.mark.parametrize(("poison", "tried"), [("poison", None), ("poison", TRIED), ("nothing", None)])
def test_a_corpus_in_parts_gives_the_bytes_of_one_search(place, options, poison, tried):
    retrieve_bm25(place("passages"), place("queries"), place(poison), place("whole"), options, COUNT, tried)
    rows, whole = tables.read(RETRIEVED, place("whole")).to_pylist(), place("whole").read_bytes()
    assert {one["poisoned"] for one in rows} == ({True, False} if poison == "poison" else {False})
    assert len({one["target_id"] for one in rows}) == (5 if tried else 12)
    for cut in (lambda at: at // 200, lambda at: at % 5, lambda at: at == 0):
        assert retrieved_in_parts(place, cut, poison, options, tried) == whole


def test_equal_scores_go_by_id_at_every_depth(place):
    """Whether a planted passage is kept or cut off."""
    deep = place("deep")
    retrieve_bm25(place("passages"), place("queries"), place("poison"), deep, {}, SIZE * 2)
    ranked = tables.read(RETRIEVED, deep).to_pylist()
    tied = [(a, b) for a, b in pairwise(ranked) if a["target_id"] == b["target_id"] and a["score"] == b["score"]]
    assert all(a["passage_id"] < b["passage_id"] for a, b in tied)
    cuts = {a["rank"] for a, b in tied if a["poisoned"] and not b["poisoned"]}
    assert cuts
    for count in sorted(cuts)[:5]:
        best = [one for one in ranked if one["rank"] <= count]
        retrieve_bm25(place("passages"), place("queries"), place("poison"), place("whole"), {}, count)
        assert tables.read(RETRIEVED, place("whole")).to_pylist() == best
        assert retrieved_in_parts(place, lambda at: at % 3, "poison", {}, None, count) == place("whole").read_bytes()


def test_questions_that_share_no_word_find_nothing(place):
    tables.write(QUERIES, place("queries"), [row(QUERIES, query_id="q00", text="Zzz?")])
    retrieved_in_parts(place, lambda at: at % 2, "poison", {"divide_by_idf": True})
    assert tables.read(RETRIEVED, place("merged")).num_rows == 0


def test_a_part_streams_by_and_no_more_than_two_blocks_are_held(place, monkeypatch):
    alive, most, blocks = weakref.WeakSet(), [], corpus.blocks

    class Watched(bm25.Bm25):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            alive.add(self)
            most.append(len(alive))

    def small(*arguments):
        for ids, texts in blocks(*arguments):
            yield from ((ids[at : at + 10], texts[at : at + 10]) for at in range(0, len(texts), 10))

    expected = retrieved_in_parts(place, lambda at: at % 2, "poison", {})
    monkeypatch.setattr(corpus, "blocks", small)
    monkeypatch.setattr(sys.modules[search_attacked_part.__module__], "Bm25", Watched)
    assert retrieved_in_parts(place, lambda at: at % 2, "poison", {}) == expected
    assert len(most) == SIZE / 10 and max(most) <= 2


def test_what_is_not_of_these_parts_is_refused_in_a_line(place):
    retrieved_in_parts(place, lambda at: at // 100, "poison", {})
    files, found = ([place(f"{name}{at}") for at in range(3)] for name in ("part", "found"))
    inputs = place("queries"), place("counts"), place("poison")
    with pytest.raises(PassageError, match=r"found0\.parquet: found the passage .* which \S*part1\.parquet does not"):
        merge_attacked_parts(files, [found[0], found[0], found[2]], *inputs, place("again"), {}, COUNT)
    shutil.copy(place("counts0"), place("counts"))
    line = r"counts\.parquet: found the words of 100 passages, expected {}; remove it and run again$"
    with pytest.raises(FrequencyError, match=line.format(r"more than the 100 of the part \S*part0\.parquet")):
        search_attacked_part(files[0], *inputs, found[0], {}, COUNT)
    with pytest.raises(FrequencyError, match=line.format("those of all 300 in the parts")):
        merge_attacked_parts(files, found, *inputs, place("again"), {}, COUNT)
    assert not place("again").exists()
