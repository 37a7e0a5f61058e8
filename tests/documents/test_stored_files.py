"""Files in an object store, read by the whole pipeline as if they lay in the project."""

import json
import re

import pyarrow.parquet as pq

from object_store import serving
from project import NOTHING, snakemake

FILES = {
    "bucket/dt=2026-01/texts.csv": "id,text\na,The ferry sails at nine.\n",
    "bucket/queries.csv": "id,text\nq,When does the ferry sail?\n",
    "bucket/log.csv": "text,asked\nWhen does the ferry sail?,2026-01-02\n",
    "bucket/articles.jsonl": json.dumps({"text": "The ferry sails at nine. It carries forty cars."}),
    "bucket/questions.csv": "doc_id,question\na,When does the ferry sail?\n",
    "bucket/documents.csv": "doc_id,text\na,The ferry sails at nine.\n",
}
TEXTS, ARTICLES = "bucket/dt=2026-01/texts.csv", "bucket/articles.jsonl"
CONFIG = """
shards: own.tsv
corpora:
  stored: {files: ["s3://bucket/dt=2026-01/texts.csv", own.csv]}
  mine: {files: [own.csv]}
  again: {files: ["s3://bucket/dt=2026-01/texts.csv"]}
query_sets:
  asked: {files: ["s3://bucket/queries.csv"]}
query_logs:
  logged: {files: ["s3://bucket/log.csv"], columns: {date: asked}, corpus: articles}
question_sets:
  set:
    documents: ["s3://bucket/documents.csv"]
    questions: ["s3://bucket/questions.csv"]
"""
ROWS = {
    "passages/stored": 2,
    "passages/mine": 1,
    "passages/again": 1,
    "queries/asked": 1,
    "query_logs/logged": 1,
    "articles/x": 1,
    "questions/set/set": 1,
}


def test_objects_are_fetched_once_for_each_reader_and_read_like_files(project):
    (project / "mine.yaml").write_text(CONFIG)
    (project / "own.csv").write_text("id,text\nb,A bridge fell in May.\n")
    (project / "own.tsv").write_text("shard\tdocuments\nx\ts3://bucket/articles.jsonl\n")
    tables = [f"results/{name}.parquet" for name in ROWS]
    run = ["--configfile", "mine.yaml", "--cores", "2", "--", *tables]
    with serving({}) as store:
        failed = snakemake(project, "--keep-going", *run, check=False)
        assert failed.returncode == 1 and "Traceback" not in failed.stdout
        for name in FILES:
            assert f"s3://{name}: found no such object, expected one" in failed.stdout
        store.objects |= {name: text.encode() for name, text in FILES.items()} | {ARTICLES: b"no JSON"}
        failed = snakemake(project, "--keep-going", *run, check=False).stdout
        assert "fetched/shards.x/s3/bucket/articles.jsonl row 1: not JSON" in failed
        assert not copies(project), "else what is corrected in the store would not be fetched"
        store.objects[ARTICLES] = FILES[ARTICLES].encode()
        snakemake(project, *run)
        assert sorted(store.fetched()) == sorted([*FILES, ARTICLES, TEXTS])
        assert NOTHING in snakemake(project, *run).stdout
    assert not copies(project)
    one = snakemake(project, "--dry-run", "--quiet", "rules", "--forcerun", "results/passages/again.parquet", *run)
    jobs = dict(re.findall(r"^(\w+) +(\d)$", one.stdout, re.MULTILINE))
    assert jobs == {"fetch_file": "1", "read_passages": "1", "total": "2"}, "other readers stay"
    assert {name: pq.read_metadata(project / f"results/{name}.parquet").num_rows for name in ROWS} == ROWS
    part, whole = (project / f"results/passages/{name}.parquet" for name in ("stored+2", "mine"))
    assert part.read_bytes() == whole.read_bytes()


def copies(project):
    return [path for path in (project / "fetched").rglob("*") if path.is_file()]
