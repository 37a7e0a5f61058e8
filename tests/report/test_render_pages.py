"""write_findings, render_page, render_front: what was found, a page for each study, the same bytes each time."""

import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.schemas.report import EXAMPLES, FINDINGS, METRICS, metric
from scripts.report.draw_figures import draw_figures
from scripts.report.render_front import render_front
from scripts.report.render_page import render_page
from scripts.report.write_findings import write_findings

FINDING = """
findings:
  - name: long
    question: whether documents are long
    table: lengths
    metric: documents
    against: 100
    form: number
    higher: "There are {value} documents of {words} words."
  - {name: gone, question: whether there are pictures, table: pictures, metric: count, against: 0,
     command: make pictures}
card: {label: documents, table: lengths, metric: documents, form: number}
facts: [{label: Documents, table: lengths, metric: documents, pick: sum}]
"""


@pytest.fixture
def study(tmp_path, description):
    """The files of two sections, by the kind of input; the page of `one` holds both."""
    for name in ("one", "two"):
        rows = [metric(name, "lengths", {"words": f"of <{name}>"}, "documents", 1234, 1234)]
        tables.write(METRICS, tmp_path / f"{name}.parquet", rows)
        (tmp_path / f"{name}.yaml").write_text(description.replace("title: Study", f"title: Study {name}") + FINDING)
        draw_figures(tmp_path / f"{name}.parquet", tmp_path / f"{name}.yaml", tmp_path / name)
        write_findings(tmp_path / f"{name}.parquet", tmp_path / f"{name}.yaml", tmp_path / f"findings/{name}.parquet")
    described = (tmp_path / "two.yaml").read_text()
    examples = "details:\n  - {kind: examples, title: Examples, caption: C}\n"
    (tmp_path / "two.yaml").write_text(described + examples)
    kinds = {"template": "html.j2", "style": "css", "behaviour": "js"}
    return {
        "metrics": [tmp_path / "one.parquet", tmp_path / "two.parquet"],
        "sections": [tmp_path / "one.yaml", tmp_path / "two.yaml"],
        "findings": [tmp_path / "findings/one.parquet", tmp_path / "findings/two.parquet"],
        "heads": [tmp_path / "one.yaml"],
        "templates": sorted((ROOT / "workflow/report").glob("*.html.j2")),
        **{name: ROOT / f"workflow/report/page.{kinds[name]}" for name in ("style", "behaviour")},
        "title": "A title",
        "links": {"All questions": "explorer/a/b.html"},
    }


def test_the_page_of_a_study_holds_findings_numbers_and_figures(study, tmp_path):
    passage = {
        "study": "two",
        "example": 1,
        "position": 1,
        "title": "kept",
        "part": "Claim",
        "text": "The <ferry> sails.",
    }
    tables.write(EXAMPLES, tmp_path / "examples/two.parquet", [passage])
    more = {
        "figures": [tmp_path / "one", tmp_path / "two"],
        "examples": [tmp_path / "examples/two.parquet"],
        "notes": {"toy": "toy is a `small` model."},
    }
    for name in ("first", "second"):
        render_page(**study, **more, page=tmp_path / name / "one.html")
    page = (tmp_path / "first/one.html").read_text()
    assert page == (tmp_path / "second/one.html").read_text()
    for expected in (
        "<h1>Study one</h1>",
        "Study two",
        "of &lt;two&gt;: 1,234",
        'href="../one/lengths.pdf" download',
        "The &lt;ferry&gt; sails.",
        'href="#two-lengths">There are 1,234 documents of of &lt;two&gt; words.',
        'href="explorer/a/b.html"',
        '<a href="one.html" aria-current="page">Study one</a>',
    ):
        assert expected in page


def test_the_front_page_says_what_was_found_and_where_it_stands(study, tmp_path):
    pages = {"one": "one.html", "two": "one.html"}
    for name in ("first", "second"):
        files = {"page": tmp_path / name / "index.html", "settings": tmp_path / name / "settings.html"}
        render_front(**study, **files, pages=pages, config={"shards": "config/shards.tsv"})
    page = (tmp_path / "first/index.html").read_text()
    assert page == (tmp_path / "second/index.html").read_text()
    for expected in (
        "<h1>A title</h1>",
        'href="one.html#two-lengths">There are 1,234 documents of of &lt;two&gt; words.',
        'Not measured yet: whether there are pictures. <span class="action">Run <code>make pictures</code>.',
        "<dt>Documents</dt><dd>1,234</dd>",
        '<a class="card" href="one.html">',
    ):
        assert expected in page
    assert "shards: config/shards.tsv" in (tmp_path / "first/settings.html").read_text()


def test_findings_are_a_table_with_what_they_rest_on(study, tmp_path):
    rows = tables.read(FINDINGS, tmp_path / "findings/one.parquet").to_pylist()
    assert [(row["finding"], row["verdict"], row["value"], row["against"]) for row in rows] == [
        ("gone", "missing", None, None),
        ("long", "higher", 1234, 100),
    ]
