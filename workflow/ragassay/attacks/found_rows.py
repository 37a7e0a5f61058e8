"""What an attack plants, how much of that questions find, and how loud it is, as rows of the table metrics. All
arguments are frames of one dataset, retriever and attack: targets by id, what is aimed at them, and what their
questions find.
"""

import numpy as np

from ragassay.attacks import loudness
from ragassay.metrics.panel import Panel
from ragassay.schemas.metrics import Section

SECTION = Section("attacks")


def planted_numbers(asked, aimed):
    """How much an attack plants, and what that takes."""
    words = [loudness.length(text) for text in aimed["text"]]
    return {
        "targets": len(asked), "passages": len(aimed), "words": np.mean(words) if words else None,
        "calls": aimed["calls"].sum(), "forwards": aimed["forwards"].sum(),
    }  # fmt: skip


def retrieval_rows(keys, asked, aimed, own, ks, resamples, seed):
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


def loudness_rows(keys, asked, aimed, own, texts, deepest, resamples, seed):
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
