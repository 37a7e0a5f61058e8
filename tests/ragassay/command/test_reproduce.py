"""ragassay reproduce: what a table lacks is printed before anything starts, a run makes nothing else, and the paper's
numbers stand beside ours."""

import csv
import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from project import ROOT, snakemake
from ragassay.base import pipeline, tables
from ragassay.base.errors import AssayError
from ragassay.command import reproduce
from ragassay.command.app import app
from ragassay.plan import defences, measures, probes
from ragassay.report import paper_tables
from ragassay.schemas.report import METRICS, metric
from rows import index_recall

PAPERS = paper_tables.papers()
RUN = [
    f"{study}/{name}"
    for study, paper in PAPERS.items()
    for name, table in paper["tables"].items()
    if not table["instead"]
]
KEYS = ("OPENAI_API_KEY", "TOGETHER_API_KEY", "MOONSHOT_API_KEY")


def invoked(*words):
    return CliRunner().invoke(app, ["reproduce", *words], catch_exceptions=False)


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder with the project's settings and no data."""
    for name in ("config", "resources", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def here(project, monkeypatch):
    """The project, in which the command is called; nothing is missing there."""
    monkeypatch.chdir(project)
    for key in KEYS:
        monkeypatch.setenv(key, "not needed for a plan")
    bring(project, "nq", "msmarco", "hotpotqa")
    monkeypatch.setattr(reproduce.downloads, "lacking", lambda entries: {})
    return project


def narrow(name):
    """The whole configuration of a run of the table."""
    study, paper, table = paper_tables.named(name)
    file = Path("reproduced", f"{study}-{name.partition('/')[2]}.yaml")
    return reproduce.narrow(file, paper["configfiles"], paper, table, name, False)


def test_it_lists_every_table_with_its_name():
    output = invoked().output
    assert re.findall(r"^  (\S+)", output, re.M) == [
        f"{s}/{name}" for s, paper in PAPERS.items() for name in paper["tables"]
    ]
    assert output.endswith("next: ragassay reproduce STUDY/TABLE --dry-run\n")


def test_a_drawing_runs_nothing_and_says_what_there_is(clone):
    assert invoked("raguard/figure-1").output.endswith("nothing is run: the map of the stages in `README.md`\n")
    assert not (clone / "reproduced").exists()


def test_an_unknown_table_is_one_line(clone):
    with pytest.raises(AssayError, match=r"found no table 'raguard/tabel-1' \(did you mean raguard/table-1\?\)"):
        invoked("raguard/tabel-1")


def test_what_is_missing_is_said_before_anything_starts(clone, monkeypatch, capsys):
    """Files, a key and models of this table alone: a figure of one data set asks for no other."""
    monkeypatch.setattr(reproduce.pipeline, "status_of", lambda command: pytest.fail(str(command)))
    with pytest.raises(AssayError, match="raguard/figure-3: not run, 3 missing; bring what"):
        reproduce.reproduce("raguard/figure-3", ["--dry-run"])
    output = capsys.readouterr().out
    missing = re.findall(r"^missing: \S+ (\S+): found (.*?),", output, re.M)
    assert [place for place, _ in missing] == ["corpora.nq.beir:"[:-1], "query_sets.nq.beir", "models.gpt-4o-mini"]
    assert re.search(r"^cost: some \$0\.29 \(estimated from the paper's sizes\): some 4 GPU hours", output, re.M)


def test_a_project_needs_no_more_than_a_clone(tmp_path, monkeypatch, capsys):
    """Shards and sweeps of the paper come with the pipeline."""
    (tmp_path / "ragassay.yaml").write_text("report: {title: Mine}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(AssayError, match="raguard/figure-3: not run, 3 missing"):
        reproduce.reproduce("raguard/figure-3", [])
    assert "config/paper/raguard.yaml" in capsys.readouterr().out
    assert len((tmp_path / "reproduced/raguard-figure-3.tsv").read_text().splitlines()) > 5


def test_the_demo_says_where_it_has_nothing(clone):
    with pytest.raises(AssayError, match="relevance/table-9: found nothing in the demo for it"):
        invoked("relevance/table-9", "--demo")


def test_models_of_the_hub_are_missing_too(clone, monkeypatch, capsys):
    bring(clone, "nq")
    monkeypatch.setenv("OPENAI_API_KEY", "not needed for a plan")
    monkeypatch.setattr(reproduce.downloads, "lacking", lambda entries: entries)
    with pytest.raises(AssayError, match="not run, 2 missing"):
        reproduce.reproduce("raguard/figure-3", [])
    output = capsys.readouterr().out
    assert "missing: encoders.contriever: fetch it with: hf download facebook/contriever\n" in output
    assert "missing: scorers.gpt2: fetch it with: hf download openai-community/gpt2\n" in output


def bring(folder, *names):
    """The data sets of config/paper/attacks.yaml, as empty files."""
    for name in names:
        place = folder / "data/beir" / name
        (place / "qrels").mkdir(parents=True)
        for file in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "qrels/train.tsv"):
            (place / file).write_text("\n")


@pytest.mark.parametrize("name", [name for name in RUN if name.startswith(("raguard", "revprag"))])
def test_a_table_of_attacks_runs_its_cells_and_no_others(clone, name):
    """Each of the paper's numbers has its cell, but those about texts that only people can write."""
    config = narrow(name)
    _, _, table = paper_tables.named(name)
    numbers = paper_tables.printed(name, table)
    names = paper_tables.names_of(table, numbers)
    if name.startswith("revprag"):
        grid, of_defence = probes.cells(config), []
        assert config["under_attack"]["cells"] == []
        assert {*config["revprag"]["probes"]} | {*config["revprag"]["baselines"]} == {*names["probe"]}
        assert {*config["revprag"]["generalisation"]} == {*names.get("generalisation", [])}
    else:
        grid, of_defence = defences.answered(config), ["defence"]
        assert config["revprag"]["cells"] == []
    keys = ["dataset", "retriever", "attack", *of_defence, "responder"]
    cells = {tuple(cell[key] for key in keys) for cell in grid}
    assert cells and all(cell[at] in names[key] for cell in cells for at, key in enumerate(keys) if key in names)
    for number in numbers:
        wanted = table["keys"] | {key: [value] for key, value in number.keys.items()}
        meant = [
            cell
            for cell in cells
            if all(value in wanted.get(key, [value]) for key, value in zip(keys, cell, strict=True))
        ]
        assert meant or number.keys.get("attack") == "by_hand" or number.printed is None, number.keys


@pytest.mark.parametrize("name", [name for name in RUN if name.startswith("relevance")])
def test_a_table_of_relevance_compares_its_sets_and_no_others(clone, name):
    config = narrow(name)
    _, _, table = paper_tables.named(name)
    names = paper_tables.names_of(table, paper_tables.printed(name, table))
    sets = config["relevance"]["sets"].values()
    corpora = names.get("corpus", ["textbooks", "pubmed"])
    assert {entry["corpus"] for entry in sets} == {*corpora} == {*config["corpora"]}
    if "set" in names:
        assert {kind for entry in sets for kind in [*entry["near"], *entry["far"]]} == {*names["set"]}
    assert bool(config["lm_relevance"]["raters"]) == (name == "relevance/table-3")


@pytest.mark.parametrize("name", RUN)
def test_a_table_needs_the_keys_and_data_sets_that_its_page_names(clone, name):
    config = narrow(name)
    _, paper, table = paper_tables.named(name)
    keys = {"openai": "OPENAI_API_KEY", "together": "TOGETHER_API_KEY", "moonshot": "MOONSHOT_API_KEY"}
    asked = {model["key_variable"] for model in config["models"].values()} - {None}
    assert asked == {variable for need, variable in keys.items() if need in table["needs"]}
    places = {paper["inputs"][need].get("path") for need in table["needs"]} - {None}
    sets = {corpus.get("beir") for corpus in config["corpora"].values()} - {None}
    assert sets == {place for place in places if place.startswith("data/beir")}


def test_a_table_of_sweeps_sweeps_its_own_rows(clone):
    assert {row["table"] for row in measures.sweep_rows(narrow("raguard/table-7")["raguard"]["sweeps"])} == {"table_7"}
    assert narrow("raguard/table-6")["raguard"]["sweeps"] is None


def test_settings_are_the_same_each_time(clone):
    narrow("raguard/table-2")
    file = clone / "reproduced/raguard-table-2.yaml"
    before = file.read_text()
    narrow("raguard/table-2")
    assert file.read_text() == before and "gpt-4:" in before


@pytest.mark.parametrize("name", ["raguard/table-3", "revprag/table-6"])
def test_snakemake_plans_what_the_settings_ask_for(here, monkeypatch, name):
    """With data sets that are empty files: a plan opens none."""
    commands = []
    monkeypatch.setattr(reproduce.pipeline, "status_of", lambda command: commands.append(command) or 0)
    assert reproduce.reproduce(name, ["--dry-run"]) == 0
    plan = snakemake(here, *commands[0][4:]).stdout
    study, _, table = paper_tables.named(name)
    assert re.search(rf"output: .*{re.escape(table['target'])}", plan)
    assert ("sweep_raguard" in plan) == (study == "raguard") and ("train_probes" in plan) == (study == "revprag")
    assert not re.search(r"^rule (crawl_shard|respond|train_detector|measure_relevance):", plan, re.M)


def test_a_table_is_made_from_the_demos_data_and_says_so(project, monkeypatch, capsys):
    """From targets to the numbers beside the paper's, with real jobs and without a key."""
    monkeypatch.chdir(project)
    monkeypatch.setattr(
        reproduce.pipeline, "status_of", lambda command: snakemake(project, *command[4:], check=False).returncode
    )
    assert reproduce.reproduce("raguard/table-7", ["--cores", "2"], is_demo=True) == 0
    output = capsys.readouterr().out
    assert "the demo's tables in the place of the paper's" in output and "20 of 60 numbers were made here" in output
    shown = re.search(r"^NQ, II +DACC +0\.695 +(\S+) +\[(\S+), (\S+)\] +\d+$", output, re.M)
    assert float(shown[2]) <= float(shown[1]) <= float(shown[3])
    with (project / "reproduced/raguard-table-7-demo.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60 and rows[0]["paper"] == "0.893"
    removed = {row["at"]: float(row["ours"]) for row in rows if row["metric"] == "DACC" and row["dataset"] == "nq"}
    assert removed.keys() == {"I", "II", "III", "IV", "V"} and removed["III"] >= max(removed["II"], 0.9)
    assert not (project / "results/metrics/relevance.parquet").exists()


@pytest.mark.parametrize("is_indexed", [False, True])
def test_what_an_index_misses_stands_beside_each_number_that_rests_on_it(here, monkeypatch, capsys, is_indexed):
    keys = {"dataset": "nq", "retriever": "contriever-dot", "at": "II"}

    def run(command):
        rows = [metric("raguard", "table_7", keys, "fnr", 0.25, 4)]
        tables.write(METRICS, Path("results/metrics/raguard.parquet"), rows)
        for query_set, shares in {"nq.targets": (9, 10), "of_other_settings": (1,)}.items():
            index_recall(Path("results"), "nq", query_set, *shares, retriever="contriever-dot")
        return 0

    index = {"index": {"factory": "Flat"}} if is_indexed else {}
    (here / "mine.yaml").write_text(yaml.safe_dump({"retrievers": {"contriever-dot": index}}))
    monkeypatch.setattr(reproduce.pipeline, "status_of", run)
    assert reproduce.reproduce("raguard/table-7", ["--configfile", "mine.yaml"]) == 0
    head, line = re.findall(r"^(?: +paper .*|NQ, II +DACC .*)$", capsys.readouterr().out, re.M)
    remark = "`contriever-dot` searches an index that finds 95.0 % of the 10 nearest passages."
    assert line.endswith(f"  4  {remark}" if is_indexed else "  4") and head.endswith("index" if is_indexed else "  n")
    with (here / "reproduced/raguard-table-7.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert ("index" in rows[0]) == is_indexed
    assert {row.get("index") for row in rows if row["ours"]} == {remark if is_indexed else None}
    assert not any(row.get("index") for row in rows if not row["ours"])


def test_a_run_that_fails_prints_no_numbers(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    monkeypatch.setattr(reproduce.pipeline, "status_of", lambda command: 7)
    assert reproduce.reproduce("raguard/table-7", [], is_demo=True) == 7
    assert "numbers" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-n"], True), (["-np"], True), (["-nq"], True), (["-pn"], True), (["-c2", "-nF"], True), (["--dryrun"], True),
        (["--dry-run"], True), ([], False), (["-c2", "-k"], False), (["--until", "n"], False), (["--nolock"], False),
    ],
)  # fmt: skip
def test_a_dry_run_is_one_however_it_is_written(words, expected):
    assert reproduce.is_dry(words) == expected


def test_files_of_the_users_lie_over_the_papers_and_under_the_tables(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    (project / "mine.yaml").write_text("report: {title: Mine}\n")
    commands = []
    monkeypatch.setattr(reproduce.pipeline, "status_of", lambda command: commands.append(command) or 0)
    assert reproduce.reproduce("raguard/table-7", ["-np", "--configfile", "mine.yaml"], is_demo=True) == 0
    at = commands[0].index("--configfile")
    assert commands[0][at:] == ["--configfile", "mine.yaml", "reproduced/raguard-table-7-demo.yaml"]
    output = capsys.readouterr().out
    assert "settings: mine.yaml reproduced/raguard-table-7-demo.yaml\n" in output
    assert (
        "writes: results/metrics/raguard.parquet, in place of this project's; run it in a folder of its own" in output
    )


def test_it_needs_a_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not pipeline.settings_files()
    with pytest.raises(AssayError, match="no such file; run this in the project's folder"):
        reproduce.reproduce("raguard/table-7", [])
