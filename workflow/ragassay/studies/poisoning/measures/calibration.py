"""Whether defences remove as much clean text as alpha promises, criterion by criterion and all together. Queries
that are counted here gave no threshold that judged them.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.metrics.resampling import clopper_pearson
from ragassay.studies.poisoning.defences.null import ALL
from ragassay.studies.poisoning.measures.detection import SECTION


def null_rows(keys: dict, rows, card: dict | None) -> Iterator[dict]:
    """Where nothing is planted, and for fitted defences; intervals are exact ones, as if passages were independent. All
    criteria together are promised to remove at most the sum of what each removes.
    """
    alpha = (card or {}).get("settings", {}).get("alpha")
    if alpha is None or rows["poison"].any() or rows["stray"].any() or not len(rows):
        return
    reached = {}
    for names, scores, limits in zip(rows["criteria"], rows["criterion_scores"], rows["thresholds"], strict=True):
        for name, score, limit in zip(names, scores, limits, strict=True):
            reached.setdefault(name, []).append(score >= limit)
    for name, hits in [*reached.items(), ("any", rows["removed"].tolist())]:
        low, high = clopper_pearson(int(np.sum(hits)), len(hits))
        own = keys | {"criterion": name}
        yield SECTION.row("calibration", own, "removed", float(np.mean(hits)), len(hits), low, high)
        yield SECTION.row("calibration", own, "alpha", alpha, len(hits))
        promised = alpha if name != "any" else min(1, alpha * len(reached))
        yield SECTION.row("calibration", own, "promised", promised, len(hits))
        kept = low <= promised and (name == "any" or promised <= high)
        yield SECTION.row("calibration", own, "within", float(kept), len(hits))


def size_rows(keys: dict, card: dict) -> Iterator[dict]:
    """The clean texts behind the threshold of a fitted defence that has the fewest, whatever it is tried on."""
    nulls = _nulls(card["fitted"][ALL])
    if nulls:
        about = {"null_texts": min(one["texts"] for one in nulls), "rough": float(any(one["rough"] for one in nulls))}
        yield from SECTION.rows("nulls", keys, about, card["queries"])


def _nulls(fitted):
    """What stands beside each threshold; the links of a chain have their own."""
    if "rough" in fitted:
        return [fitted]
    return [one for part in (*fitted.get("criteria", {}).values(), *fitted.get("links", [])) for one in _nulls(part)]
