"""draw_figures: one SVG per described figure, none for a table."""

import xml.etree.ElementTree as ET

from ragassay import tables
from ragassay.schemas.metrics import METRICS, metric
from scripts.report.draw_figures import draw_figures


def test_each_figure_becomes_a_file(tmp_path, description):
    rows = [metric("study", "lengths", {"words": f"{n}-{n + 9}"}, "documents", n, 60) for n in (10, 20, 100)]
    tables.write(METRICS, tmp_path / "study.parquet", rows)
    (tmp_path / "study.yaml").write_text(description)
    draw_figures(tmp_path / "study.parquet", tmp_path / "study.yaml", tmp_path / "figures")
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["lengths.svg"]
    titles = [t.text for t in ET.parse(tmp_path / "figures/lengths.svg").iter("{http://www.w3.org/2000/svg}title")]
    assert titles == ["Lengths", "10-19: 10", "20-29: 20", "100-109: 100"]


def test_pictures_of_each_kind_become_files(tmp_path):
    rows = [
        metric("study", table, {"model": "a", "topic": "x"}, "accuracy", 0.5, 60)
        for table in ("one", "two", "three", "four")
    ]
    rows.append(metric("study", "four", {"model": "a", "topic": "x"}, "place", 4, 60))
    rows.append(metric("study", "three", {"model": "a", "topic": "x"}, "items", 30, 60))
    tables.write(METRICS, tmp_path / "study.parquet", rows)
    (tmp_path / "study.yaml").write_text("""
title: Study
parts:
  - {kind: heat, table: one, title: Heat, caption: C, label: [model], by: topic, metric: accuracy, x: X}
  - {kind: heat, table: three, title: H, caption: C, label: [model], by: topic, metric: accuracy, shown: items, x: X}
  - {kind: dots, table: two, title: Dots, caption: C, label: [model], metric: accuracy, x: X}
  - {kind: lines, table: four, title: L, caption: C, label: [model], at: place, metric: accuracy, x: X, y: Y}
""")
    draw_figures(tmp_path / "study.parquet", tmp_path / "study.yaml", tmp_path / "figures")
    told = {path.name: path.read_text() for path in (tmp_path / "figures").iterdir()}
    assert sorted(told) == ["four.svg", "one.svg", "three.svg", "two.svg"]
    assert "<title>a, x: 0.5</title>" in told["one.svg"]
    assert "<title>a: 0.5</title>" in told["two.svg"] and "<title>a, 4: 0.5</title>" in told["four.svg"]
    assert ">0.50<" in told["one.svg"] and ">30<" in told["three.svg"] and ">0.50<" not in told["three.svg"]
