"""Turn the votes on each question into a label: the majority of the verdicts. Asks no model, so that another tie rule
or threshold costs nothing.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.scope_questions import SCOPE_LABELS, SCOPE_VOTES
from ragassay.studies.scope.votes import counts_of, label, labelled


def label_scope(scope_votes, scope_labels, least_share):
    votes = tables.read(SCOPE_VOTES, scope_votes).to_pylist()
    rows = labelled(votes, label, SCOPE_LABELS.schema.names, least_share)
    tables.write(SCOPE_LABELS, scope_labels, rows)
    log.info("%d questions: %s", len(rows), counts_of(rows))


if __name__ == "__main__":
    run(label_scope, snakemake)
