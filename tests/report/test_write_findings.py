"""write_findings: the findings of all sections in one table."""

from ragassay.base import tables
from ragassay.schemas.report import FINDINGS
from scripts.report.write_findings import write_findings


def test_findings_are_a_table_with_what_they_rest_on(study, tmp_path):
    write_findings(study["metrics"], study["sections"], tmp_path / "findings.parquet")
    rows = tables.read(FINDINGS, tmp_path / "findings.parquet").to_pylist()
    assert [[row[name] for name in ("section", "finding", "verdict", "value", "against")] for row in rows] == [
        [section, *finding]
        for section in ("one", "two")
        for finding in (("gone", "missing", None, None), ("long", "higher", 1234, 100))
    ]
