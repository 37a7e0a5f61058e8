"""TrustRAG's first stage, which needs no model: passages in two clusters of their vectors; a cluster whose members
are very alike is removed, and of the others those that share much of their wording.

If no two passages share much wording (ROUGE-L above `rouge`), all stay. `similarity` is the mean cosine from which
a cluster is removed. The published .88 belongs to the published encoder, and means nothing in another; if it is not
set, it is the quantile 1 - alpha of what the denser cluster has among the passages of clean queries. What the
published defence asks models in its later stages is not here.
"""

import math

import numpy as np

from ragassay.models.encoders.embed import unit
from ragassay.studies.poisoning.defences.clusters import mean_similarity, rouge_l, two_means
from ragassay.studies.poisoning.defences.judgement import Criterion, Judgement
from ragassay.studies.poisoning.defences.null import DefenceError, is_rough
from ragassay.text.words import tokens

SETTINGS = {"similarity": None, "rouge": 0.25, "alpha": 0.05, "seed": 0, "poisoned_null": None}
NEEDS = ("vectors",)


def fit(null, settings):
    if settings["similarity"] is not None:
        return {"threshold": settings["similarity"]}
    values = np.array([max(_clusters(rows, settings)[1]) for rows in null.found.values() if len(rows) > 1])
    if len(values) < (least := math.ceil(1 / settings["alpha"])):
        raise DefenceError(
            f"trustrag: found {len(values)} calibration queries, expected at least {least} for alpha"
            f" {settings['alpha']}; add some, raise alpha, or set similarity"
        )
    limit = float(np.quantile(values, 1 - settings["alpha"]))
    return {"threshold": limit, "texts": len(values), "rough": is_rough(len(values), settings["alpha"])}


def judge(passages, settings):
    """The score is how alike the passages of its cluster are."""
    limit, labels, similarities = settings["fitted"]["threshold"], *_clusters(passages, settings)
    words = [tokens(passage["text"].lower()) for passage in passages]
    shared = np.array([[rouge_l(one, other) for other in words] for one in words])
    np.fill_diagonal(shared, 0)
    is_wordy = shared.max() > settings["rouge"]
    result = []
    for at, label in enumerate(labels):
        alike, wording = similarities[label], float(shared[at][labels == label].max())
        dense = is_wordy and alike >= limit
        pruned = is_wordy and not dense and wording > settings["rouge"]
        reason = "dense cluster" if dense else "shared wording" if pruned else None
        criteria = (Criterion("cluster", alike, limit), Criterion("rouge", wording, settings["rouge"]))
        result.append(Judgement(bool(dense or pruned), alike, reason, criteria))
    return result


def _clusters(passages, settings):
    """The cluster of each passage, and the mean cosine in both; that of a single passage is that of none, 0."""
    vectors = np.stack([passage["vector"] for passage in passages])
    spread = vectors.std(axis=0)
    standard = (vectors - vectors.mean(axis=0)) / np.where(spread > 0, spread, 1)
    labels = two_means(unit(standard), settings["seed"])
    return labels, [np.nan_to_num(mean_similarity(vectors[labels == one])).item() for one in (0, 1)]
