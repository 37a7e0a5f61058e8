"""A defence looks at the first passages of each question and removes those that it judges to be poisoned. It reads
scores that are stored: nothing is asked of a model here.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.attacks import RETRIEVED
from ragassay.schemas.defences import FILTERED
from ragassay.studies.poisoning.defences import guard_card
from ragassay.studies.poisoning.defences.defence import kind_of
from ragassay.studies.poisoning.defences.evidence import Evidence
from ragassay.studies.poisoning.defences.thresholds import fold_of


def filter_retrieved(
    targets, retrieved, passages, poisoned_passages, passage_scores, guard, filtered,
    kind, own, k, depth, retriever, scorer, encoder, embeddings,
):  # fmt: skip
    """The first `depth` passages of each question are looked at, and the first k that are left are answered from. In
    `guard` is the file of a defence that was fitted.
    """
    card = guard_card.read(guard[0]) if guard else None
    most = depth * 2 ** own.get("doublings", 0)
    evidence = Evidence(targets, [passages], [poisoned_passages], passage_scores, encoder or None, embeddings)
    if card:
        guard_card.check(guard[0], card, kind=kind, settings=own, retriever=retriever, scorer=scorer)
        guard_card.check_identity(guard[0], f"scorer {scorer}", evidence.scored_by, card["scored_by"])
    found = evidence.by_target(row for row in tables.read(RETRIEVED, retrieved).to_pylist() if row["rank"] <= most)
    count = removed = 0
    with tables.Writer(FILTERED, filtered) as writer:
        for name, rows in found.items():
            fold = fold_of(evidence.questions[name])
            defence = guard_card.defence_of(card, fold) if card else kind_of(kind)(own)
            for row in defence.filtered(rows, k, depth):
                count, removed = count + 1, removed + row["removed"]
                writer.add(row)
    log.info("%d of %d passages removed", removed, count)


if __name__ == "__main__":
    run(filter_retrieved, snakemake)
