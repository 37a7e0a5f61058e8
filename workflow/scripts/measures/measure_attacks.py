"""Measure what attacks reach before any defence: how much of what is planted is found, and how loud it is.

An attack succeeds where the answer that it wants is given and the right one is not, or where the model declines or errs
and answered right without poison. Only what was retrieved can succeed.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.grading.outcomes import ABSTAINED, TARGET_OUTCOMES
from ragassay.metrics.panel import Panel
from ragassay.schemas.attacks import ANSWERS, POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.report import METRICS, Section
from ragassay.studies.poisoning.attacks import loudness
from ragassay.studies.poisoning.attacks.attack import tried as tried_of
from ragassay.studies.poisoning.attacks.attacked_corpus import texts_of
from ragassay.studies.poisoning.attacks.loudness import WordPairs
from ragassay.studies.poisoning.measures.success import competition, success

RULERS = ("shorter", "question_words", "content_words", "unusual_pairs")
SECTION = Section("attacks")


def measure_attacks(
    targets, poisoned_passages, passages, retrieved, answers, metrics, k, ks, texts, wants, resamples, seed, tried=None,
):  # fmt: skip
    """`retrieved` and `answers` are files of all datasets, retrievers and attacks; the others, of what these name.
    `tried` has the attacks that are tried on some targets only.
    """
    tried, wanted = tried or {}, tables.frame(TARGETS, targets)
    planted = tables.frame(POISONED_PASSAGES, poisoned_passages)
    retrievals = tables.frame(RETRIEVED, retrieved)
    first = retrievals.loc[~retrievals["poisoned"] & (retrievals["rank"] <= max(ks)), "passage_id"]
    clean_texts = texts_of(first, passages)
    named = {*clean_texts, *planted["made_from"].dropna()}
    word_pairs, rows = WordPairs([*clean_texts.values(), *planted["text"]], named, passages), []
    for (dataset, retriever, attack), of_cell in retrievals.groupby(["dataset", "retriever", "attack"], sort=False):
        keys = {"dataset": dataset, "retriever": retriever, "attack": attack}
        asked = wanted[wanted["dataset"] == dataset].set_index("target_id")
        asked = _of_tried(asked, tried, attack)
        aimed = planted[(planted["dataset"] == dataset) & (planted["attack"] == attack)]
        of_cell = of_cell[of_cell["target_id"].isin(asked.index)]
        rows += SECTION.rows("planted", keys, planted_numbers(asked, aimed), len(aimed))
        rows += method_rows(keys, aimed)
        if len(aimed):
            rows += retrieval_rows(keys, asked, aimed, of_cell, ks, resamples, seed)
            rows += sweep_rows(keys, asked, aimed, of_cell, k, texts, resamples, seed)
            rows += loudness_rows(keys, asked, aimed, of_cell, clean_texts, word_pairs, max(ks), resamples, seed)
    given = tables.frame(ANSWERS, answers)
    rows += _outcomes(given, wants, tried, resamples, seed)
    rows += competition_rows(given, wanted, planted, k, resamples, seed)
    tables.write(METRICS, metrics, rows)
    log.info("%d numbers", len(rows))


def _of_tried(rows, tried, attack):
    """The rows, by target, of those targets that the attack is tried on."""
    return rows[rows.index.isin(tried_of(rows.index, **tried.get(attack, {})))]


def _outcomes(given, wants, tried, resamples, seed):
    """What was answered, cell by cell; `wants` says what each attack wants, and no attack wants nothing."""
    names = ["dataset", "retriever", "attack", "defence", "responder"]
    cells = {
        cell: _of_tried(own.set_index("target_id"), tried, cell[2]) for cell, own in given.groupby(names, sort=False)
    }
    unpoisoned = {cell: own for cell, own in cells.items() if not wants[cell[2]]}
    for cell, own in cells.items():
        clean = next((other for key, other in unpoisoned.items() if key[:2] + key[3:] == cell[:2] + cell[3:]), None)
        keys = dict(zip(names, cell, strict=True))
        yield from outcome_rows(keys, own, clean, wants[cell[2]], resamples, seed)


def planted_numbers(asked, aimed):
    """How much an attack plants, and what that takes."""
    words = [loudness.length(text) for text in aimed["text"]]
    return {
        "targets": len(asked), "passages": len(aimed), "words": np.mean(words) if words else None,
        "calls": aimed["calls"].sum(), "forwards": aimed["forwards"].sum(),
    }  # fmt: skip


def competition_rows(given, targets, planted, k, resamples, seed) -> Iterator[dict]:
    """Who wins where attackers want different answers."""
    names = ["dataset", "retriever", "attack", "defence", "responder"]
    rivals = dict(list(planted[planted["method"].notna()].groupby(["dataset", "attack"])))
    for cell, answers in given[given["outcome"] != ABSTAINED].groupby(names, sort=False):
        aimed = rivals.get((cell[0], cell[2]))
        if aimed is None or aimed["wants"].isna().all():
            continue
        asked = targets[targets["dataset"] == cell[0]].set_index("target_id")
        for attacker, rows in competition(answers.set_index("target_id"), asked, aimed, k).items():
            keys = dict(zip(names, cell, strict=True)) | {"attacker": attacker}
            panel = Panel(rows.index, resamples, seed)
            yield from SECTION.estimates("competition", keys, rows, panel.mean(rows.to_numpy()))


def method_rows(keys, aimed) -> Iterator[dict]:
    """The share of texts that each method made, where an attack chooses or attackers compete."""
    for method, share in aimed["method"].value_counts(normalize=True, sort=False).items():
        yield from SECTION.rows("methods", keys | {"method": method}, {"share": share}, int(aimed["method"].count()))


def retrieval_rows(keys, asked, aimed, retrieved, ks, resamples, seed) -> Iterator[dict]:
    """What the first k passages of each question hold, for several k."""
    panel = Panel(asked.index, resamples, seed)
    for k in ks:
        numbers = found_numbers(asked, aimed, retrieved, k)
        yield from SECTION.estimates("retrieval", keys | {"k": k}, numbers, panel.mean(numbers.to_numpy(float)))


def sweep_rows(keys, asked, aimed, retrieved, k, numbers, resamples, seed) -> Iterator[dict]:
    """The same for attackers who plant fewer texts for each question, as far as so many were planted.

    Nothing is searched again: what is left of a ranking without the other texts is what a search without them finds. By
    BM25 that holds nearly, since each text changes how rare a word is.
    """
    panel, most = Panel(asked.index, resamples, seed), int(aimed["number"].max())
    for count in sorted({most, *(number for number in numbers if number < most)}):
        fewer = aimed[aimed["number"] <= count]
        left = retrieved[~retrieved["poisoned"] | retrieved["passage_id"].isin(fewer["passage_id"])].sort_values(
            ["target_id", "rank"]
        )
        left = left.assign(rank=left.groupby("target_id").cumcount() + 1)
        reached = found_numbers(asked, fewer, left, k)
        yield from SECTION.estimates("texts", keys | {"texts": count}, reached, panel.mean(reached.to_numpy(float)))


def found_numbers(asked, aimed, retrieved, k) -> pd.DataFrame:
    """For each target, of the first k passages: how many were planted for it (precision), how many of those planted for
    it these are (recall), both in one (F1), whether there is any (reached), and how many were planted for anybody.
    What is aimed at no target is planted for all.
    """
    first = retrieved[retrieved["rank"] <= k]

    def count(rows):
        return rows.groupby("target_id").size().reindex(asked.index)

    is_shared = first["poisoned"] & first["aimed_at"].isna()
    hits = count(first[(first["aimed_at"] == first["target_id"]) | is_shared]).fillna(0)
    planted, shared = count(aimed), aimed["target_id"].isna().sum()
    if shared:
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


def loudness_rows(
    keys, asked, aimed, retrieved, texts, word_pairs: WordPairs, deepest, resamples, seed
) -> Iterator[dict]:
    """AUROC of what rulers see: poisoned passages against clean ones among the first that these questions find."""
    clean = retrieved[~retrieved["poisoned"] & (retrieved["rank"] <= deepest)]
    pairs = zip(clean["target_id"], clean["passage_id"], strict=True)
    seen = [(name, texts[passage], passage) for name, passage in pairs]
    planted = aimed[aimed["target_id"].isin(asked.index)]
    shared = aimed[aimed["target_id"].isna()].drop(columns="target_id").merge(retrieved[["target_id", "passage_id"]])
    for rows in (planted, shared):  # what is aimed at no target, by those that find it
        seen += list(zip(rows["target_id"], rows["text"], rows["made_from"], strict=True))
    if len(seen) == len(clean):
        return
    scores = [
        (
            -loudness.length(text),
            loudness.question_words(asked["question"][name], text),
            loudness.content_words(asked["question"][name], text),
            word_pairs.unusual(text, passage),
        )
        for name, text, passage in seen
    ]
    poisoned = np.arange(len(seen)) >= len(clean)
    areas = Panel([name for name, _, _ in seen], resamples, seed).auroc(np.array(scores, float), poisoned)
    yield from SECTION.estimates("loudness", keys, RULERS, areas)


def outcome_rows(keys: dict, answers, clean, wants: str | None, resamples: int, seed: int) -> Iterator[dict]:
    """`answers` are those of a cell and `clean` those of the same cell without attack, None if nobody asked; both are
    frames by target. `wants` is None for no attack.
    """
    panel, given = Panel(answers.index, resamples, seed), answers["outcome"].to_numpy()
    answered, everybody = given != ABSTAINED, np.ones(len(answers), bool)
    shares = {"outcomes": {name: (given == name, everybody) for name in TARGET_OUTCOMES if name != ABSTAINED}}
    if wants:
        shares["success"] = success(answers, clean, wants)
    for table, of_table in shares.items():
        values = [np.where(answered & asked, reached, np.nan) for reached, asked in of_table.values()]
        asked = np.stack([asked for _, asked in of_table.values()], axis=1)
        yield from SECTION.estimates(table, keys, of_table, panel.mean(np.stack(values, axis=1), asked))


if __name__ == "__main__":
    run(measure_attacks, snakemake)
