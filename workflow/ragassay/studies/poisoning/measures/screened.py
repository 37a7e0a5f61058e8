"""What screening holds of clean and of planted texts, criterion by criterion."""

from collections.abc import Iterator

import numpy as np

from ragassay.base import tables
from ragassay.metrics.resampling import clopper_pearson
from ragassay.schemas.documents import QUARANTINE
from ragassay.studies.poisoning.measures.detection import SECTION

NAMES = {"held_clean": False, "held_planted": True}


def screening_rows(path) -> Iterator[dict]:
    keys, rows = tables.keys(QUARANTINE, path), tables.frame(QUARANTINE, [path])
    reasons = [reason.split(", ") for reason in rows["reason"].fillna("")]
    reached = {"any": rows["held"].to_numpy(bool)}
    for name in dict.fromkeys(name for own in rows["criteria"] for name in own):
        reached[name] = np.array([name in own for own in reasons])
    for criterion, hits in reached.items():
        for name, poisoned in NAMES.items():
            own = hits[rows["poisoned"].to_numpy(bool) == poisoned]
            if len(own):
                interval = clopper_pearson(int(own.sum()), len(own))
                yield SECTION.row("screening", keys | {"criterion": criterion}, name, own.mean(), len(own), *interval)
