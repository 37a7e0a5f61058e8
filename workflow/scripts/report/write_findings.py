"""Write what the rules of all sections' descriptions find in their metrics: a sentence each, and how certain it is."""

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.report.findings import findings as of_section
from ragassay.report.sections import described
from ragassay.schemas.report import FINDINGS


def write_findings(metrics, sections, findings):
    pairs = zip(sections, metrics, strict=True)
    rows = [row for section, numbers in pairs for row in of_section(described(section), numbers, section)]
    tables.write(FINDINGS, findings, rows)


if __name__ == "__main__":
    run(write_findings, snakemake)
