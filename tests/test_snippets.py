"""Every snippet of docs/ and the READMEs does what it says: settings pass the strict loader, alone and together with
those of their page, commands are planned, tables of shards are read. Files that a reader brings have one row.
"""

import functools
import itertools
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from snakemake.utils import update_config
from typer.testing import CliRunner

from fitted import write_recording
from programs import require
from project import ROOT, copy_project, snakemake
from ragassay.command.app import app
from ragassay.config.schema import merged
from ragassay.config.settings import checked, read
from ragassay.config.shards import read_shards
from ragassay.plan import references
from study import MINILM

PAGES = {page.stem: page.read_text() for page in (ROOT / "docs").glob("*.md")}
PAGES |= {"README": (ROOT / "README.md").read_text(), "settings": (ROOT / "config/README.md").read_text()}
MERGED = "# merge into mine.yaml\n"  # begins a snippet that is laid over the first of its page
BROUGHT = re.compile(r"^(data|vectors|models)/")
SNAKEMAKE = ".venv/bin/snakemake"
BEIR = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")
ROW = dict.fromkeys(("id", "doc_id", "question_id", "target_id"), "a") | {"date": "2026-11-03", "text": "A text."}
ROW |= {"question": "A question?", "url": ""}
NAMING = ("columns", "documents", "questions", "responders", "judges", "annotators")  # settings that may name columns
ELSEWHERE = {  # commands that other tests run -> which
    "pip install .": "tests/ragassay/command/test_installation.py",
    "uv tool install '.[demo]'": "tests/test_dockerfile.py",
    "pip install '.[service]'": "tests/ragassay/services/test_without_torch.py",
    "python verify.py": "tests/release/test_verify.py",
    "cp -r results/gates/manual/minilm gate-of-the-manual": "tests/relevance/test_study.py",
}
PYTHON = {  # pages whose Python tests run -> which
    "attacks": "tests/attacks/test_guide.py",
    "defences": "tests/defences/test_guard.py",
    "detectors": "tests/detectors/test_apply_detectors.py",
    "guard_server": "tests/ragassay/services/serving/test_server.py",
    "guards": "tests/test_snippets.py",
    "notebooks": "tests/test_notebooks.py",
    "relevance": "tests/relevance/test_study.py",
    "revprag": "tests/probes/test_guide.py",
    "services": "tests/services/test_guide.py",
}


def blocks(page, kind):
    snippets = re.findall(r"```(\w*)\n(.*?)```", PAGES[page], re.DOTALL)
    return [textwrap.dedent(text) for language, text in snippets if language == kind]


SETTINGS = {page: found for page in PAGES if (found := blocks(page, "yaml"))}
COMMANDS = [
    (page, line.strip())
    for page in PAGES
    for block in blocks(page, "")
    if not block.startswith("shard\t")
    for line in block.replace("\\\n", "").splitlines()
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A copy of the project, in which no test runs a job."""
    return copy_project(tmp_path_factory.mktemp("snippets") / "project")


@pytest.fixture
def laid_over(folder, monkeypatch):
    """A function that checks the default configuration with these snippets over it, where the files that they name have
    one row.
    """
    monkeypatch.chdir(folder)
    for name in re.findall(r"[A-Z_]+_API_KEY", "".join(PAGES.values())):
        monkeypatch.setenv(name, "not asked")

    def laid_over(snippets):
        config, files = read("config/config.yaml"), [f"snippet-{number}.yaml" for number, _ in enumerate(snippets)]
        for file, snippet in zip(files, snippets, strict=True):
            (folder / file).write_text(snippet)
            update_config(config, read(file))
        bring(folder, config)
        checked(config, ["config/config.yaml", *files], merged(), references.problems)

    return laid_over


def bring(folder, settings):
    """Files with one row, and folders as BEIR has them, for all paths that a reader brings."""
    row = dict.fromkeys(named_columns(settings), "yes") | ROW
    for place in brought(settings):
        for file in [folder / place] if Path(place).suffix else [folder / place / name for name in BEIR]:
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix == ".parquet":
                pq.write_table(pa.Table.from_pylist([row]), file)
            elif file.suffix == ".csv":
                file.write_text(f"{','.join(row)}\n{','.join(row.values())}\n")
            elif file.suffix == ".safetensors":
                write_recording(file)
            else:
                file.touch()


def brought(value):
    """All paths of a reader's files in settings."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from brought(inner)
    if isinstance(value, str) and BROUGHT.match(value):
        yield value


def named_columns(settings, inside=False):
    """What settings call columns of files."""
    for key, value in settings.items() if isinstance(settings, dict) else ():
        if isinstance(value, dict):
            yield from named_columns(value, inside or key in NAMING)
        elif inside and isinstance(value, str) and not BROUGHT.match(value):
            yield value


@pytest.mark.parametrize(("page", "number"), [(page, at) for page in SETTINGS for at in range(len(SETTINGS[page]))])
def test_settings_are_a_configuration_by_themselves(laid_over, page, number):
    snippet = SETTINGS[page][number]
    laid_over([SETTINGS[page][0], snippet] if snippet.startswith(MERGED) else [snippet])


@pytest.mark.parametrize("page", SETTINGS)
def test_settings_of_a_page_are_one_configuration_together(laid_over, page):
    laid_over(SETTINGS[page])


@pytest.mark.parametrize("page", SETTINGS)
def test_settings_that_repeat_a_key_of_their_page_say_where_they_belong(page):
    keys = set()
    for snippet in SETTINGS[page]:
        assert snippet.startswith(MERGED) or not keys & yaml.safe_load(snippet).keys(), snippet
        keys |= yaml.safe_load(snippet).keys()


@pytest.mark.parametrize("command", [command for _, command in COMMANDS if not command.startswith(SNAKEMAKE)])
def test_a_command_is_understood(command):
    program, *words = shlex.split(command, comments=True)
    if program == "PYTHONPATH=workflow":
        assert words[:2] == [".venv/bin/python", "-m"], command
        assert_has_help(*words[2:4])
    elif program == "ragassay":
        assert CliRunner().invoke(app, [words[0], "--help"]).exit_code == 0
    elif program == "make":
        subprocess.run([require("make"), "--dry-run", *words], cwd=ROOT, check=True, capture_output=True)
    else:
        assert (ROOT / ELSEWHERE[shlex.join([program, *words])]).is_file()


def plans():
    """(page whose settings are needed or nothing, options) -> the targets of all commands that have these."""
    targets = {}
    for page, command in COMMANDS:
        if command.startswith(SNAKEMAKE):
            words = shlex.split(command, comments=True)[1:]
            if "profiles/slurm" in words:  # needs an executor that is not installed here; the rest of it is planned
                del words[words.index("--profile") : words.index("profiles/slurm") + 1]
            options = tuple(itertools.dropwhile(lambda word: not word.startswith("--"), words))
            named = words[: len(words) - len(options)] or ["report"]
            targets.setdefault((page if "mine.yaml" in words else "", options), set()).update(named)
    return targets


@pytest.mark.parametrize(("page", "options"), plans())
def test_what_snakemake_is_asked_for_is_planned(folder, page, options):
    if page:
        (folder / "mine.yaml").write_text(SETTINGS[page][0])
        bring(folder, yaml.safe_load(SETTINGS[page][0]))
    targets = sorted(plans()[page, options])
    assert "Job stats" in snakemake(folder, "--dry-run", *targets, *options).stdout


@functools.cache
def assert_has_help(*words):
    """Once for each command of a program, whatever follows it."""
    subprocess.run([sys.executable, "-m", *words, "--help"], cwd=ROOT / "workflow", check=True, capture_output=True)


TABLES = [block for page in PAGES for block in blocks(page, "") if block.startswith("shard\t")]


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_shards_is_read(folder, monkeypatch, table):
    monkeypatch.chdir(folder)
    bring(folder, re.split(r"\s+", table))
    (folder / "data/shards.tsv").write_text(table)
    assert len(read_shards("data/shards.tsv", {})) == len(table.splitlines()) - 1


def test_python_is_run_by_a_test():
    assert {page for page in PAGES if blocks(page, "python")} == PYTHON.keys()
    for page, test in PYTHON.items():
        assert page in (ROOT / test).read_text(), test


def test_the_python_for_services_filters_what_the_demo_finds(project, monkeypatch, capsys):
    """The encoder reads the beginnings of texts, so that a thousand take seconds."""
    encoder = MINILM | {"options": MINILM["options"] | {"max_tokens": 48}}
    (project / "quick.yaml").write_text(yaml.safe_dump({"encoders": {encoder.pop("name"): encoder}}))
    retrieved = ("results/retrieved/demo/minilm/poisonedrag_black.parquet", "results/guards/demo/minilm/raguard.json")
    snakemake(project, "results/gates/articles/minilm", *retrieved, "--configfile", "quick.yaml")
    monkeypatch.chdir(project)
    given = {}
    for program in blocks("guards", "python"):
        exec(program, given)
    assert given["decision"].action == "answer"
    planted = [text in given["planted"].values for text in given["kept"]]
    assert capsys.readouterr().out.splitlines()[1].endswith(f"{sum(planted)} kept") and not all(planted)
