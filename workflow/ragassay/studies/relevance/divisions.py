"""Held-out queries of several divisions of a corpus, since one alone decides by chance: each holds half of the
documents out by masking what queries found there, without a search. Units come from a third of the queries that are
left, which are not counted."""

from collections.abc import Iterator

import numpy as np

from ragassay.base.stage import log
from ragassay.metrics.panel import Estimates, Panel
from ragassay.metrics.sums import number
from ragassay.studies.relevance import methods
from ragassay.studies.relevance.paper_tables import SECTION, WORDS
from ragassay.studies.relevance.searched_queries import HELD_OUT, SearchedQueries, fits, fractions, still_near
from ragassay.studies.relevance.statistics import Setting
from ragassay.studies.relevance.study_set import StudySet
from ragassay.studies.relevance.trials import Pair

DIVISIONS, HALF = 5, 0.5
WRONG = 0.2  # of held-out queries as near as in-knowledge ones, above which a warning says so
MANY = 0.05  # of queries without enough neighbours, from which a warning says so


def divisions(study_set: StudySet, texts: dict, setting: Setting | None, resamples: int, seed: int) -> Iterator[dict]:
    """The AUROC of each method: its mean with an interval, its spread over divisions, the lowest, and how much it is
    above that of MSS. A query of which fewer than k neighbours are left in some division counts in none.
    """
    options, asked = study_set.options, study_set.known
    asked = asked.part(np.array([bool(documents) for documents in asked.documents], bool))
    halves = [_half(asked, division) for division in range(DIVISIONS)]
    deep = np.logical_and.reduce([asked.reaches(options.k, name, halves) for name in options.searching])
    if np.sum(~deep) > MANY * len(deep):
        log.warning(
            "set %s: the five divisions lack %d of %d queries, of which fewer than relevance.k = %d neighbours are left"
            " in one of them; set a higher retrieval.neighbours",
            study_set.name, np.sum(~deep), len(deep), options.k,
        )  # fmt: skip
    asked, by_method = asked.part(deep), {}
    for half in halves:
        is_out = np.array([np.isin(documents, half).all() for documents in asked.documents], bool)
        pair = Pair(asked.without(half, ~is_out), asked.without(half, is_out))
        tested = ~fits(pair.keys)
        if not pair.fitting.any() or len(np.unique(pair.positive[tested])) < 2:
            continue
        small_enough = setting if setting and setting.k <= options.k else None
        scores = methods.statistics(pair, options, small_enough) | {WORDS: methods.words_alone(pair, texts)}
        panel = Panel(pair.keys, resamples, seed)  # the same documents in all divisions, and so the same draws
        areas = panel.auroc(np.column_stack([*scores.values()]), pair.positive, tested)
        for at, name in enumerate(scores):
            by_method.setdefault(name, []).append(Estimates(*(array[..., [at]] for array in areas)))
    for name, areas in by_method.items():
        keys = {"corpus": study_set.name, "kind": HELD_OUT, "method": name}
        yield SECTION.row("divisions", keys, "auroc", **_mean(areas))
        if name != methods.MSS:
            pairs = zip(areas, by_method[methods.MSS], strict=True)
            above = [area.minus(of_mss)._replace(counts=area.counts) for area, of_mss in pairs]
            yield SECTION.row("divisions", keys, "auroc_above", **_mean(above))
        values = np.concatenate([area.values for area in areas])
        spread = number(values.std(ddof=1)) if len(values) > 1 else None
        yield SECTION.row("divisions", keys, "spread", spread, len(values))
        yield SECTION.row("divisions", keys, "lowest", number(values.min()), len(values))


def still_answered(study_set: StudySet, resamples: int, seed: int) -> Iterator[dict]:
    """The share of held-out queries that have a passage as near as half of the in-knowledge queries have."""
    held_out = study_set.held_out
    if not len(held_out.ids) or not len(study_set.remaining.ids):
        return
    near = still_near(study_set.remaining, held_out, study_set.options.retriever)
    row = Panel(held_out.keys, resamples, seed).mean(near.astype(float)).row()
    yield SECTION.row("still_answered", {"corpus": study_set.name, "queries": held_out.name}, "share", **row)
    log.info("set %s: %d of %d held-out queries seem to be answered", study_set.name, near.sum(), len(near))
    if row["value"] > WRONG:
        log.warning(
            "set %s: found that %.0f %% of %d held-out queries have a passage as near as in-knowledge ones, expected at"
            " most %.0f %%: other documents may answer them; name all that do (relevant), and read the examples in the"
            " report",
            study_set.name, 100 * row["value"], len(near), 100 * WRONG,
        )  # fmt: skip


def _half(asked: SearchedQueries, division: int) -> np.ndarray:
    """The clusters of documents that a division holds out."""
    clusters = np.unique(asked.corpus.clusters)
    names = [asked.corpus.names[cluster] for cluster in clusters]
    return clusters[fractions(f"division {division}", names) < HALF]


def _mean(areas: list[Estimates]) -> dict:
    """Over divisions; of the counts, those of the first."""
    values, drawn = (np.mean([getattr(one, name) for one in areas], axis=0) for name in ("values", "drawn"))
    return areas[0]._replace(values=values, drawn=drawn).row()
