"""write_numbers: every number of a section, unrounded, a column for each key."""

import csv

from ragassay.base import tables
from ragassay.schemas.report import METRICS, metric
from scripts.report.write_numbers import write_numbers


def test_every_number_is_a_row(tmp_path):
    rows = [
        metric(
            "study", "table_2", {"model": "a, b", "topic": "=SUM(1)"}, "accuracy", 1 / 3, 60, 0.25, 0.5, abstained=2
        ),
        metric("study", "table_3", {"votes": 9}, "agreement", None, 0),
    ]
    tables.write(METRICS, tmp_path / "study.parquet", rows)
    write_numbers([tmp_path / "study.parquet"], [tmp_path / "study.csv"])
    with (tmp_path / "study.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["key model"], first["key topic"], first["key votes"]) == ("a, b", "'=SUM(1)", "")
    assert [float(first[name]) for name in ("value", "low", "high")] == [1 / 3, 0.25, 0.5]
    assert (first["n"], first["abstained"], first["metric"]) == ("60", "2", "accuracy")
    assert (second["key votes"], second["value"], second["n"]) == ("9", "", "0")
