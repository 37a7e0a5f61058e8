"""The whole pipeline on a handful of documents, and again: a second run does nothing, a rebuild gives the same."""

import csv
import hashlib
import json
import re
import subprocess
import sys

import pytest

from project import NOTHING, TINY, planned, snakemake
from ragassay.base import tables
from ragassay.results import Results
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS


def digests(project):
    files = sorted(path for path in (project / "results").rglob("*") if path.is_file() and path.suffix != ".md")
    return {str(path.relative_to(project)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_runs_once_and_then_does_nothing(done):
    first = digests(done)
    assert NOTHING in snakemake(done, *TINY).stdout
    assert {
        "results/report/index.html",
        "results/report/figures/scope_questions/drift.svg",
        "results/pages/2026-09.parquet",
    } <= first.keys()
    assert digests(done) == first


def test_every_rule_gives_the_same_bytes_again(tiny, done, monkeypatch):
    """With one processor, and sets in another order; rules that run once per shard on one shard alone."""
    first = digests(tiny)
    every = planned(done, *TINY, "--forceall").keys()
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    articles = "results/articles/2026-02.parquet"  # the shard that runs again is crawled
    shown = snakemake(done, articles, *TINY, "--force", "--printshellcmds").stdout
    for path in sorted((done / "results").rglob("*"), reverse=True):  # what is in a folder before the folder
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
        elif path.is_file() and not re.search("2026-0[12]", path.name):
            path.unlink()
    shown += snakemake(done, *TINY, "--cores", "1", "--printshellcmds").stdout
    assert every <= set(re.findall(r"^(?:local)?rule (\w+):$", shown, re.MULTILINE))
    assert digests(done) == first


def test_jobs_that_are_started_as_for_a_user_write_the_same_bytes_as_forks(tiny, done):
    target = "results/scope_votes/authors/careful/2026-01.parquet"
    shown = snakemake(done, target, *TINY, "--force", processes=True).stdout
    assert "% judge_scope authors careful 2026-01: 7 questions: 21 votes, " in shown
    assert digests(done) == digests(tiny)
    assert [path.stat().st_mode & 0o777 for path in (done / target, (done / target).parent)] == [0o600, 0o700]


def test_what_came_out(tiny):
    january = tables.read(DOCUMENTS, tiny / "results/documents/2026-01.parquet").to_pylist()
    assert {row["source_id"] for row in january} == {"a1", "a2", "a4"}
    ferry = next(row for row in january if row["source_id"] == "a1")
    assert ferry["text"].endswith("islanders.") and ferry["n_words"] == 39 and ferry["site"] == "www.example.org"
    names = ("articles", "documents")
    rejects = [tables.read(tables.REJECTS, tiny / f"results/rejects/{name}/2026-01.parquet") for name in names]
    reasons = [[row["reason"] for row in part.to_pylist()] for part in rejects]
    assert reasons == [["duplicate_id"], ["too_short"]]
    crawled = tables.read(DOCUMENTS, tiny / "results/documents/2026-09.parquet").to_pylist()
    assert [row["topic"] for row in crawled] == ["food", "food"] and all(row["published_at"] for row in crawled)
    pages = {name: (tiny / f"results/report/{name}.html").read_text() for name in ("index", "documents", "scope")}
    assert (
        "The tiny pipeline" in pages["index"] and "too_short" in pages["documents"] and "Example 1: " in pages["scope"]
    )
    assert "4 articles: 3 documents, 1 rejected" in (tiny / "logs/collect_documents/2026-01.log").read_text()


def test_the_report_counts_what_the_tables_hold(tiny):
    paths = sorted((tiny / "results/selected_questions").rglob("*.parquet"))
    status = tables.read_all(SELECTED_QUESTIONS, paths)["status"].to_pylist()
    rows = tables.read(METRICS, tiny / "results/metrics/scope.parquet").to_pylist()
    counted = {row["keys"]: row["value"] for row in rows if row["table"] == "table_6" and row["metric"] == "all"}
    kept = sum(value for keys, value in counted.items() if "Number" in keys and "questions" in keys)
    assert len(paths) == 3 and status.count("kept") == kept > 5


def test_the_list_of_questions_counts_what_the_report_says(tiny):
    [file] = (tiny / "results/report").rglob("explorer/authors/careful.csv")
    with file.open(newline="") as lines:
        questions = list(csv.DictReader(lines))
    rows = tables.read(METRICS, tiny / "results/metrics/responses.parquet").to_pylist()
    right = {"accuracy": "declined_out_of_scope", "refused_kept": "refused_in_scope"}
    wrong = {"accuracy": "answered_out_of_scope", "refused_kept": "answered_in_scope"}
    compared = 0
    for row in rows:
        keys = json.loads(row["keys"])
        if row["table"] == "cells" and row["metric"] in right and keys["generator"] == "authors":
            outcomes = [question[f"{keys['responder']}, {keys['prompt']}: outcome"] for question in questions]
            counts = [outcomes.count(names[row["metric"]]) for names in (right, wrong)]
            assert row["n"] == sum(counts)
            assert not row["n"] or row["value"] == pytest.approx(counts[0] / row["n"])
            compared += row["n"] > 0
    assert compared > 1


def test_snakemakes_own_report_holds_the_main_figures(done):
    snakemake(done, *TINY, "--report", "report.html")
    page = (done / "report.html").read_text()
    assert "lengths.svg" in page and "index.html" in page


def test_a_stage_that_fails_says_so_in_one_line_and_nothing_is_left_half_done(project):
    (project / "tests/tiny/documents/january.jsonl").write_text('{"text": "short"}\n')
    failed = snakemake(project, "results/documents/2026-01.parquet", *TINY, check=False)
    assert failed.returncode == 1
    line = "collect_documents (shard=2026-01): shard 2026-01: none of 1 articles can be a document (1 too_short)"
    assert line in failed.stdout and "Traceback" not in failed.stdout
    assert not (project / "results/documents/2026-01.parquet").exists()
    assert "none of 1 articles" in (project / "logs/collect_documents/2026-01.log").read_text()


def test_a_shard_and_a_prompt_that_are_gone_are_gathered_by_nothing(done):
    """Only what is planned counts: what lies in results of them is named, and `make prune` deletes that alone."""
    shards, config = done / "tests/tiny/shards.tsv", done / "tests/tiny/config.yaml"
    shards.write_text("".join(line for line in shards.read_text().splitlines(True) if not line.startswith("2026-02")))
    config.write_text(config.read_text().replace("prompts: [basic, two_shot]", "prompts: [basic]"))
    plan = snakemake(done, "--dry-run", *TINY).stdout
    inputs = dict(re.findall(r"^(?:local)?rule (\w+):\n    input: ([^\n]*)", plan, re.MULTILINE))
    assert inputs.keys() >= {"measure_scope", "measure_responses", "measure_detectors", "measure_calls", "render_page"}
    assert not re.search("2026-02|two_shot", " ".join(inputs.values()))
    snakemake(done, "documents", *TINY)
    before = digests(done)
    gone = {path for path in before if re.search("2026-02|two_shot", path)}
    paid = {path for path in gone if path.startswith("results/calls/")}
    assert paid and {*(done / "results/left_over.txt").read_text().splitlines()} == gone - paid
    command = [sys.executable, "-m", "ragassay.command.app", "prune", "--yes"]
    shown = subprocess.run(command, cwd=done, capture_output=True, text=True, check=True).stdout
    assert f"prune: {len(gone - paid)} of {len(gone - paid)} files, " in shown
    assert before.keys() - digests(done).keys() == gone - paid | {"results/left_over.txt"}
    assert {*Results(done / "results").frame("responses")["shard"]} == {"2026-01", "2026-09"}
    assert NOTHING in snakemake(done, "documents", *TINY).stdout
