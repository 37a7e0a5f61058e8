"""render_report: all sections with their figures on one page, the same page for the same input."""

from project import ROOT
from ragassay.base import tables
from ragassay.schemas.report import EXAMPLES, METRICS, metric
from scripts.report.draw_figures import draw_figures
from scripts.report.render_report import render_report


def test_the_page_holds_numbers_figures_and_settings(tmp_path, description):
    for study in ("one", "two"):
        rows = [metric(study, "lengths", {"words": f"of {study}"}, "documents", 1234, 1234)]
        tables.write(METRICS, tmp_path / f"{study}.parquet", rows)
        (tmp_path / f"{study}.yaml").write_text(description.replace("title: Study", f"title: Study {study}"))
        draw_figures(tmp_path / f"{study}.parquet", tmp_path / f"{study}.yaml", tmp_path / study)
    passage = {
        "study": "two",
        "example": 1,
        "position": 1,
        "title": "kept",
        "part": "Claim",
        "text": "The <ferry> sails.",
    }
    tables.write(EXAMPLES, tmp_path / "examples/two.parquet", [passage])
    with (tmp_path / "two.yaml").open("a") as file:
        file.write("  - {kind: examples, title: Examples, caption: C}\n")
    kinds = {"template": "html.j2", "style": "css", "behaviour": "js"}
    files = {name: ROOT / f"workflow/report/page.{kind}" for name, kind in kinds.items()}
    given = {
        "metrics": [tmp_path / "one.parquet", tmp_path / "two.parquet"],
        "sections": [tmp_path / "one.yaml", tmp_path / "two.yaml"],
        "figures": [tmp_path / "one", tmp_path / "two"],
        "examples": [tmp_path / "examples/two.parquet"],
        "title": "A title",
        "config": {"shards": "config/shards.tsv"},
        "notes": {"toy": "toy is a `small` model."},
        "pages": {"All questions": "explorer/a/b.html"},
    }
    for name in ("first.html", "second.html"):
        render_report(**given, **files, page=tmp_path / name)
    page = (tmp_path / "first.html").read_text()
    assert page == (tmp_path / "second.html").read_text()
    for expected in (
        "<h1>A title</h1>",
        "Study one",
        "Study two",
        "of two: 1,234",
        'href="one/lengths.pdf" download',
        "The &lt;ferry&gt; sails.",
        "shards: config/shards.tsv",
        "explorer/a/b.html",
    ):
        assert expected in page
