"""Make targets from the facts of a corpus by rules, for what has to learn from many. Asks no model."""

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.base.tally import Tally
from ragassay.schemas.corpora import PASSAGES
from ragassay.studies.poisoning.targets.fact_targets import fact_targets
from ragassay.studies.poisoning.targets.target_tables import TargetTables

REMEDY = "These rules need plain English prose; take another corpus"


def make_targets(passages, targets, rejects, dataset, count, texts, most_rejected, trigger=None):
    rows = tables.read(PASSAGES, passages, ["passage_id", "document_id", "text"]).to_pylist()
    tally = Tally(str(passages), "targets and texts", most_rejected, REMEDY)
    with TargetTables("make_targets", dataset, targets, rejects, tally, trigger) as made:
        left = count
        for row, problems in fact_targets(rows, texts):
            if left == 0:
                break
            made.take(row, problems)
            left -= row is not None
        tally.check()
    made.tell()


if __name__ == "__main__":
    run(make_targets, snakemake)
