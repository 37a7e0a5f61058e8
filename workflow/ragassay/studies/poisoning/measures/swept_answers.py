"""Right answers behind RAGuard under other settings, beside the floor and the ceiling of any defence."""

from collections.abc import Iterator

import numpy as np

from ragassay.metrics.panel import Panel
from ragassay.studies.poisoning.attacks.outcomes import ABSTAINED, CORRECT, TARGET
from ragassay.studies.poisoning.measures.detection import SECTION
from ragassay.studies.poisoning.measures.utility import bound_rows


def sweep_rows(answers, given: dict, resamples: int, seed: int) -> Iterator[dict]:
    """`answers` are rows of the table sweep_answers with the keys of their paths; `given`, answers of cells."""
    names = ["dataset", "retriever", "attack", "responder"]
    for (*cell, sweep, at), own in answers.groupby([*names, "sweep", "at"], sort=False):
        keys = dict(zip(names, cell, strict=True)) | {"sweep": sweep, "at": at}
        own, panel = own.set_index("target_id"), Panel(own["target_id"], resamples, seed)
        known, asked = (own["outcome"] != ABSTAINED).to_numpy(), np.ones(len(own), bool)
        for name, wanted in (("oacc", CORRECT), ("target", TARGET)):
            values = np.where(known, own["outcome"] == wanted, np.nan)
            yield SECTION.row("swept_oacc", keys, name, **panel.mean(values, asked).row())
        dataset, retriever, attack, responder = cell
        yield from bound_rows("swept_oacc", keys, given, (dataset, retriever, attack, "", responder), own.index)
