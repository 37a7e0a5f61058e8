"""BM25 over a corpus under attack. Planted passages change how rare words are and how long passages are, so that clean
ones are scored anew, with the frequencies of both. What is planted is ranked apart and joins the clean ranking.
"""

import pyarrow as pa

from ragassay.corpora.corpus import Frequencies, words_of
from ragassay.search.bm25 import Bm25, best_by_words
from ragassay.search.neighbours import of_best


def frequencies(word_counts, texts: list[str], poison: list[str]) -> Frequencies:
    """Of the words of questions, in the clean corpus of a table and what is planted together."""
    wanted = {word for text in texts for word in words_of(text)}
    clean, planted = Frequencies.read(word_counts, wanted), Frequencies.counted(poison)
    having = dict(clean.having)
    for word in wanted & planted.having.keys():
        having[word] = having.get(word, 0) + planted.having[word]
    return Frequencies(clean.passages + planted.passages, clean.length + planted.length, having)


def of_poison(
    asked: dict, poison_ids: pa.ChunkedArray, poison: list[str], together: Frequencies, options: dict, count: int
) -> list[pa.Table]:
    """Rows like those of the table neighbours: what questions find in the planted passages alone."""
    index = Bm25(poison, **options, frequencies=together)
    return [*of_best(asked["query_id"], poison_ids, best_by_words([index], asked["text"], count))]
