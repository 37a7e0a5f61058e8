"""Measure what attacks reach before any defence: how much of what is planted is found, and how loud it is."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.attacks import ANSWERS, POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.report import METRICS, Section
from ragassay.studies.poisoning.attacks.attacked_corpus import texts_of
from ragassay.studies.poisoning.attacks.loudness import WordPairs
from ragassay.studies.poisoning.attacks.questions import tried as tried_of
from ragassay.studies.poisoning.measures.reach import (
    loudness_rows,
    outcome_rows,
    planted_numbers,
    retrieval_rows,
    sweep_rows,
)

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
        if len(aimed):
            rows += retrieval_rows(keys, asked, aimed, of_cell, ks, resamples, seed)
            rows += sweep_rows(keys, asked, aimed, of_cell, k, texts, resamples, seed)
            rows += loudness_rows(keys, asked, aimed, of_cell, clean_texts, word_pairs, max(ks), resamples, seed)
    rows += _outcomes(tables.frame(ANSWERS, answers), wants, tried, resamples, seed)
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


if __name__ == "__main__":
    run(measure_attacks, snakemake)
