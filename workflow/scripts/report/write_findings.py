"""Write what the rules of a section's description find in its metrics: a sentence each, and how certain it is."""

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.report.findings import findings as by_rules
from ragassay.report.sections import described
from ragassay.schemas.report import FINDINGS


def write_findings(metrics, section, findings):
    tables.write(FINDINGS, findings, by_rules(described(section), metrics, section))


if __name__ == "__main__":
    run(write_findings, snakemake)
