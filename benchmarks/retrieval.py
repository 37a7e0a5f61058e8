"""Time exact search: ten thousand queries in two hundred thousand passages, beside one matrix product of that size.

One thread, by processor time, search and product by turns, the best turn of each: other work on the machine takes from
both. The passages stream from a file, so that memory is that of the search; it is measured in a process of its own.
Beside it what many do: a loop that scores all passages for one query and sorts them. BM25 stands beside its own
sparse product; a corpus of millions of passages is searched by it in parts, each job in a process of its own. Vectors
that are kept are in corpora/kept_vectors.py, and `ivf_pq` and `hnsw` are indexes of FAISS: see
corpora/vector_indexes.py.
"""

import os
import tempfile
import time
from pathlib import Path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
import pyarrow as pa

from common.figures import count, figure, parts
from common.memory import peak_megabytes, task
from corpora import kept_vectors, vector_indexes

QUERIES, PASSAGES, WIDTH, COUNT, BLOCK = 10_000, 200_000, 384, 100, 8192
LOOPED, ROUNDS = 20, 2
WORDS, LENGTH, SHORT, BM25_PASSAGES, BM25_QUERIES = 30_000, 60, 12, 50_000, 1000
PARTS, OF_PART, VOCABULARY, LONG = 5, 1_000_000, 1_000_000, 100  # of the corpus that BM25 searches in parts


def write(path: str) -> None:
    """The passages as float16, as the store of vectors has them."""
    draw = np.random.default_rng(0)
    with Path(path).open("wb") as file:
        for start in range(0, PASSAGES, BLOCK):
            rows = draw.standard_normal((min(BLOCK, PASSAGES - start), WIDTH), dtype=np.float32)
            file.write(rows.astype(np.float16).tobytes())


def queries() -> np.ndarray:
    from ragassay.search.nearest import unit

    return unit(np.random.default_rng(1).standard_normal((QUERIES, WIDTH), dtype=np.float32))


def blocks(path: str):
    from ragassay.search.nearest import unit

    with Path(path).open("rb") as file:
        while piece := file.read(BLOCK * WIDTH * 2):
            yield unit(np.frombuffer(piece, np.float16).reshape(-1, WIDTH))


def timed(task) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def product(path: str) -> None:
    """The least that an exact search can do: all scores, once, in pieces that fit a cache, none of them looked at."""
    asked, given = queries(), next(blocks(path))
    room = np.empty((1024, BLOCK), np.float32)
    for start in range(0, PASSAGES, BLOCK):
        width = min(BLOCK, PASSAGES - start)
        for at in range(0, QUERIES, 1024):
            part = asked[at : at + 1024]
            np.matmul(part, given[:width].T, out=room[: len(part)] if width == BLOCK else None)


def dense(path: str) -> dict:
    from ragassay.search.nearest import nearest

    asked, seconds = queries(), {"product": [], "search": []}
    for _ in range(ROUNDS):
        seconds["product"].append(timed(lambda: product(path)))
        seconds["search"].append(timed(lambda: nearest(asked, blocks(path), COUNT)))
    whole = np.concatenate(list(blocks(path)))
    found, loop = nearest(asked[:LOOPED], blocks(path), COUNT)[0], []
    seconds["loop"] = [timed(lambda: loop.extend(np.argsort(-(whole @ one))[:COUNT] for one in asked[:LOOPED]))]
    same = [len(set(own) & set(other)) for own, other in zip(found.tolist(), loop, strict=True)]
    return {name: min(own) for name, own in seconds.items()} | {"same": sum(same) / (LOOPED * COUNT)}


def memory(path: str) -> float:
    from ragassay.search.nearest import nearest

    asked, _ = queries(), next(blocks(path)) @ np.ones(WIDTH, np.float32)
    before = peak_megabytes()
    nearest(asked, blocks(path), COUNT)
    return peak_megabytes() - before


def bm25() -> dict:
    from ragassay.search.bm25 import Bm25
    from ragassay.search.nearest import best_of_sparse

    draw = np.random.default_rng(2)

    def texts(number, length):
        """Words as rare as those of a language: the n-th is about one n-th as frequent as the first."""
        ranks = (WORDS ** draw.random((number, length))).astype(int)
        return [" ".join(f"w{rank}" for rank in row) for row in ranks]

    index, asked = Bm25(texts(BM25_PASSAGES, LENGTH)), texts(BM25_QUERIES, SHORT)
    parts = [asked[start : start + 256] for start in range(0, len(asked), 256)]
    seconds = {"product": [], "search": []}
    for _ in range(ROUNDS):
        seconds["product"].append(timed(lambda: sum(index.scores(part).nnz for part in parts)))
        seconds["search"].append(
            timed(lambda: sum(len(found) for part in parts for found, _ in best_of_sparse(index.scores(part), COUNT)))
        )
    return {name: min(own) for name, own in seconds.items()}


def drawn(draw, number: int, length: int, vocabulary: np.ndarray) -> list[str]:
    """Texts of words as rare as those of a language."""
    ranks = (len(vocabulary) ** draw.random((number, length))).astype(int)
    return [" ".join(row) for row in vocabulary[ranks].tolist()]


def write_part(folder: str, number: str) -> None:
    """A part of a corpus, and the queries."""
    from ragassay.base import tables
    from ragassay.schemas.corpora import PASSAGES, QUERIES

    draw = np.random.default_rng(int(number))
    vocabulary = np.array([f"w{rank}" for rank in range(VOCABULARY)], object)
    texts = drawn(draw, BM25_QUERIES, SHORT, vocabulary)
    columns = dict.fromkeys(QUERIES.schema.names)
    rows = [columns | {"query_id": f"q{at}", "text": text} for at, text in enumerate(texts)]
    if number == "0":
        tables.write(QUERIES, Path(folder, "queries.parquet"), rows)
    with tables.Writer(PASSAGES, Path(folder, f"{number}.parquet")) as writer:
        for start in range(0, OF_PART, BLOCK):
            names = [f"p{number}-{at:07}" for at in range(start, min(start + BLOCK, OF_PART))]
            texts = drawn(draw, len(names), LONG, vocabulary)
            nothing = pa.nulls(len(names), pa.string())
            columns = {"passage_id": names, "document_id": names, "title": nothing, "text": texts, "source": nothing}
            writer.write(pa.table(columns))


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
    seconds = timed(jobs[name])
    return {"seconds": seconds, "peak": peak_megabytes()}


def exact() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        path = f"{folder}/passages"
        write(path)
        costs, extra = task("dense", path), task("memory", path)
    name = f"search_{QUERIES // 1000}k_in_{PASSAGES // 1000}k"
    figure(name, costs["search"], "cpu_s", f"<= {1.6 * costs['product']:.4g}", costs["product"])
    loop = costs["loop"] * QUERIES / LOOPED
    figure(f"{name}_faster_than_a_loop", loop / costs["search"], "x", ">= 14")
    figure(f"{name}_same_as_a_loop", costs["same"], "share", ">= 0.999")
    figure(f"{name}_memory", extra, "MB", "<= 100")


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


def words() -> None:
    costs = task("bm25")
    figure("bm25_1k_in_50k", costs["search"], "cpu_s", f"<= {2 * costs['product']:.4g}", costs["product"])


if __name__ == "__main__":
    tasks = {run.__name__: run for run in (dense, memory, bm25, write_part, job)}
    runs = {"exact": exact, "words": words, "words_in_parts": words_in_parts}
    parts(runs | kept_vectors.PARTS | vector_indexes.PARTS, tasks | kept_vectors.TASKS | vector_indexes.TASKS)
