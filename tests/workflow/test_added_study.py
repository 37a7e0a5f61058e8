"""A study is added by its own files alone, and runs to a section of the report."""

import re

from project import TINY, planned, snakemake

FILES = {
    "workflow/rules/tides.smk": '''"""A study of one stage.

Reads   results/documents/{shard}.parquet
Writes  results/tides.parquet            whether each document speaks of tides
        results/metrics/tides.parquet    the report's section
"""

from ragassay.plan import tides

CALLS += expand("results/calls/ask_tides/{shard}.parquet", shard=SHARDS)
SECTIONS["tides"] = {}
EXPLORERS["Tides"] = "explorer/tides.html"
PRODUCTS += ["results/tides.txt"]


rule tides:
    """Do documents speak of tides?"""
    input:
        "results/metrics/tides.parquet",


rule measure_tides:
    """Every document is searched for a word."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
    output:
        tides=table("results/tides.parquet"),
        metrics=table("results/metrics/tides.parquet"),
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(tides.measure_tides),
    script:
        "../scripts/tides/measure_tides.py"


rule list_tides:
    """Nobody asks for it, and its script lies elsewhere."""
    input:
        "results/tides.parquet",
    output:
        "results/listed.txt",
    script:
        "../../own/list_tides.py"


rule draw_tides:
    """Whatever else others collect."""
    input:
        "results/tides.parquet",
    output:
        expand("results/calls/ask_tides/{shard}.parquet", shard=SHARDS),
        "results/report/explorer/tides.html",
        "results/tides.txt",
    shell:
        "touch {output}"
''',
    "workflow/scripts/tides/measure_tides.py": '''"""Count the documents that hold a word."""

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.report import METRICS, metric
from ragassay.schemas.tides import TIDES


def measure_tides(documents, tides, metrics, word):
    rows = []
    for path in documents:
        for document in tables.read(DOCUMENTS, path).to_pylist():
            rows.append({"doc_id": document["doc_id"], "found": word in document["text"]})
    tables.write(TIDES, tides, rows)
    share = sum(row["found"] for row in rows) / len(rows)
    tables.write(METRICS, metrics, [metric("tides", "words", {"word": word}, "share", share, n=len(rows))])


if __name__ == "__main__":
    run(measure_tides, snakemake)
''',
    "workflow/ragassay/plan/tides.py": '''"""Settings of the study of tides."""


def measure_tides(config: dict) -> dict:
    return {"word": config["tides"]["word"]}


def check(config: dict):
    if " " in config["tides"]["word"]:
        yield ("tides", "word"), "found several words, expected one"
''',
    "workflow/ragassay/schemas/tides.py": '''"""The table tides."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

TIDES = Table(
    "tides",
    "One row per document: whether it speaks of tides.",
    path="tides",
    key=("doc_id",),
    columns=(
        Column("doc_id", pa.string(), "the document", refers="documents.doc_id"),
        Column("found", pa.bool_(), "whether it does"),
    ),
    release="whole",
)
''',
    "workflow/schemas/tides.schema.yaml": """
$schema: https://json-schema.org/draft/2020-12/schema
title: Tides
description: A study of one word.
place: 999
properties:
  tides:
    description: What is searched for.
    type: object
    additionalProperties: false
    default: {}
    properties:
      word: {description: The word., type: string, default: the}
""",
    "workflow/report/sections/tides.yaml": """
title: The tides
question: Do documents speak of tides?
command: make demo STUDY=tides
parts:
  - kind: table
    table: words
    title: A word in documents
    caption: The share of documents that hold it.
    columns: {share: Share}
""",
}


def add(project):
    for name, content in FILES.items():
        path = project / name
        assert not path.exists(), f"{name} is there already, and adding a study edits nothing"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content.lstrip())


def test_a_study_is_added_by_its_own_files_and_runs_to_a_section_of_the_report(project):
    add(project)
    (project / "own.yaml").write_text("report: {sections: [tides]}\ntides: {word: a}\n")
    goals = ("tides", "results/report/index.html")
    snakemake(project, *goals, *TINY, "own.yaml")
    page = (project / "results/report/tides.html").read_text()
    assert "The tides" in page and "A word in documents" in page
    assert planned(project, *goals, *TINY, "own.yaml") == {}
    (project / "own.yaml").write_text("tides: {word: two words}\n")
    refused = snakemake(project, "--dry-run", *TINY, "own.yaml", check=False)
    assert "own.yaml: tides.word: found several words, expected one" in refused.stdout


def test_what_a_study_registers_is_collected(project):
    before = planned(project, "--forceall", *TINY)
    add(project)
    after = planned(project, "--forceall", *TINY)
    drawn = {name: before[name] + 1 for name in ("draw_figures", "render_page")}
    assert after == before | drawn | {"measure_tides": 1, "draw_tides": 1}
    plan = snakemake(project, "--dry-run", *TINY).stdout
    inputs = dict(re.findall(r"^(?:local)?rule (\w+):\n    input: ([^\n]*)", plan, re.MULTILINE))
    assert "results/calls/ask_tides/2026-01.parquet" in inputs["measure_calls"].split(", ")
    assert {"results/metrics/tides.parquet", "results/report/tides.html"} <= {*inputs["render_front"].split(", ")}
    wanted = {"results/report/tides.csv", "results/report/explorer/tides.html", "results/tides.txt"}
    assert wanted <= {*inputs["report"].split(", ")}
