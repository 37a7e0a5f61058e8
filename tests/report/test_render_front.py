"""render_front: what was assayed and found, and where the rest stands, the same bytes each time."""

from scripts.report.render_front import render_front
from scripts.report.render_page import render_page
from scripts.report.write_findings import write_findings


def test_the_front_page_says_what_was_found_and_where_it_stands(study, tmp_path):
    write_findings(study["metrics"], study["sections"], tmp_path / "findings.parquet")
    more = {"figures": [tmp_path / "one", tmp_path / "two"], "examples": [], "notes": {}}
    render_page(**study, **more, page=tmp_path / "one.html")
    made = {"figures": more["figures"], "findings": tmp_path / "findings.parquet", "pages": [tmp_path / "one.html"]}
    for name in ("first", "second"):
        files = {"page": tmp_path / name / "index.html", "settings": tmp_path / name / "settings.html"}
        render_front(**study, **made, **files, config={"shards": "config/shards.tsv"})
    page = (tmp_path / "first/index.html").read_text()
    assert page == (tmp_path / "second/index.html").read_text()
    for expected in (
        "<h1>A title</h1>",
        'href="one.html#two-lengths">There are 1,234 documents of of &lt;two&gt; words.',
        'Not measured yet: whether there are pictures.</a> <span class="action">Run <code>make pictures</code>.',
        "<dt>Documents</dt><dd>1,234</dd>",
        '<a class="card" href="one.html">',
    ):
        assert expected in page
    assert "shards: config/shards.tsv" in (tmp_path / "first/settings.html").read_text()
