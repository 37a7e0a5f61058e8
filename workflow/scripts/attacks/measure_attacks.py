"""Measure what attacks reach before any defence: how much of what is planted is found, and how loud it is."""

import numpy as np

from ragassay import tables
from ragassay.attacks import loudness
from ragassay.metrics.panel import Panel
from ragassay.schemas.metrics import METRICS, Section
from ragassay.schemas.passages import PASSAGES
from ragassay.schemas.poisoned_passages import POISONED_PASSAGES
from ragassay.schemas.retrieved import RETRIEVED
from ragassay.schemas.targets import TARGETS
from ragassay.stage import log, run

SECTION = Section("attacks")


def measure_attacks(targets, poisoned_passages, passages, retrieved, metrics, ks, resamples, seed):
    """`retrieved` are files of all datasets, retrievers and attacks; the others, of all that these name."""
    wanted = tables.frame(TARGETS, targets)
    planted = tables.frame(POISONED_PASSAGES, poisoned_passages)
    found = tables.frame(RETRIEVED, retrieved)
    texts = _texts(passages, set(found.loc[~found["poisoned"], "passage_id"]))
    rows = []
    for (dataset, retriever, attack), own in found.groupby(["dataset", "retriever", "attack"], sort=False):
        keys = {"dataset": dataset, "retriever": retriever, "attack": attack}
        asked = wanted[wanted["dataset"] == dataset].set_index("target_id")
        aimed = planted[(planted["dataset"] == dataset) & (planted["attack"] == attack)]
        rows += SECTION.rows("planted", keys, _planted(asked, aimed), len(aimed))
        if len(aimed):
            rows += _retrieval(keys, asked, aimed, own, ks, resamples, seed)
            rows += _loudness(keys, asked, aimed, own, texts, max(ks), resamples, seed)
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers", len(rows))


def _texts(paths, names):
    """Those passages that some question finds."""
    found = {}
    for path in paths:
        for batch in tables.batches(PASSAGES, path, ["passage_id", "text"]):
            found |= {row["passage_id"]: row["text"] for row in batch.to_pylist() if row["passage_id"] in names}
    return found


def _planted(asked, aimed):
    """How much an attack plants, and what that takes."""
    words = [loudness.length(text) for text in aimed["text"]]
    return {
        "targets": len(asked), "passages": len(aimed), "words": np.mean(words) if words else None,
        "calls": aimed["calls"].sum(), "forwards": aimed["forwards"].sum(),
    }  # fmt: skip


def _retrieval(keys, asked, aimed, own, ks, resamples, seed):
    """Of the first k passages of each question, how many were planted for it (precision), how many of those planted for
    it these are (recall), and whether there is any (reached).
    """
    panel, count = Panel(asked.index, resamples, seed), aimed.groupby("target_id").size().reindex(asked.index)
    for k in ks:
        first = own[own["rank"] <= k]
        hits = first[first["aimed_at"] == first["target_id"]].groupby("target_id").size().reindex(asked.index)
        hits = hits.fillna(0).to_numpy()
        numbers = {
            "precision": hits / k,
            "recall": hits / count.to_numpy(float),
            "f1": 2 * hits / (k + count.to_numpy(float)),
            "reached": hits > 0,
            "poisoned": first[first["poisoned"]].groupby("target_id").size().reindex(asked.index).fillna(0) / k,
        }
        estimates = panel.mean(np.stack([np.asarray(one, float) for one in numbers.values()], axis=1))
        for at, name in enumerate(numbers):
            yield SECTION.row("retrieval", keys | {"k": k}, name, **estimates.row(at))


def _loudness(keys, asked, aimed, own, texts, deepest, resamples, seed):
    """AUROC of what a ruler sees: poisoned passages against clean ones among the first that these questions find."""
    clean = own[~own["poisoned"] & (own["rank"] <= deepest)]
    pairs = [
        (name, texts[passage], False) for name, passage in zip(clean["target_id"], clean["passage_id"], strict=True)
    ]
    pairs += [(name, text, True) for name, text in zip(aimed["target_id"], aimed["text"], strict=True) if name]
    owners, bodies, poisoned = zip(*pairs, strict=True)
    scores = np.array(
        [
            (-loudness.length(text), loudness.question_words(asked["question"][name], text))
            for name, text in zip(owners, bodies, strict=True)
        ],
        float,
    )
    areas = Panel(owners, resamples, seed).auroc(scores, np.array(poisoned))
    for at, name in enumerate(("shorter", "question_words")):
        yield SECTION.row("loudness", keys, name, **areas.row(at))


if __name__ == "__main__":
    run(measure_attacks, snakemake)
