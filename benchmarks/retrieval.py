"""Time exact search: ten thousand queries in two hundred thousand passages, beside one matrix product of that size.

One thread, by processor time, search and product by turns, the best turn of each: other work on the machine takes from
both. The passages stream from a file, so that memory is that of the search; it is measured in a process of its own.
Beside it what many do: a loop that scores all passages for one query and sorts them. BM25 stands beside its own
sparse product.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
from figures import figure, finish
from memory import peak_megabytes

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow"))

QUERIES, PASSAGES, WIDTH, COUNT, BLOCK = 10_000, 200_000, 384, 100, 8192
LOOPED, ROUNDS = 20, 2
WORDS, LENGTH, SHORT, BM25_PASSAGES, BM25_QUERIES = 30_000, 60, 12, 50_000, 1000


def write(path: str) -> None:
    """The passages as float16, as the store of vectors has them."""
    draw = np.random.default_rng(0)
    with Path(path).open("wb") as file:
        for start in range(0, PASSAGES, BLOCK):
            rows = draw.standard_normal((min(BLOCK, PASSAGES - start), WIDTH), dtype=np.float32)
            file.write(rows.astype(np.float16).tobytes())


def queries() -> np.ndarray:
    from ragassay.encoders.unit import unit

    return unit(np.random.default_rng(1).standard_normal((QUERIES, WIDTH), dtype=np.float32))


def blocks(path: str):
    from ragassay.encoders.unit import unit

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
    from ragassay.retrieval.top import nearest

    asked, seconds = queries(), {"product": [], "search": []}
    for _ in range(ROUNDS):
        seconds["product"].append(timed(lambda: product(path)))
        seconds["search"].append(timed(lambda: nearest(asked, blocks(path), COUNT)))
    whole = np.concatenate(list(blocks(path)))
    found, loop = nearest(asked[:LOOPED], blocks(path), COUNT)[0], []
    seconds["loop"] = [timed(lambda: loop.extend(np.argsort(-(whole @ one))[:COUNT] for one in asked[:LOOPED]))]
    same = [len(set(own) & set(other)) for own, other in zip(found.tolist(), loop, strict=True)]
    return {name: min(own) for name, own in seconds.items()} | {"same": sum(same) / (LOOPED * COUNT)}


def memory(path: str) -> dict:
    from ragassay.retrieval.top import nearest

    asked, _ = queries(), next(blocks(path)) @ np.ones(WIDTH, np.float32)
    before = peak_megabytes()
    nearest(asked, blocks(path), COUNT)
    return {"extra": peak_megabytes() - before}


def bm25(_) -> dict:
    from ragassay.encoders.bm25 import Bm25
    from ragassay.retrieval.top import best_of_sparse

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


def child(*task) -> dict:
    done = subprocess.run([sys.executable, __file__, *task], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        path = f"{folder}/passages"
        write(path)
        found, extra = child("dense", path), child("memory", path)["extra"]
    name = f"search_{QUERIES // 1000}k_in_{PASSAGES // 1000}k"
    figure(f"{name}", found["search"], "cpu_s", f"<= {1.6 * found['product']:.4g}", found["product"])
    loop = found["loop"] * QUERIES / LOOPED
    figure(f"{name}_faster_than_a_loop", loop / found["search"], "x", ">= 14")
    figure(f"{name}_same_as_a_loop", found["same"], "share", ">= 0.999")
    figure(f"{name}_memory", extra, "MB", "<= 100")
    found = child("bm25", "")
    figure("bm25_1k_in_50k", found["search"], "cpu_s", f"<= {2 * found['product']:.4g}", found["product"])
    finish()


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.write(json.dumps({"dense": dense, "memory": memory, "bm25": bm25}[sys.argv[1]](sys.argv[2])) + "\n")
    else:
        main()
