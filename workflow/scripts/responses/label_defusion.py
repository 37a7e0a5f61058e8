"""Turn the votes on each response into a label: the majority of the verdicts. Asks no model, so that another tie rule
or threshold costs nothing.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.scope_answers import DEFUSION_LABELS, DEFUSION_VOTES
from ragassay.studies.scope.votes import counts_of, defusion_label, labelled


def label_defusion(defusion_votes, defusion_labels, least_share):
    votes = tables.read(DEFUSION_VOTES, defusion_votes).to_pylist()
    rows = labelled(votes, defusion_label, DEFUSION_LABELS.schema.names, least_share)
    tables.write(DEFUSION_LABELS, defusion_labels, rows)
    log.info("%d responses: %s", len(rows), counts_of(rows))


if __name__ == "__main__":
    run(label_defusion, snakemake)
