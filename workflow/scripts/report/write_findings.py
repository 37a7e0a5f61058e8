"""Write what the rules of all sections' descriptions find in their metrics: a sentence each, and how certain it is."""

from pathlib import Path

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.report import index_notes
from ragassay.report.findings import findings as of_section
from ragassay.report.sections import described
from ragassay.schemas.report import FINDINGS


def write_findings(metrics, sections, index_recall, findings, recalls):
    """`recalls` are those files of `index_recall` that the numbers of each section rest on."""
    indexes = index_notes.by_section(recalls, index_recall)
    rows = [
        row
        for section, numbers in zip(sections, metrics, strict=True)
        for row in of_section(described(section), numbers, section, indexes.get(Path(section).stem))
    ]
    tables.write(FINDINGS, findings, rows)


if __name__ == "__main__":
    run(write_findings, snakemake)
