"""BM25 over a corpus in parts: the same bytes as in one job, however the corpus is cut."""

import random
import shutil

import pytest

from models import WORDS
from ragassay.base import tables
from ragassay.corpora import corpus
from ragassay.corpora.corpus import Frequencies, FrequencyError
from ragassay.schemas.corpora import PASSAGES, QUERIES, WORD_COUNTS
from ragassay.search.neighbours import PassageError, RepeatedId
from rows import row
from scripts.corpora.add_word_counts import add_word_counts
from scripts.corpora.count_words import count_words
from scripts.search.merge_parts import merge_parts
from scripts.search.search_bm25 import search_bm25
from scripts.search.search_part import search_part

SIZE, COUNT = 400, 9
OPTIONS = [{}, {"divide_by_idf": True, "titles": "before"}, {"k1": 0.9, "b": 0.4}]


def sentence(dice, longest):
    """Some words, the first ones far more often than the last, and now and then one of its own."""
    words = [WORDS[int(len(WORDS) ** dice.random()) - 1] for _ in range(dice.randint(4, longest))]
    return " ".join([*words, f"rare{dice.randrange(300)}"]).capitalize() + "."


@pytest.fixture
def passages():
    """Rows, some of which are the same text, so that scores are equal; one has no word."""
    dice = random.Random(5)
    texts = [" ".join(sentence(dice, 9) for _ in range(3)) for _ in range(SIZE // 2)]
    texts += [dice.choice(texts) for _ in range(SIZE // 2 - 1)]
    named = enumerate([*texts, "!"])
    return [
        row(PASSAGES, passage_id=f"p{at:03}", document_id=f"d{at // 3}", title=f"Ferry {at % 7}", text=text)
        for at, text in named
    ]


@pytest.fixture
def queries(tmp_path, passages):
    """People's queries, one of which shares no word, and synthetic ones, which repeat a sentence of a passage."""
    dice = random.Random(6)
    rows = [row(QUERIES, query_id=f"q{at:02}", text=sentence(dice, 8)) for at in range(20)]
    rows.append(row(QUERIES, query_id="none", text="Zzz?"))
    for at, passage in enumerate(dice.sample(passages[:-1], 20)):
        source = passage["text"].split(". ")[0]
        rows.append(row(QUERIES, query_id=f"s{at:02}", text=source, kind="synthetic", passage_id=passage["passage_id"]))
    tables.write(QUERIES, tmp_path / "queries.parquet", rows)
    return tmp_path / "queries.parquet"


@pytest.fixture
def searched(tmp_path, queries, in_parts):
    """A function that searches rows in parts and gives the bytes of the ranking."""

    def searched(parts, options, copied):
        files = [tmp_path / f"part{number}.parquet" for number in range(len(parts))]
        for file, rows in zip(files, parts, strict=True):
            tables.write(PASSAGES, file, rows)
        return in_parts(files, queries, options, COUNT, copied)

    return searched


@pytest.mark.parametrize("options", OPTIONS, ids=["plain", "divided", "other"])
@pytest.mark.parametrize("copied", [0.0, 0.5])
def test_a_corpus_in_parts_gives_the_bytes_of_one_search(tmp_path, passages, queries, searched, options, copied):
    tables.write(PASSAGES, tmp_path / "whole.parquet", passages)
    search_bm25(tmp_path / "whole.parquet", queries, tmp_path / "ranking.parquet", options, COUNT, copied)
    whole = (tmp_path / "ranking.parquet").read_bytes()
    shuffled = random.Random(7).sample(passages, SIZE)
    cuts = [[passages[:1], passages[1:]], [passages[-1:], passages[:250], passages[250:-1]]]
    cuts += [[shuffled[at::count] for at in range(count)] for count in (2, 5, 16)]
    for parts in cuts:
        assert searched(parts, options, copied) == whole


def test_scores_of_a_part_depend_on_the_words_of_the_others(passages, searched):
    halves = [passages[:200], passages[200:]]
    changed = [row | {"text": f"{row['text']} herring census rare1"} for row in halves[1]]
    before, after = (searched([halves[0], rest], {}, 0.0) for rest in (halves[1], changed))
    assert before != after


def test_counts_of_parts_add_up_to_those_of_the_whole(tmp_path, passages):
    for name, rows in {"a": passages[:150], "b": passages[150:], "whole": passages}.items():
        tables.write(PASSAGES, tmp_path / f"{name}.parquet", rows)
        count_words(tmp_path / f"{name}.parquet", tmp_path / f"{name}.counts.parquet", "before")
    add_word_counts([tmp_path / f"{name}.counts.parquet" for name in "ab"], tmp_path / "sum.parquet")
    assert (tmp_path / "sum.parquet").read_bytes() == (tmp_path / "whole.counts.parquet").read_bytes()
    having = {row["word"]: row["passages"] for row in tables.read(WORD_COUNTS, tmp_path / "sum.parquet").to_pylist()}
    texts = [{*f"{row['title']} {row['text']}".lower().replace(".", " ").split()} for row in passages]
    assert having["herring"] == sum("herring" in words for words in texts)
    assert having[""] == SIZE and having["ferry"] == SIZE, "each title has it"
    frequencies = Frequencies.read(tmp_path / "sum.parquet", {"herring", "unheard"})
    assert frequencies.having == {"herring": having["herring"]} and frequencies.passages == SIZE


def test_what_was_found_in_another_part_is_refused(tmp_path, passages, searched, queries):
    searched([passages[:200], passages[200:]], {}, 0.0)
    files, ranking = [tmp_path / f"part{number}.parquet" for number in range(2)], tmp_path / "ranking0.parquet"
    problem = r"ranking0\.parquet: found the passage 'p\d+', which \S*part1\.parquet does not have; search again$"
    with pytest.raises(PassageError, match=problem):
        merge_parts(files, [ranking] * 2, queries, tmp_path / "counts.parquet", tmp_path / "again.parquet", {}, COUNT)
    assert not (tmp_path / "again.parquet").exists()


def test_counts_that_are_not_those_of_all_parts_are_refused(tmp_path, passages, searched, queries):
    searched([passages[:200], passages[200:300], passages[300:]], {}, 0.0)
    files, rankings = ([tmp_path / f"{name}{at}.parquet" for at in range(3)] for name in ("part", "ranking"))
    sums, merged = tmp_path / "counts.parquet", tmp_path / "again.parquet"
    shutil.copy(tmp_path / "counts0.parquet", sums)
    line = r"counts\.parquet: found the words of 200 passages, expected {}; remove it and run again$"
    with pytest.raises(FrequencyError, match=line.format(r"more than the 200 of the part \S*part0\.parquet")):
        search_part(files[0], queries, sums, rankings[0], {}, COUNT)
    search_part(files[1], queries, sums, rankings[1], {}, COUNT)
    with pytest.raises(FrequencyError, match=line.format("those of all 400 in the parts")):
        merge_parts(files, rankings, queries, sums, merged, {}, COUNT)
    assert not merged.exists()


def test_two_parts_with_one_id_are_refused(passages, searched):
    with pytest.raises(RepeatedId, match="found the id 'p000' twice in a corpus, expected each id once; rename"):
        searched([passages, passages[:1]], {}, 0.0)


def test_ids_of_one_hash_are_no_ids_that_repeat(passages, searched, monkeypatch):
    monkeypatch.setattr(corpus, "hash", lambda name: 7, raising=False)
    searched([passages[:5], passages[5:]], {}, 0.0)
    with pytest.raises(RepeatedId, match="found the id 'p000' twice"):
        searched([passages, passages[:1]], {}, 0.0)


def test_counts_without_their_sum_are_refused(tmp_path):
    tables.write(WORD_COUNTS, tmp_path / "counts.parquet", [{"word": "a", "passages": 1, "words": None}])
    with pytest.raises(FrequencyError, match=r"counts\.parquet: found no row of all words, expected one; remove it"):
        Frequencies.read(tmp_path / "counts.parquet", ["a"])
