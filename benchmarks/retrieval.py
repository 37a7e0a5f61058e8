"""Time searches, one thread, by processor time: BM25 beside its own sparse product, alternating, the best turn of each,
since other work on the machine takes from both; and BM25 in parts over a corpus of millions of passages, each job in a
process of its own. Vectors that lie in the file of their corpus are in corpora/vector_files.py, and `ivf_pq` and `hnsw`
are indexes of FAISS: see corpora/vector_indexes.py.
"""

import os
import tempfile
from pathlib import Path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np

from common.figures import count, figure, parts
from common.memory import peak_megabytes, task
from common.turns import by_turns, processor_seconds
from corpora import vector_files, vector_indexes

COUNT, BLOCK, ROUNDS = 100, 8192, 2
WORDS, LENGTH, SHORT, BM25_PASSAGES, BM25_QUERIES = 30_000, 60, 12, 50_000, 1000
PARTS, OF_PART, VOCABULARY, LONG = 5, 1_000_000, 1_000_000, 100  # of the corpus that BM25 searches in parts


def bm25() -> dict:
    from ragassay.search.bm25 import Bm25
    from ragassay.search.nearest import best_of_sparse

    draw, vocabulary = np.random.default_rng(2), words(WORDS)
    index, asked = Bm25(drawn(draw, BM25_PASSAGES, LENGTH, vocabulary)), drawn(draw, BM25_QUERIES, SHORT, vocabulary)
    parts = [asked[start : start + 256] for start in range(0, len(asked), 256)]
    ways = {
        "product": lambda: sum(index.scores(part).nnz for part in parts),
        "search": lambda: sum(len(best) for part in parts for best, _ in best_of_sparse(index.scores(part), COUNT)),
    }
    return {name: min(seconds) for name, seconds in by_turns(ways, ROUNDS).items()}


def words(count: int) -> np.ndarray:
    return np.array([f"w{rank}" for rank in range(count)], object)


def drawn(draw, number: int, length: int, vocabulary: np.ndarray) -> list[str]:
    """Texts of words as rare as those of a language: the n-th is about one n-th as frequent as the first."""
    ranks = (len(vocabulary) ** draw.random((number, length))).astype(int)
    return [" ".join(row) for row in vocabulary[ranks].tolist()]


def write_part(folder: str, number: str) -> None:
    """A part of a corpus, and the queries."""
    from ragassay.base import tables
    from ragassay.schemas.corpora import PASSAGES, QUERIES
    from tools.synthetic_columns import filled

    draw = np.random.default_rng(int(number))
    vocabulary = words(VOCABULARY)
    texts = drawn(draw, BM25_QUERIES, SHORT, vocabulary)
    if number == "0":
        asked = filled(QUERIES, len(texts), query_id=[f"q{at}" for at in range(len(texts))], text=texts)
        tables.write(QUERIES, Path(folder, "queries.parquet"), asked)
    with tables.Writer(PASSAGES, Path(folder, f"{number}.parquet")) as writer:
        for start in range(0, OF_PART, BLOCK):
            names = [f"p{number}-{at:07}" for at in range(start, min(start + BLOCK, OF_PART))]
            texts = drawn(draw, len(names), LONG, vocabulary)
            writer.write(filled(PASSAGES, len(names), passage_id=names, document_id=names, text=texts))


def job(folder: str, name: str, number: str = "") -> dict:
    """One job of a search in parts, by the name of its rule."""
    from scripts.corpora.add_word_counts import add_word_counts
    from scripts.corpora.count_words import count_words
    from scripts.search.merge_parts import merge_parts
    from scripts.search.search_part import search_part

    def files(pattern):
        return [Path(folder, pattern.format(at)) for at in range(PARTS)]

    part, queries, counts = (Path(folder, f"{file}.parquet") for file in (number, "queries", "counts"))
    jobs = {
        "count_words": lambda: count_words(part, Path(folder, f"counts{number}.parquet"), "none"),
        "add_word_counts": lambda: add_word_counts(files("counts{}.parquet"), counts),
        "search_part": lambda: search_part(part, queries, counts, Path(folder, f"found{number}.parquet"), {}, COUNT),
        "merge_parts": lambda: merge_parts(
            files("{}.parquet"), files("found{}.parquet"), queries, counts, Path(folder, "found.parquet"), {}, COUNT
        ),
    }
    seconds = processor_seconds(jobs[name])
    return {"seconds": seconds, "peak": peak_megabytes()}


def words_in_parts() -> None:
    """How much memory each job of a search in parts takes, and how long all parts take together."""
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        for number in range(PARTS):
            task("write_part", folder, number)
        for name in ("count_words", "add_word_counts", "search_part", "merge_parts"):
            numbers = range(PARTS) if name in ("count_words", "search_part") else [""]
            costs = [task("job", folder, name, number) for number in numbers]
            of = f"bm25_{PARTS * OF_PART // 1_000_000}M_in_{PARTS}_parts_{name}"
            figure(f"{of}_memory", max(cost["peak"] for cost in costs), "MB", "<= 2000")
            count(of, sum(cost["seconds"] for cost in costs), "cpu_s")


def whole() -> None:
    costs = task("bm25")
    figure("bm25_1k_in_50k", costs["search"], "cpu_s", f"<= {2 * costs['product']:.4g}", costs["product"])


if __name__ == "__main__":
    tasks = {run.__name__: run for run in (bm25, write_part, job)}
    runs = {"words": whole, "words_in_parts": words_in_parts}
    parts(runs | vector_files.PARTS | vector_indexes.PARTS, tasks | vector_files.TASKS | vector_indexes.TASKS)
