"""Settle one label per item from those of annotators and adjudicators, where possible.

A label that all annotators of an item give is gold; where they disagree, the adjudicator decides. An item with too few
annotators, or with an open disagreement, has no gold label.
"""

from collections import Counter, defaultdict

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.people.labelling import ADJUDICATOR, ANNOTATOR
from ragassay.schemas.people import ANNOTATIONS, GOLD


def settle_gold(annotations, gold, annotators_per_item):
    items, counts = defaultdict(list), Counter()
    for row in tables.read(ANNOTATIONS, annotations).to_pylist():
        items[row["item_id"]].append(row)
    with tables.Writer(GOLD, gold) as writer:
        for rows in items.values():
            labels = [row["label"] for row in rows if row["role"] == ANNOTATOR]
            label, how = settled(labels, _decision(rows), annotators_per_item)
            counts[how] += 1
            if label:
                row = {name: rows[0][name] for name in GOLD.schema.names if name in rows[0]}
                writer.add(row | {"label": label, "settled": how, "annotators": len(labels)})
    log.info("%d items: %s", len(items), ", ".join(f"{count} {how}" for how, count in sorted(counts.items())))


def settled(labels: list[str], decision: str | None, needed: int) -> tuple[str | None, str]:
    """The label, if there is one, and how it was settled or what is missing."""
    if len(labels) < needed:
        return None, "incomplete"
    if len(set(labels)) == 1:
        return labels[0], "agreed"
    return decision, "adjudicated" if decision else "open"


def _decision(rows):
    """The last adjudicator's label."""
    decisions = [row for row in rows if row["role"] == ADJUDICATOR]
    moments = {row["person"]: (row["labelled_at"] is not None, row["labelled_at"], row["person"]) for row in decisions}
    return max(decisions, key=lambda row: moments[row["person"]])["label"] if decisions else None


if __name__ == "__main__":
    run(settle_gold, snakemake)
