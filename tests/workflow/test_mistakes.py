"""The mistakes of a new user: each gives one line that names file and key, what was found and what was expected, before
any job starts, and leaves results as they were. They are laid over the default configuration.
"""

from pathlib import Path

import pytest
from snakemake.utils import update_config

from project import ROOT, snakemake
from ragassay.base import plain_yaml
from ragassay.base.errors import AssayError
from ragassay.config.schema import merged
from ragassay.config.settings import checked, read
from ragassay.plan import references
from ragassay.running import command_line

OWN = "mine.yaml"
SCHEMA = merged()
DOCUMENT = "Employees have thirty days of leave a year. Five of these may be taken over into the next year. "
FILES = {
    "data/docs.csv": "file,text\nleave.md,Thirty days a year.\n",
    "data/ids.csv": "doc_id,text\nleave,Thirty days a year.\n",
    "data/questions.csv": "file,query,answerable\nleave.md,How many days?,yes\nleave.md,Who pays?,no\n",
    "data/no_ids.jsonl": '{"text": "Thirty days a year."}\n',
    "data/labels.csv": "doc_id,question,out_of_scope\nleave,How many days?,maybe\n",
    "data/asked.csv": "doc_id,question\nleave,How many days?\n",
    "data/log.csv": "when,query\n2026-11-03,How many days?\n",
    "data/bad_dates.csv": "date,query\n03.11.2026,How many days?\n",
    "data/empty.csv": "",
    "data/targets.csv": "query,answer\nHow many days?,thirty\n",
    "data/german.csv": f"id,date,text\na,03.11.2026,{DOCUMENT}\n",
    "data/no_text.csv": f"id,body\na,{DOCUMENT}\n",
    "data/hb/leave.md": DOCUMENT,
    "data/handbook/leave.md": DOCUMENT,
    "data/handbook/map.xyz": "binary",
    "data/spaces.tsv": "shard documents\n2026-11 data/hb\n",
    "data/bad_day.tsv": "shard\tdocuments\ttopics\tfirst_day\tlast_day\tper_topic\nx\t\t\t01.11.2026\t2026-11-30\t\n",
    "data/twice.tsv": "shard\tdocuments\na\tdata/hb\na\tdata/hb\n",
    "data/german.tsv": "shard\tdocuments\na\tdata/german.csv\n",
    "data/no_text.tsv": "shard\tdocuments\na\tdata/no_text.csv\n",
}
RIGHT = """
models: {gpt: {provider: openai, model: gpt-4o-mini}, here: {provider: transformers, model: resources/demo/demo-lm}}
query_logs: {support: {files: [data/log.csv], columns: {date: when, text: query}}}
question_sets:
  gold:
    documents: [data/docs.csv]
    questions: [data/questions.csv]
    columns: {documents: {doc_id: file}, questions: {doc_id: file, question: query, in_scope: answerable}}
"""
MISTAKES = plain_yaml.read(Path(__file__).with_name("mistakes.yaml"))
# Of these a run alone can tell: which jobs it has, and what it was asked for.
IN_A_RUN = {
    "no such encoder": ["results/metrics/retrieval.parquet"],
    "no such model": ["scope"],
    "a misspelt target": ["raguards"],
}


def write(folder, written):
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    if written is not None:
        (folder / OWN).write_text(written)


def refusal():
    """What is said while the workflow is read, as rules/common.smk does it."""
    try:
        command_line.read_all([Path(OWN)])
        files, config = ["config/config.yaml", OWN], {}
        for file in files:
            update_config(config, read(file))
        checked(config, files, SCHEMA, references.problems)
    except AssayError as error:
        return str(error).splitlines()
    return []


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The project's own files, and the user's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "not asked")
    for name in ("config", "resources", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


@pytest.mark.parametrize("mistake", [mistake for mistake in MISTAKES if mistake not in IN_A_RUN])
def test_a_mistake_is_one_line_before_any_job(folder, mistake):
    written, key, says = map(MISTAKES[mistake].get, ("written", "key", "says"))
    write(folder, written)
    before = sorted(folder.iterdir())
    [line] = refusal()
    assert line.startswith(f"{OWN}: {key}: " if key else OWN)
    assert [words for words in says if words not in line] == []
    assert sorted(folder.iterdir()) == before


def test_45_mistakes_are_told_and_what_is_right_is_not(folder):
    assert len(MISTAKES) == 45
    write(folder, RIGHT)
    assert refusal() == []


@pytest.mark.parametrize("mistake", IN_A_RUN)
def test_a_mistake_that_a_run_finds_leaves_results_as_they_were(project, mistake, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    written, key, says = map(MISTAKES[mistake].get, ("written", "key", "says"))
    write(project, written)
    table = project / "results/metrics/scope.parquet"
    table.parent.mkdir(parents=True)
    table.write_bytes(b"of an earlier run")
    refused = snakemake(project, *IN_A_RUN[mistake], "--cores", "1", "--configfile", OWN, check=False)
    [line] = [line for line in refused.stdout.splitlines() if f": {key}: " in line]
    assert refused.returncode == 1
    assert [words for words in ("Traceback", "WorkflowError", 'File "', '", line') if words in refused.stdout] == []
    assert [words for words in says if words not in line] == []
    assert [*(project / "results").rglob("*.parquet")] == [table]
    assert table.read_bytes() == b"of an earlier run"
