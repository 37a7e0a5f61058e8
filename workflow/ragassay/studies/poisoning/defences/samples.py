"""A sample of passages, which is what the papers' null is."""

import numpy as np

from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.schemas.corpora import PASSAGES


def sample(passages, poisoned_passages, size: int, seed: int) -> list[dict]:
    """Passages of these files at random, ids ascending; each id once."""
    files = [*((PASSAGES, path) for path in passages), *((POISONED_PASSAGES, path) for path in poisoned_passages)]
    ids = [tables.read(table, path, ["passage_id"])["passage_id"].to_pylist() for table, path in files]
    names = sorted({name for part in ids for name in part})
    chosen = np.random.default_rng(seed).permutation(len(names))[:size]
    return [{"passage_id": names[at]} for at in sorted(chosen)]
