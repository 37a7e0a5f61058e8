"""draw_figures: each described figure as picture, specification and data; every number as a row; nothing of nothing."""

import csv
import json

import pytest

from ragassay.base import tables
from ragassay.report.figures import KINDS
from ragassay.schemas.report import METRICS, metric
from scripts.report.draw_figures import draw_figures

ENDINGS = ("csv", "pdf", "png", "svg", "vl.json")


def draw(folder, rows, description):
    tables.write(METRICS, folder / "study.parquet", rows)
    (folder / "study.yaml").write_text(description)
    draw_figures(folder / "study.parquet", folder / "study.yaml", folder / "figures", folder / "study.csv")
    return {path.name: path for path in (folder / "figures").iterdir()}


def rows_of(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def test_each_figure_becomes_files_with_the_numbers_of_its_table(tmp_path, description):
    values = {"10-19": 1 / 3, "20-29": 20.0, "100-109": 100.0}
    rows = [metric("study", "lengths", {"words": bin}, "documents", value, 60) for bin, value in values.items()]
    files = draw(tmp_path, rows, description)
    assert sorted(files) == [f"lengths.{ending}" for ending in ENDINGS]
    data = rows_of(files["lengths.csv"])
    assert {row["label"]: float(row["value"]) for row in data} == values and data[0]["n"] == "60"
    specification = json.loads(files["lengths.vl.json"].read_text())
    assert {row["label"]: row["value"] for row in specification["data"]["values"]} == values
    assert "<title>100-109: 100</title>" in files["lengths.svg"].read_text()


def test_a_number_that_is_not_defined_is_data_without_a_mark(tmp_path, description):
    values = {"10-19": 1.0, "20-29": None}
    rows = [metric("study", "lengths", {"words": bin}, "documents", value, 6) for bin, value in values.items()]
    files = draw(tmp_path, rows, description)
    assert [row["value"] for row in rows_of(files["lengths.csv"])] == ["1.0", ""]
    picture = files["lengths.svg"].read_text()
    assert "10-19: 1" in picture and ">20-29<" in picture and "20-29: " not in picture


def test_every_kind_of_figure_can_be_described(tmp_path):
    keys = {"model": "a", "topic": "x", "at": "1"}
    kinds = {
        "bars": "label: model, metric: right, y: Y",
        "dots": "label: [model], by: topic, metric: right",
        "heat": "label: [model], by: topic, metric: right, shown: items",
        "histogram": "at: at, metric: right, y: Y, line: 1",
        "lines": "label: [model], at: at, metric: right, y: Y",
        "roc": "label: [model], at: place, metric: right, y: Y",
        "scatter": "label: [model], at: place, metric: right, y: Y, diagonal: true",
    }
    parts = [f"  - {{kind: {kind}, table: {kind}, title: T, caption: C, x: X, {own}}}" for kind, own in kinds.items()]
    numbers = {"right": 0.5, "items": 30, "place": 0.25}
    rows = [metric("study", kind, keys, name, value, 60) for kind in kinds for name, value in numbers.items()]
    files = draw(tmp_path, rows, "\n".join(["title: Study", "parts:", *parts]))
    assert kinds.keys() == KINDS.keys()
    assert sorted(files) == sorted(f"{kind}.{ending}" for kind in kinds for ending in ENDINGS)
    pictures = {kind: files[f"{kind}.svg"].read_text() for kind in kinds}
    for kind, tip in {
        "bars": "a: 0.5",
        "dots": "a, x: 0.5",
        "heat": "a, x: 0.5",
        "histogram": "0.5 to 1.5: 0.5",
        "lines": "a, 1: 0.5",
        "roc": "a",
        "scatter": "a, 0.25: 0.5",
    }.items():
        assert f"<title>{tip}</title>" in pictures[kind]
    assert ">30<" in pictures["heat"] and ">0.50<" not in pictures["heat"]


def test_a_figure_of_nothing_has_no_files(tmp_path, description):
    rows = [metric("study", "other", {"words": "1"}, "documents", 1, 1)]
    assert draw(tmp_path, rows, description) == {}


@pytest.mark.parametrize(
    ("name", "in_data", "in_picture"),
    [("=1+1", "'=1+1", "=1+1"), ("a\x00b\x0b\x1b[31mc\ufffe", *["a\ufffdb\ufffd\ufffd[31mc\ufffd"] * 2)],
)
def test_a_name_like_a_formula_or_that_no_drawing_can_hold_is_text(tmp_path, description, name, in_data, in_picture):
    rows = [metric("study", "lengths", {"words": name}, "documents", 1, 1)]
    files = draw(tmp_path, rows, description)
    assert in_data in files["lengths.csv"].read_text()
    assert f"<title>{in_picture}: 1</title>" in files["lengths.svg"].read_text()


def test_every_number_is_a_row_unrounded_with_a_column_for_each_key(tmp_path, description):
    keys = {"model": "a, b", "topic": "=SUM(1)"}
    rows = [metric("study", "table_2", keys, "accuracy", 1 / 3, 60, 0.25, 0.5, abstained=2)]
    rows.append(metric("study", "table_3", {"votes": 9}, "agreement", None, 0))
    draw(tmp_path, rows, description)
    with (tmp_path / "study.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["key model"], first["key topic"], first["key votes"]) == ("a, b", "'=SUM(1)", "")
    assert [float(first[name]) for name in ("value", "low", "high")] == [1 / 3, 0.25, 0.5]
    assert (first["n"], first["abstained"], first["metric"]) == ("60", "2", "accuracy")
    assert (second["key votes"], second["value"], second["n"]) == ("9", "", "0")


def test_a_section_that_describes_the_metrics_of_another_has_the_numbers_that_it_shows(tmp_path, description):
    rows = [metric("study", table, {"words": "1"}, "documents", 1, 1) for table in ("lengths", "topics")]
    tables.write(METRICS, tmp_path / "study.parquet", rows)
    (tmp_path / "study_words.yaml").write_text(description)
    files = (tmp_path / "study_words.yaml", tmp_path / "figures", tmp_path / "study_words.csv")
    draw_figures(tmp_path / "study.parquet", *files)
    assert [row["table"] for row in rows_of(tmp_path / "study_words.csv")] == ["lengths"]


def test_figures_among_the_details_are_drawn(tmp_path, description):
    rows = [metric("study", "lengths", {"words": "1"}, "documents", 1, 1)]
    assert "lengths.svg" in draw(tmp_path, rows, description.replace("parts:", "parts: []\ndetails:"))
