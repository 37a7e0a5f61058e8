"""Two targets, clean and poisoned passages, and what questions found among them."""

import pytest

from guarded import place, scored  # noqa: F401
from passages import TEXTS, write_passages
from ragassay.base import tables
from ragassay.schemas.attacks import RETRIEVED
from rows import row
from scripts.defences.filter_retrieved import filter_retrieved
from targets import write_poison, write_targets

POISON = [("bridge", "The lighthouse fell in the storm."), ("ferry", "The ferry does sail at seven.")]
FOUND = {"bridge": ["poison-0", "p2", "p4", "p3"], "ferry": ["p1", "poison-1", "p3", "p2"]}
OUTPUTS = ("filtered", "fewer_planted", "filter_times")
NAMES = ("targets", "retrieved", "passages", "poisoned_passages")


@pytest.fixture
def files(tmp_path):
    """A function that gives the place of a table."""

    def path(name):
        return tmp_path / f"{name}.parquet"

    write_targets(path("targets"))
    write_poison(path("poisoned_passages"), POISON)
    write_passages(path("passages"), TEXTS)
    rows = [
        row(RETRIEVED, target_id=name, rank=rank, passage_id=one, poisoned=one.startswith("poison"))
        for name, found in FOUND.items()
        for rank, one in enumerate(found, 1)
    ]
    tables.write(RETRIEVED, path("retrieved"), rows)
    return path


@pytest.fixture
def run_filter(files):
    """A function that lets a defence judge what was retrieved, and others if `beside` names some."""

    def run_filter(kind, k=1, depth=3, settings=None, guard=(), beside=(), name=None):
        entry = {"depth": depth, "retriever": "minilm", "scorer": "", "encoder": {}, "embeddings": ""}
        defences = {other: entry | {"kind": other, "settings": {}} for other in beside}
        defences[name or kind] = entry | {"kind": kind, "settings": settings or {}}
        targets, retrieved, *texts = map(files, NAMES)
        filter_retrieved(targets, retrieved, [], *texts, [], guard, *map(files, OUTPUTS), defences, k)

    return run_filter
