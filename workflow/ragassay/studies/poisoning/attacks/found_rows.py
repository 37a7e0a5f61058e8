"""What an attack plants, how much of that questions find, and how loud it is, as rows of the table metrics. All
arguments are frames of one dataset, retriever and attack: targets by id, what is aimed at them, and what their
questions find.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ragassay.metrics.panel import Panel
from ragassay.schemas.report import Section
from ragassay.studies.poisoning.attacks import loudness
from ragassay.studies.poisoning.attacks.word_pairs import WordPairs

SECTION = Section("attacks")
RULERS = ("shorter", "question_words", "content_words", "unusual_pairs")


def planted_numbers(asked, aimed):
    """How much an attack plants, and what that takes."""
    words = [loudness.length(text) for text in aimed["text"]]
    return {
        "targets": len(asked), "passages": len(aimed), "words": np.mean(words) if words else None,
        "calls": aimed["calls"].sum(), "forwards": aimed["forwards"].sum(),
    }  # fmt: skip


def retrieval_rows(keys, asked, aimed, own, ks, resamples, seed) -> Iterator[dict]:
    """What the first k passages of each question hold, for several k."""
    panel = Panel(asked.index, resamples, seed)
    for k in ks:
        yield from _rows(panel, "retrieval", keys | {"k": k}, found_numbers(asked, aimed, own, k))


def sweep_rows(keys, asked, aimed, own, k, numbers, resamples, seed) -> Iterator[dict]:
    """The same for attackers who plant fewer texts for each question, as far as so many were planted.

    Nothing is searched again: what is left of a ranking without the other texts is what a search without them finds. By
    BM25 that holds nearly, since each text changes how rare a word is.
    """
    panel, most = Panel(asked.index, resamples, seed), int(aimed["number"].max())
    for count in sorted({most, *(number for number in numbers if number < most)}):
        fewer = aimed[aimed["number"] <= count]
        left = own[~own["poisoned"] | own["passage_id"].isin(fewer["passage_id"])].sort_values(["target_id", "rank"])
        left = left.assign(rank=left.groupby("target_id").cumcount() + 1)
        yield from _rows(panel, "texts", keys | {"texts": count}, found_numbers(asked, fewer, left, k))


def found_numbers(asked, aimed, own, k) -> pd.DataFrame:
    """For each target, of the first k passages: how many were planted for it (precision), how many of those planted for
    it these are (recall), both in one (F1), whether there is any (reached), and how many were planted for anybody.
    What is aimed at no target is planted for all.
    """
    first = own[own["rank"] <= k]

    def count(rows):
        return rows.groupby("target_id").size().reindex(asked.index)

    is_shared = first["poisoned"] & first["aimed_at"].isna()
    hits, planted = count(first[(first["aimed_at"] == first["target_id"]) | is_shared]).fillna(0), count(aimed)
    if shared := aimed["target_id"].isna().sum():
        planted = planted.fillna(0) + shared
    return pd.DataFrame(
        {
            "precision": hits / k,
            "recall": hits / planted,
            "f1": 2 * hits / (k + planted),
            "reached": (hits > 0).astype(float),
            "poisoned": count(first[first["poisoned"]]).fillna(0) / k,
        }
    )


def _rows(panel, table, keys, numbers):
    estimates = panel.mean(numbers.to_numpy(float))
    for at, name in enumerate(numbers):
        yield SECTION.row(table, keys, name, **estimates.row(at))


def loudness_rows(keys, asked, aimed, own, texts, word_pairs: WordPairs, deepest, resamples, seed) -> Iterator[dict]:
    """AUROC of what rulers see: poisoned passages against clean ones among the first that these questions find."""
    clean = own[~own["poisoned"] & (own["rank"] <= deepest)]
    found = [
        (name, texts[passage], passage) for name, passage in zip(clean["target_id"], clean["passage_id"], strict=True)
    ]
    planted = aimed[aimed["target_id"].isin(asked.index)]
    shared = aimed[aimed["target_id"].isna()].drop(columns="target_id").merge(own[["target_id", "passage_id"]])
    for rows in (planted, shared):  # what is aimed at no target, by those that find it
        found += list(zip(rows["target_id"], rows["text"], rows["made_from"], strict=True))
    if len(found) == len(clean):
        return
    scores = [
        (
            -loudness.length(text),
            loudness.question_words(asked["question"][name], text),
            loudness.content_words(asked["question"][name], text),
            word_pairs.unusual(text, passage),
        )
        for name, text, passage in found
    ]
    poisoned = np.arange(len(found)) >= len(clean)
    areas = Panel([name for name, _, _ in found], resamples, seed).auroc(np.array(scores, float), poisoned)
    for at, name in enumerate(RULERS):
        yield SECTION.row("loudness", keys, name, **areas.row(at))
