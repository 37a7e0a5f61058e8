"""Fit probes everywhere but in one place and test them there: a data set, a retriever, an attack, a responder or a kind
of question. Beside them stand probes that were fitted on all, this one included, and the control.

Tested are, fold by fold, documents that no probe was fitted on, wherever it was.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.probes import PROBE_TRANSFERS
from ragassay.studies.poisoning.probes.folds import CONTROL, FIRST_TOKEN, Contestant, Given, control, problem, scored
from ragassay.studies.poisoning.probes.reading import Collection
from ragassay.studies.poisoning.probes.rows import Rows
from ragassay.studies.poisoning.probes.samples import Joined, Layers, ProbeError, Stored

OTHERS, ALL = "others", "all"
SAMPLE = ("target_id", "condition", "side", "cluster", "label")


def transfer_probes(
    prompt_pairs, prompt_answers, activations, collection, probe_transfers,
    cells, across, places, probe, entry, conditions, fpr, embeddings,
):  # fmt: skip
    """`cells` are dictionaries in the order of the files, `entry` is the probe's. Without `places` all that occur are
    compared.
    """
    files = zip(cells, prompt_pairs, prompt_answers, activations, strict=True)
    rows = [(cell, Rows(*paths)) for cell, *paths in files]
    layers, where = entry.pop("layers"), (entry.pop("site"), entry.pop("position"))
    read = map(Collection.load, collection)
    stores = []
    for states, (_, cell_rows) in zip(read, rows, strict=True):
        reading = states.reading(*where)
        stored, places = Stored(states, embeddings, cell_rows.keys, reading), reading.places(layers)
        stores.append(stored if places is None else Layers(stored, places))
    features = Joined(stores, [cell["responder"] for cell in cells])
    samples = [cell | cell_rows.row(number) for cell, cell_rows in rows for number in range(len(cell_rows.keys))]
    of = np.array([sample[across] or "" for sample in samples])
    labels, clusters = (np.array([sample[name] for sample in samples]) for name in ("label", "cluster"))
    condition_of = np.array([sample["condition"] for sample in samples])
    rulers, surprises = (
        np.concatenate([getattr(cell_rows, name) for _, cell_rows in rows]) for name in ("rulers", "surprises")
    )
    beside = [control(CONTROL, rulers), Given(FIRST_TOKEN, "", {}, surprises, [0])]
    contestants = [Contestant(probe, features=features, **entry), *beside]
    problems = []
    with tables.Writer(PROBE_TRANSFERS, probe_transfers) as kept:
        for condition in conditions:
            wanted = places or sorted(set(of) - {""})
            inside = (condition_of == condition) & np.isin(of, wanted)
            for place in wanted:
                here = inside & (of == place)
                for fitted_on, chosen in ((OTHERS, inside & ~here), (ALL, inside)):
                    if wrong := problem(labels, clusters, chosen):
                        problems.append(f"{condition}, {place} from {fitted_on}: {wrong}")
                        continue
                    for contestant in contestants:
                        try:
                            for part in scored(contestant, labels, clusters, chosen, here, fpr):
                                _write(kept, samples, part, place, fitted_on, contestant.name)
                        except ProbeError as error:
                            problems.append(f"{condition}, {place} from {fitted_on}: {error}")
    for line in problems:
        log.info("no probe: %s", line)
    log.info("%d answers of %d cells", len(samples), len(cells))


def _write(kept, samples, part, place, fitted_on, probe):
    columns = {"tested_on": place, "fitted_on": fitted_on, "probe": probe}
    keys = ("dataset", "retriever", "attack", "responder", *SAMPLE)
    for number, score in zip(part.rows.tolist(), part.scores.tolist(), strict=True):
        flagged = None if part.threshold is None else score > part.threshold
        kept.add({name: samples[number][name] for name in keys} | columns | {"score": score, "flagged": flagged})


if __name__ == "__main__":
    run(transfer_probes, snakemake)
