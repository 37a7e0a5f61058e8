"""Indexes of FAISS over vectors with structure: a mixture of topics, each with subtopics, whose vectors differ in few
directions, as embeddings of texts do. What a build, a search and the file cost, and what the index misses, beside an
exact search of the same file and the bare product of its numbers. One thread, by processor time.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from common.figures import count, figure
from common.memory import peak_megabytes, task

WIDTH, QUERIES, COUNT, DEPTH, BLOCK = 384, 1000, 100, 10, 8192
TOPICS, SUBTOPICS, DIRECTIONS = 1000, 20, 64
SOURCE = {"encoder": "mixture", "similarity": "dot", "texts": "0" * 64}
# name -> how many vectors, what FAISS calls the index, and what its searches look at: the last counts
INDEXES = {
    "ivf_pq": (4_000_000, "IVF1024,PQ48", ("nprobe=8", "nprobe=32")),
    "hnsw": (1_000_000, "HNSW32", ("efSearch=64", "efSearch=256")),
}


class Mixture:
    """Draws vectors of length 1; the n-th topic is about one n-th as frequent as the first."""

    def __init__(self):
        draw = np.random.default_rng(0)
        self._topics = draw.standard_normal((TOPICS, WIDTH), dtype=np.float32)
        self._subtopics = 0.6 * draw.standard_normal((TOPICS * SUBTOPICS, WIDTH), dtype=np.float32)
        self._directions = draw.standard_normal((DIRECTIONS, WIDTH), dtype=np.float32) / np.float32(DIRECTIONS**0.5)

    def vectors(self, draw: np.random.Generator, number: int) -> np.ndarray:
        topics = (TOPICS ** draw.random(number)).astype(int) % TOPICS
        subtopics = topics * SUBTOPICS + draw.integers(0, SUBTOPICS, number)
        within = draw.standard_normal((number, DIRECTIONS), dtype=np.float32) @ self._directions
        rows = self._topics[topics] + self._subtopics[subtopics] + within
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def write(path: str, number: int) -> None:
    """The passages as float16."""
    mixture, draw = Mixture(), np.random.default_rng(1)
    with Path(path).open("wb") as file:
        for start in range(0, number, BLOCK):
            file.write(mixture.vectors(draw, min(BLOCK, number - start)).astype(np.float16).tobytes())


def queries() -> np.ndarray:
    return Mixture().vectors(np.random.default_rng(2), QUERIES)


def stored(path: str) -> np.ndarray:
    return np.memmap(path, np.float16, "r").reshape(-1, WIDTH)


def blocks(path: str):
    """Read from the file, so that what a process holds of it is no page of a map."""
    with Path(path).open("rb") as file:
        while piece := file.read(BLOCK * WIDTH * 2):
            yield np.frombuffer(piece, np.float16).reshape(-1, WIDTH).astype(np.float32)


def product(path: str) -> float:
    """The least that an exact search can do: read all numbers, and all scores once, none of them looked at, in pieces
    that fit a cache.
    """
    asked, room, start = np.array_split(queries(), 2), np.empty((QUERIES // 2, BLOCK), np.float32), time.process_time()
    for block in blocks(path):
        for part in asked:
            np.matmul(part, block.T, out=room if len(block) == BLOCK else None)
    return time.process_time() - start


def exact(path: str, folder: str) -> float:
    """Leaves the nearest passages of each query in a file."""
    from ragassay.search.nearest import nearest

    asked, start = queries(), time.process_time()
    positions, _ = nearest(asked, blocks(path), COUNT)
    seconds = time.process_time() - start
    np.save(Path(folder, "exact.npy"), positions)
    return seconds


def ids(number: int) -> pa.ChunkedArray:
    return pa.chunked_array([[f"p{at:08}" for at in range(number)]])


def build(path: str, folder: str, factory: str) -> dict:
    from ragassay.search import indexes

    names, start = ids(len(stored(path))), time.process_time()
    size = indexes.build(Path(folder, "index"), factory, names, SOURCE, lambda: blocks(path))
    seconds, peak = time.process_time() - start, peak_megabytes()
    return {"seconds": seconds, "megabytes": size / 1e6, "peak": peak}


def search(path: str, folder: str, parameters: str) -> dict:
    """What the stage does: passages are proposed, scored exactly, and the best are kept."""
    from ragassay.search import indexes, vectors

    rows, asked, nearest = stored(path), queries(), np.load(Path(folder, "exact.npy"))
    index = indexes.load(Path(folder, "index"), ids(len(rows)), SOURCE, parameters)
    start = time.process_time()
    positions = indexes.proposed(index, asked, COUNT)
    places = np.unique(positions[positions >= 0])
    wanted = (rows[places[at : at + BLOCK]].astype(np.float32) for at in range(0, len(places), BLOCK))
    scores = vectors.exact_scores(positions, asked, wanted)
    best = [vectors.best(*pair, COUNT)[0] for pair in zip(positions, scores, strict=True)]
    seconds = time.process_time() - start
    shared = [len({*one[:DEPTH]} & {*other[:DEPTH]}) for one, other in zip(best, nearest, strict=True)]
    return {"seconds": seconds, "recall": sum(shared) / (QUERIES * DEPTH)}


def measure(kind: str) -> None:
    number, factory, searches = INDEXES[kind]
    name = f"{kind}_of_{number // 1_000_000}M"
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        path = f"{folder}/vectors"
        task("write_vectors", path, number)
        whole, bare = task("exact_search", path, folder), task("bare_product", path)
        count(f"{name}_product_1k", bare, "cpu_s")
        count(f"{name}_exact_1k", whole, "cpu_s")
        built = task("build_index", path, folder, factory)
        count(f"{name}_build", built["seconds"], "cpu_s")
        count(f"{name}_build_peak", built["peak"], "MB")
        count(f"{name}_size", built["megabytes"], "MB")
        for parameters in searches:
            costs = task("search_index", path, folder, parameters)
            what = f"{name}_{parameters.replace('=', '_').lower()}"
            if parameters == searches[-1]:
                figure(f"{what}_recall_{DEPTH}", costs["recall"], "share", ">= 0.9")
                figure(f"{what}_1k", costs["seconds"], "cpu_s", f"<= {0.5 * bare:.4g}", bare)
            else:
                count(f"{what}_recall_{DEPTH}", costs["recall"], "share")
                count(f"{what}_1k", costs["seconds"], "cpu_s")


PARTS = {kind: lambda kind=kind: measure(kind) for kind in INDEXES}
TASKS = {
    "write_vectors": lambda path, number: write(path, int(number)),
    "bare_product": product,
    "exact_search": exact,
    "build_index": build,
    "search_index": search,
}
