"""A run that measures a part, or fails, still ends with a report: of what there is, and of what is missing."""

import shutil

from project import NOTHING, TINY, planned, snakemake

PART = "results/metrics/documents.parquet"


def report(project, name):
    return (project / f"results/report/{name}.html").read_text()


def test_a_part_is_shown_with_what_is_missing_and_a_whole_run_makes_all_pages_anew(project):
    snakemake(project, PART, *TINY)
    front, documents = report(project, "index"), report(project, "documents")
    assert "Not everything is measured yet." in front and "<li>Scope: <code>make demo STUDY=scope</code></li>" in front
    assert "<li>Crawl: " in documents and "<li>Scope: " not in documents, "a page names what is missing on it"
    assert (project / "results/report/figures/documents/lengths.svg").exists()
    assert not (project / "results/report/scope.html").exists() and 'href="scope.html"' not in front
    assert ".stale" not in (project / "results/report/outdated.css").read_text(), "what is missing is not out of date"
    before = (project / "results/report/index.html").stat().st_mtime_ns
    assert NOTHING in snakemake(project, PART, *TINY).stdout
    assert (project / "results/report/index.html").stat().st_mtime_ns == before, "nothing is drawn again"
    plan = planned(project, *TINY)
    assert plan["render_front"] == plan["write_findings"] == 1 and plan["render_page"] == 5


def test_a_section_whose_description_has_changed_is_drawn_anew(done):
    description = done / "workflow/report/sections/documents.yaml"
    description.write_text(description.read_text().replace("table: lengths", "table: lengths\n    name: long", 1))
    snakemake(done, PART, "results/metrics/crawl.parquet", *TINY, "--forcerun", "measure_crawl")
    assert (done / "results/report/figures/documents/long.svg").exists(), "although its metrics are the same"


def test_where_a_stage_fails_the_rest_is_shown(done):
    """As in a first run, in which nothing is drawn yet."""
    with (done / "workflow/scripts/hardness/measure_scope.py").open("a") as file:
        file.write("\nraise ValueError('no numbers today')\n")
    (done / "results/metrics/scope.parquet").unlink()
    shutil.rmtree(done / "results/report")
    failed = snakemake(done, "--keep-going", *TINY, check=False)
    assert failed.returncode == 1 and "no numbers today" in failed.stdout
    front = report(done, "index")
    assert "<li>Scope: <code>make demo STUDY=scope</code></li>" in front and "<li>Documents: " not in front
    assert "Documents" in report(done, "documents")
    assert "<li>Scope: " in report(done, "scope"), "the sections of its page that were measured are there"
