"""`ragassay init`: what it makes of somebody's files, and one line for whatever it cannot use."""

import csv
import json
import shutil
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from files_of_users import docx, pdf
from project import NOTHING, ROOT, snakemake
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.command.app import app
from ragassay.config import new_project, schema
from ragassay.config.settings import of_files
from ragassay.config.shards import read_shards
from ragassay.corpora.user_files import texts
from ragassay.documents.sources import document_files
from ragassay.plan import references
from ragassay.schemas.report import FINDINGS

MINE = "other --documents handbook"
SENTENCE = "Employees of branch {} send form {} to the desk before the {}th of each month. "


def text(number):
    return "".join(SENTENCE.format(number, number + at, at) for at in range(1, 9))


@pytest.fixture
def handbook(tmp_path, monkeypatch):
    """A folder with pages of some kinds, beside which projects are made."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "handbook"
    (folder / "more").mkdir(parents=True)
    for number in range(25):
        (folder / f"{number:02}.md").write_text(f"# Page {number}\n\n{text(number)}\n")
    (folder / "more/26.html").write_text(f"<h1>Page</h1><p>{text(26)}</p>")
    (folder / "more/27.pdf").write_bytes(pdf(text(27)))
    (folder / "more/28.docx").write_bytes(docx(("", text(28))))
    (folder / "more/logo.png").write_bytes(b"a picture")
    return folder


def init(*words):
    done = CliRunner().invoke(app, ["init", *map(str, words)])
    if isinstance(done.exception, AssayError):
        return str(done.exception)
    assert done.exit_code == 0, done.output
    return done.output


def project(folder, monkeypatch):
    """The checked configuration and the shards of a project."""
    monkeypatch.chdir(folder)
    assert len((folder / "ragassay.yaml").read_text().splitlines()) <= 40
    assert len((folder / "README.md").read_text().splitlines()) <= 10
    config = of_files(["ragassay.yaml"], schema.merged(), references.problems)
    return config, read_shards(config["shards"])


def test_a_project_of_documents_alone(handbook, tmp_path, monkeypatch):
    output = init("project", "--documents", "handbook")
    config, shards = project(tmp_path / "project", monkeypatch)
    assert "28 texts in 25 .md, 1 .html, 1 .pdf, 1 .docx" in output
    assert output.splitlines()[-1] == "next: cd project && ragassay run"
    assert "asks careful about" in output and "$0.00" in output
    assert {name: row["documents"] for name, row in shards.items()} == {"handbook": "documents"}
    assert config["scope"]["generators"] == ["careful"] and config["detectors"]["trained_on"] == ["handbook"]
    assert config["relevance"]["sets"]["library"]["in_knowledge"] == "taken"
    assert "demo" not in (tmp_path / "project/ragassay.yaml").read_text() and not config["crawl"]["opml"]
    assert (tmp_path / "project/documents").resolve() == handbook


def test_what_cannot_be_used_is_listed_with_its_reason_and_what_was_not_opened(handbook, tmp_path):
    (handbook / "faq.csv").write_text(f"id,text\n1,{text(70)}\n2\n3\n")
    (handbook / "latin.txt").write_bytes("Ein Gespräch".encode("latin-1"))
    (handbook / "rows.parquet").write_bytes(b"PAR1")
    lines = init("project", "--documents", "handbook").splitlines()
    refused = {line.split(": ")[2]: line for line in lines if line.startswith("init: not usable: ")}
    assert refused.keys() == {f"handbook/{name}" for name in ("faq.csv", "latin.txt", "rows.parquet", "more/logo.png")}
    assert refused["handbook/faq.csv"].endswith(
        ": row 2: found 1 cells, expected 2, in line 3 (and 1 more in this file)"
    )
    assert "which is not UTF-8" in refused["handbook/latin.txt"] and "not a whole" in refused["handbook/rows.parquet"]
    assert "init: not opened yet: .html, .pdf, .docx; a run opens them, and rejects those that it cannot read" in lines
    for number in range(9):
        (handbook / f"{number}.png").touch()
    lines = init("project", "--month", "2026-12", "--documents", "handbook").splitlines()
    assert sum(line.startswith("init: not usable: ") for line in lines) == 6
    assert "init: not usable: parts of 8 more files; a run lists all in results/rejects" in lines


def test_documents_inside_the_project_need_no_link(handbook, tmp_path, monkeypatch):
    shutil.copytree(handbook, tmp_path / "project/own/handbook")
    init("project", "--documents", "project/own/handbook")
    _, shards = project(tmp_path / "project", monkeypatch)
    assert shards["handbook"]["documents"] == "own/handbook"


def test_folders_with_some_texts_each_are_shards(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for month in ("2026-09", "2026-10"):
        (tmp_path / "months" / month).mkdir(parents=True)
        for number in range(6):
            (tmp_path / f"months/{month}/{number}.txt").write_text(text(number))
    init("project", "--documents", "months")
    config, shards = project(tmp_path / "project", monkeypatch)
    assert list(shards) == ["2026-09", "2026-10"] == config["detectors"]["trained_on"]
    output = init(".", "--month", "2026-11", "--documents", "../months/2026-10")
    assert (
        "added shard 2026-11 of documents-2026-11" in output and "next: ragassay estimate, then: ragassay run" in output
    )
    config, shards = project(tmp_path / "project", monkeypatch)
    assert list(shards) == ["2026-09", "2026-10", "2026-11"] and len(config["detectors"]["trained_on"]) == 2


def test_questions_and_a_log_are_described_by_their_columns(handbook, tmp_path, monkeypatch):
    (tmp_path / "q.csv").write_text(
        "Key,Query,file,answerable\n1,Who sends it?,00.md,yes\n2,Who reads it?,more/27.pdf,no\n"
    )
    rows = [{"timestamp": f"2026-11-{day:02}T10:00:00Z", "message": "Who sends it?"} for day in range(1, 29)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    init("project", "--documents", "handbook", "--questions", "q.csv", "--log", "log.jsonl")
    config, _ = project(tmp_path / "project", monkeypatch)
    columns = config["question_sets"]["asked"]["columns"]["questions"]
    named = {"question": "query", "question_id": "key", "doc_id": "file", "in_scope": "answerable"}
    assert {name: columns[name] for name in named} == named
    log = config["query_logs"]["log"]
    assert log["columns"].items() >= {"date": "timestamp", "text": "message"}.items() and log["corpus"] == "library"


def test_a_table_of_documents_is_described_by_its_columns_and_dates(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{number},{text(number)},{13 + number % 9}.11.2026\n" for number in range(30))
    (tmp_path / "faq.csv").write_text(f"key,body,published\n{rows}")
    init("project", "--documents", "faq.csv")
    config, shards = project(tmp_path / "project", monkeypatch)
    named = config["documents"]["columns"]
    assert (named["id"], named["text"], named["date"]) == ("key", "body", "published")
    assert config["documents"]["date_format"] == "%d.%m.%Y"
    assert shards["faq"]["documents"] == "documents.csv"


def test_rows_without_ids_stand_beside_files(handbook, tmp_path, monkeypatch):
    (handbook / "more/faq.csv").write_text(f"name,body\nParking,{text(90)}\nCanteen,{text(91)}\n")
    init("project", "--documents", "handbook")
    config, _ = project(tmp_path / "project", monkeypatch)
    corpus = config["corpora"]["library"]
    assert [corpus["columns"][name] for name in ("id", "text", "title")] == ["", "body", "name"]
    files = document_files(Path("documents"))
    rows = [*texts(files, corpus["columns"] | {"source": "source"}, ("title", "source"), below=("documents",))]
    assert {"00.md", "more/27.pdf"} < {row["id"] for row in rows}
    of_table = {row["title"]: row["source"] for row in rows if "." not in row["id"]}
    assert of_table == {"Parking": "more/faq.csv row 1", "Canteen": "more/faq.csv row 2"}


def test_questions_without_documents_go_by_what_is_nearest(handbook, tmp_path, monkeypatch):
    (tmp_path / "q.csv").write_text("question\nWho sends it?\n")
    (tmp_path / "log.csv").write_text("asked_at,prompt\n21.11.2026 10:00,Who sends it?\n")
    init("project", "--documents", "handbook", "--questions", "q.csv", "--log", "log.csv")
    config, _ = project(tmp_path / "project", monkeypatch)
    asked = config["question_sets"]["asked"]
    assert asked["nearest"]["passages"] == 3 and asked["columns"]["questions"]["doc_id"] is None
    assert config["query_logs"]["log"]["date_format"] == "%d.%m.%Y %H:%M"
    assert config["coverage"]["asked"] == {
        "used": True,
        "question_set": "asked",
        "corpus": "library",
        "query_log": "log",
    }


def test_a_log_of_spans_names_its_own_parts(handbook, tmp_path, monkeypatch):
    (tmp_path / "spans.jsonl").write_text('{"resourceSpans": []}\n')
    init("project", "--documents", "handbook", "--log", "spans.jsonl")
    text = (tmp_path / "project/ragassay.yaml").read_text()
    assert yaml.safe_load(text)["query_logs"]["log"] == {"files": ["log.jsonl"], "corpus": "library"}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2026-11-21", "2026-11-21T07:30:00Z"], None),
        (["21.11.2026"], "%d.%m.%Y"),
        (["03/04/2026"], None),  # of two months
        (["03/04/2026", "21/04/2026"], "%d/%m/%Y"),
        (["yesterday"], None),
        ([], None),
    ],
)
def test_only_a_format_that_no_other_rivals_is_taken_for_that_of_dates(values, expected):
    assert new_project.date_format(values) == expected


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("gpt-4o-mini", {"provider": "openai", "model": "gpt-4o-mini"}),
        ("together:meta-llama/Llama-3.3-70B", {"provider": "together", "model": "meta-llama/Llama-3.3-70B"}),
        ("Qwen/Qwen3-0.6B", {"provider": "transformers", "model": "Qwen/Qwen3-0.6B"}),
    ],
)
def test_a_real_model_takes_all_roles(handbook, tmp_path, name, entry):
    output = init("project", "--documents", "handbook", "--model", name)
    config = yaml.safe_load((tmp_path / "project/ragassay.yaml").read_text())
    [(model, written)] = config["models"].items()
    assert written | entry == written and config["scope"]["judges"] == [model]
    assert ("has no price" in output) == (entry["provider"] == "together")


def test_what_cannot_be_a_project_is_one_line_and_changes_nothing(handbook, tmp_path, monkeypatch):
    (tmp_path / "q.csv").write_text("frage\nWarum?\n")
    (tmp_path / "whole.txt").touch()
    with (tmp_path / "whole.txt").open("wb") as file:
        file.truncate(900_000_000)
    init("project", "--documents", "handbook")
    before = sorted(tmp_path.rglob("*"))
    lines = {
        "project --documents handbook": "project: found ragassay.yaml, which makes it a project already",
        "other": "--documents: found none, expected a file or a folder of yours",
        "": "found no folder for the project, expected one: ragassay init FOLDER",
        "other --documents handbok": "--documents: handbok: no such file or folder (did you mean handbook?)",
        "other --documents whole.txt": "--documents: whole.txt: found a file of 900 MB, expected one document",
        "other --documents q.csv": "--documents: q.csv: found no column with each text, expected one of",
        f"{MINE} --questions q.csv": "--questions: q.csv: found no column with each question",
        f"{MINE} --log handbook": "--log: handbook: no such file",
        f"{MINE} --log s3://bucket/log.csv": "--log: s3:/bucket/log.csv: no such file (if this is the address of an",
        f"{MINE} --model gpt-9": "--model: found 'gpt-9', expected a listed model",
        "handbook/mine --documents handbook": "handbook/mine: found the documents here, expected a folder",
        "other --month 2026-12": "other: found no ragassay.yaml, expected a project",
        "project --month 2026-13": "--month: found '2026-13', expected a month such as 2026-12",
        "project --month 2026-12": "--documents: 2026-12: no such folder, expected the documents of 2026-12",
        "project --month 2026-12 --documents nowhere": "--documents: nowhere: no such file or folder",
        "other --documents s3://bucket/a.csv": "--documents: found the address s3://bucket/a.csv, expected a file",
    }
    for words, begin in lines.items():
        message = init(*words.split())
        assert message.startswith(begin) and "\n" not in message, (words, message)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_nobody_may_write_to_is_a_line(handbook, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied", "project")

    monkeypatch.setattr("pathlib.Path.mkdir", refuse)
    message = init("project", "--documents", "handbook")
    assert message == "project: cannot be written (Permission denied); name another folder"


def test_a_document_that_nobody_may_read_and_a_full_disk_are_a_line(handbook, tmp_path, monkeypatch):
    opening, writing = Path.open, Path.write_text

    def refuse(path, *arguments, **more):
        if path.name == "03.md":
            raise PermissionError(13, "Permission denied", str(path))
        return opening(path, *arguments, **more)

    def fill(path, *arguments, **more):
        if path.name == "README.md":
            raise OSError(28, "No space left on device", str(path))
        return writing(path, *arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        output = init("readable", "--documents", "handbook")
    problem = "handbook/03.md: cannot be read (Permission denied), expected a file that you may read"
    assert f"init: not usable: {problem}" in output and "27 texts" in output
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", fill)
        message = init("project", "--documents", "handbook")
    assert message == "project/README.md: cannot be written (No space left on device); name another folder"
    assert not (tmp_path / "project/ragassay.yaml").exists(), "so that the same command goes on"


def test_a_month_may_be_an_object_in_a_store(handbook, tmp_path):
    init("project", "--documents", "handbook")
    output = init("project", "--month", "2026-12", "--documents", "s3://bucket/2026-12.csv")
    assert "added shard 2026-12 of s3://bucket/2026-12.csv" in output
    assert (tmp_path / "project/shards.tsv").read_text().endswith("\n2026-12\ts3://bucket/2026-12.csv\n")


def test_a_month_of_a_crawl_has_its_days(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ragassay.yaml").write_text("shards: shards.tsv\n")
    head = "shard\tdocuments\ttopics\tfirst_day\tlast_day\tper_topic\n"
    (tmp_path / "shards.tsv").write_text(f"{head}2026-01\t\tfood\t2026-01-01\t2026-01-31\t4")
    init("--month", "2026-02")
    assert read_shards("shards.tsv")["2026-02"]["last_day"] == "2026-02-28"
    assert read_shards("shards.tsv")["2026-02"]["per_topic"] == 4
    assert "2026-02 stands there already" in init("--month", "2026-02")


def test_a_project_runs_to_a_report_with_findings_that_names_the_files(handbook, tmp_path):
    """Fewer documents than above, without a gate: what is tested is that all studies of the project end."""
    for number in range(12, 25):
        (handbook / f"{number}.md").unlink()
    (tmp_path / "q.csv").write_text("query,file,answerable\nWho sends it?,03.md,yes\nWho reads it?,more/27.pdf,no\n")
    init("project", "--documents", "handbook", "--questions", "q.csv")
    folder = tmp_path / "project"
    output = snakemake(folder, "--snakefile", ROOT / "Snakefile", "--cores", "2").stdout
    assert (folder / "results/report/index.html").is_file(), output
    findings = tables.read(FINDINGS, next((folder / "results/findings").glob("*.parquet")))
    assert len(findings), "a report begins with what was found"
    with (folder / "results/report/explorer/asked/careful.csv").open(newline="") as file:
        files = {row["file"] for row in csv.DictReader(file)}
    assert {"03.md", "more/27.pdf"} <= files
    rejected = tables.read(tables.REJECTS, folder / "results/rejects/articles/handbook.parquet").to_pylist()
    assert [row["reason"] for row in rejected] == ["unknown_kind"]
    assert NOTHING in snakemake(folder, "--snakefile", ROOT / "Snakefile", "--dry-run").stdout
