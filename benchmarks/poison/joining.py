"""Joining poisoned passages to stored neighbours, beside searching them alone: the corpus costs nothing again."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

from common.figures import figure
from common.turns import by_turns, ratio
from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.search.nearest import nearest
from ragassay.search.neighbours import merged, rows
from ragassay.studies.poisoning.attacks.attacked_corpus import write

QUERIES, POISON, NUMBERS, COUNT, TURNS = 1000, 500, 384, 100, 21


def _unit(count, dice):
    vectors = dice.standard_normal((count, NUMBERS)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def joining() -> None:
    dice = np.random.default_rng(0)
    queries, corpus, poison = (_unit(count, dice) for count in (QUERIES, 20_000, POISON))
    names = [f"q{number:04}" for number in range(QUERIES)]
    clean_ids, poison_ids = (pa.chunked_array([[f"{kind}{number:06}" for number in range(count)]])
                             for kind, count in (("p", len(corpus)), ("poison-", POISON)))  # fmt: skip
    clean = rows(names, clean_ids, *nearest(queries, [corpus], COUNT))

    def alone():
        return rows(names, poison_ids, *nearest(queries, [poison], COUNT))

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tables.write(POISONED_PASSAGES, place / "poison.parquet", [_planted(name) for name in poison_ids.to_pylist()])

        def searched():
            tables.write(NEIGHBOURS, place / "alone.parquet", alone())

        def joined():
            write(place / "both.parquet", merged([clean, alone()], COUNT), place / "poison.parquet")

        seconds = by_turns({"searched": searched, "joined": joined}, TURNS)
    figure("joining_500_poisoned_passages", ratio(seconds, "joined", "searched"), "times", "<= 2")


def _planted(name):
    row = {"passage_id": name, "target_id": "t", "number": 1, "text": name, "attack": "a", "poisoned": True}
    return dict.fromkeys(POISONED_PASSAGES.schema.names) | row | {"calls": 0, "forwards": 0}
