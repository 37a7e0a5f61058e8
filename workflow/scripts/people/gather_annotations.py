"""Read the labels of people from the log of their clicks: each person's latest label of each item.

Names stay in the log; people are numbered in the order in which they joined. Settles no disagreement.
"""

from datetime import UTC, datetime

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.people.folder import read_state
from ragassay.schemas.people import ANNOTATIONS


def gather_annotations(annotation_items, events, annotations):
    labelling = read_state(annotation_items, events, per_item=1)
    with tables.Writer(ANNOTATIONS, annotations) as writer:
        for person in labelling.people.values():
            for (role, item), vote in person.votes.items():
                row = {
                    name: labelling.items[item][name]
                    for name in ANNOTATIONS.schema.names
                    if name in labelling.items[item]
                }
                row |= {"role": role, "person": f"person-{person.number}", "label": vote.label, "given": vote.given}
                row |= {"comment": vote.comment or None, "seconds": vote.seconds, "labelled_at": _moment(vote.at)}
                writer.add(row)
    log.info("%d labels of %d people", writer.written, len(labelling.people))


def _moment(at):
    return datetime.fromtimestamp(at / 1000, UTC) if at else None


if __name__ == "__main__":
    run(gather_annotations, snakemake)
