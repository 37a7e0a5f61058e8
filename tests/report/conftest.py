"""The description of a section with one figure and one table, and two sections that stand on one page."""

import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.schemas.report import METRICS, metric
from scripts.report.draw_figures import draw_figures

SECTION = """
title: Study
parts:
  - {kind: bars, table: lengths, title: Lengths, caption: C, label: words, metric: documents, x: Words, y: Documents}
  - {kind: table, table: lengths, title: Lengths, caption: C, columns: {words: Words}}
"""
FINDING = """
findings:
  - name: long
    question: whether documents are long
    table: lengths
    metric: documents
    against: 100
    reference: our goal
    form: number
    higher: "There are {value} documents of {words} words."
  - {name: gone, question: whether there are pictures, table: pictures, metric: count, against: 0, reference: none,
     command: make pictures}
card: {label: documents, table: lengths, metric: documents, form: number}
facts: [{label: Documents, table: lengths, metric: documents, pick: sum}]
"""


@pytest.fixture
def description():
    return SECTION


@pytest.fixture
def study(tmp_path, description):
    """The files of two sections, by the kind of input; the page of `one` holds both."""
    for name in ("one", "two"):
        rows = [metric(name, "lengths", {"words": f"of <{name}>"}, "documents", 1234, 1234)]
        tables.write(METRICS, tmp_path / f"{name}.parquet", rows)
        (tmp_path / f"{name}.yaml").write_text(description.replace("title: Study", f"title: Study {name}") + FINDING)
        draw_figures(tmp_path / f"{name}.parquet", tmp_path / f"{name}.yaml", tmp_path / name, tmp_path / f"{name}.csv")
    described = (tmp_path / "two.yaml").read_text()
    examples = "details:\n  - {kind: examples, title: Examples, caption: C}\n"
    (tmp_path / "two.yaml").write_text(described + examples)
    kinds = {"template": "html.j2", "style": "css", "behaviour": "js"}
    return {
        "metrics": [tmp_path / "one.parquet", tmp_path / "two.parquet"],
        "sections": [tmp_path / "one.yaml", tmp_path / "two.yaml"],
        "figures": [tmp_path / "one", tmp_path / "two"],
        "heads": [tmp_path / "one.yaml"],
        "templates": sorted((ROOT / "workflow/report").glob("*.html.j2")),
        **{name: ROOT / f"workflow/report/page.{kinds[name]}" for name in ("style", "behaviour")},
        "title": "A title",
        "links": {"All questions": "explorer/a/b.html"},
        "missing": [],
        "models": {"small": "a/small", "of": "a/of", "large": "a/large"},
        "command": "make demo",
        "recalls": {},
    }
