"""Tables of synthetic articles whose ids end with the label of their story."""

import hashlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow as pa

from corpora.labelled_copies import labelled
from ragassay.base import tables
from ragassay.schemas.documents import ARTICLES

SPREAD = 10  # shards among which copies of a story lie


def write_articles(path: Path, stories: list[tuple[int, str]]) -> None:
    """In an order that has nothing to do with the labels."""
    empty = {column.name: None if column.null else _filling(column.type) for column in ARTICLES.columns}
    with tables.Writer(ARTICLES, path) as writer:
        for number, (label, text) in enumerate(stories):
            name = f"{hashlib.sha256(f'{path.stem} {number}'.encode()).hexdigest()[:16]}-{label}"
            digest = hashlib.sha256(text.encode()).hexdigest()
            writer.add(empty | {"article_id": name, "text": text, "content_hash": digest})


def write_shards(folder: Path, articles: int, shards: int) -> list[Path]:
    """That many articles, divided among tables of shards: ten at a time get a news room's stories."""
    paths = [folder / f"{name}.parquet" for name in shard_names(shards)]
    firsts = range(0, shards, SPREAD)
    blocks = [paths[first : first + SPREAD] for first in firsts]
    with ProcessPoolExecutor() as pool:
        for _ in pool.map(_write_block, blocks, firsts, [articles * len(block) // shards for block in blocks]):
            pass
    return paths


def shard_names(shards: int) -> list[str]:
    return [f"s{number:04}" for number in range(shards)]


def _write_block(block: list[Path], first: int, articles: int) -> None:
    stories = [(f"{first}n{label}", text) for label, text in labelled(articles, seed=first)]
    for at, path in enumerate(block):
        write_articles(path, stories[at :: len(block)])


def _filling(kind):
    """Something for a column that does not matter here."""
    if pa.types.is_list(kind):
        return []
    return "" if pa.types.is_string(kind) else pa.scalar(0).cast(kind).as_py()
