"""Which pages no longer fit and which files are left over, said by every run, and what `prune` deletes of it."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from project import NOTHING, ROOT, forked, like_a_clone, snakemake
from ragassay.report.provenance import MARKS
from ragassay.running import plans
from ragassay.running.machine import BusyError
from ragassay.running.plans import PLANS
from ragassay.running.pruning import PruneError, prune

SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(ROOT / "workflow")!r})
from ragassay.running import machine, partial_report, plans

configfile: "config/config.yaml"
SHARDS = open("shards").read().split()
CLAIMS = expand("results/claims/{{generator}}/{{shard}}.parquet", generator=config["generators"], shard=SHARDS)
machine.take_over(workflow)

rule report:
    default_target: True
    input: expand(config["report"] + "{{page}}.html", page=config["pages"]), "results/gates/a"

rule scope:
    input: CLAIMS

rule export:
    input: "results/export/questions"

rule extract_claims:
    input: "documents"
    output:
        claims="results/claims/{{generator}}/{{shard}}.parquet",
        calls="results/calls/extract_claims/{{generator}}/{{shard}}.parquet",
    wildcard_constraints: shard="|".join(SHARDS)
    params: votes=config["votes"]
    shell: "echo {{wildcards}} {{params.votes}} | tee {{output}} && test ! -e stop"

rule fit_gate:
    output: directory("results/gates/{{corpus}}")
    shell: "mkdir -p {{output}} && touch {{output}}/card.json"

rule measure_scope:
    input: CLAIMS
    output: "results/metrics/scope.parquet"
    shell: "cat {{input}} > {{output}}"

rule draw:
    input: "results/metrics/scope.parquet"
    output: config["report"] + "{{page}}.html"
    wildcard_constraints: page="[a-z]+"
    params: title=config["title"]
    shell: "cp {{input}} {{output}}"

rule export_questions:
    input: CLAIMS
    output: directory("results/export/questions")
    shell: "mkdir -p {{output}} && cp results/claims/*/*.parquet {{output}}"

plans.follow(workflow, config | {{"shards": SHARDS}}, config["report"].rstrip("/"))

onstart:
    machine.begin(workflow)
    plans.begin(workflow)

onsuccess:
    for page in config["drawn"]:
        shell("mkdir -p results/report && cp results/metrics/scope.parquet {{page}}")
        partial_report._mark([page])
"""
CONFIG = {"generators": ["authors"], "votes": 3, "title": "t", "pages": ["index", "scope"], "report": "results/report/"}
CONFIG |= {"drawn": []}  # pages that a run draws beside its jobs
LOCAL = ("--profile", "none", "--cores", "1", "--rerun-incomplete")
ALL = "results/claims/authors/2026-01.parquet"
FEBRUARY = "results/claims/authors/2026-02.parquet"
OTHER = ("--configfile", "other.yaml")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project in which nothing has run."""
    like_a_clone(tmp_path)
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "config").mkdir()
    (tmp_path / "shards").write_text("2026-01 2026-02")
    (tmp_path / "documents").touch()
    (tmp_path / "other.yaml").write_text(json.dumps({"generators": ["rules"], "report": "results/report/other/"}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plans, "subprocess", SimpleNamespace(run=forked, DEVNULL=None, PIPE=None))
    configure()
    return tmp_path


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Where the project lies once everything has run, for all tests that begin there."""
    return tmp_path_factory.mktemp("plans") / "finished"


@pytest.fixture
def finished(folder, kept):
    """A project in which everything has run."""
    if kept.exists():
        subprocess.run(["cp", "-a", f"{kept}/.", folder], check=True)
    else:
        assert run() == []
        subprocess.run(["cp", "-a", folder, kept], check=True)
    return folder


def configure(**changes):
    Path("config/config.yaml").write_text(json.dumps(CONFIG | changes))


def run(*words, check=True):
    """What a run says at its end, about pages and about files."""
    shown = snakemake(Path.cwd(), *LOCAL, *words, check=check).stdout
    return re.findall(r"^.*(?:no longer fit|no configuration plans).*$", shown, re.MULTILINE)


def marked():
    """page -> what a browser is asked to display on it."""
    rule = r'\.outdated, \[data-page="(.+?)"\] \.outdated \.(\w+) \{ display: block \}'
    root = Path("results/report")
    marks = {path.parent.relative_to(root): re.findall(rule, path.read_text()) for path in root.rglob(MARKS)}
    return {(folder / page).as_posix(): state for folder, pages in marks.items() for page, state in pages}


def test_a_run_of_everything_leaves_nothing_to_say(folder):
    assert run() == [] and run() == [] and marked() == {}
    assert NOTHING in snakemake(folder, *LOCAL).stdout
    assert not (folder / "results/left_over.txt").exists()


def test_a_shard_that_is_gone_is_named_by_every_run_and_gathered_by_none(finished, capsys):
    assert "2026-02" in (finished / "results/metrics/scope.parquet").read_text()
    (finished / "shards").write_text("2026-01")
    for _ in range(2):  # the second run has nothing to do
        (line,) = run()
        size = (finished / FEBRUARY).stat().st_size
        assert line == f"no configuration plans 1 file ({size} B): {FEBRUARY}; to see and delete them: make prune"
    assert "2026-02" not in (finished / "results/metrics/scope.parquet").read_text()
    assert (finished / "results/left_over.txt").read_text() == f"{FEBRUARY}\n"
    prune(delete=False)
    assert FEBRUARY in capsys.readouterr().out and (finished / FEBRUARY).exists()
    prune(delete=True)
    assert not (finished / FEBRUARY).exists() and (finished / ALL).exists() and run() == []
    assert not (finished / "results/left_over.txt").exists()
    assert (finished / "results/calls/extract_claims/authors/2026-02.parquet").exists(), "what was paid stays"


def test_a_model_that_has_another_name_leaves_its_files_and_folders_behind(finished, capsys):
    configure(generators=["writers"])
    (line,) = run()
    assert line.startswith(f"no configuration plans 2 files (68 B): {ALL}, {FEBRUARY}; ")
    prune(delete=True)
    assert not (finished / "results/claims/authors").exists() and (finished / "results/claims/writers").exists()


def test_what_no_rule_writes_is_left_alone_and_no_link_is_followed(finished, capsys):
    (finished / "elsewhere").mkdir()
    (finished / "elsewhere/2026-02.parquet").touch()
    (finished / "results/claims/old").symlink_to(finished / "elsewhere")
    (finished / "results/claims/authors/2025-01.parquet").symlink_to(finished / ALL)
    mine = ["results/claims/notes.txt", "results/mine/2026-02.parquet", "results/gates/a/mine", "results/README.md"]
    for path in mine:
        (finished / path).parent.mkdir(exist_ok=True)
        (finished / path).touch()
    assert run() == []
    prune(delete=True)
    assert all((finished / path).exists() for path in [*mine, ALL, "elsewhere/2026-02.parquet"])
    assert (finished / "results/claims/old").is_symlink()
    assert (finished / "results/claims/authors/2025-01.parquet").is_symlink()


def test_a_folder_that_is_an_output_is_left_over_as_a_whole(finished):
    (finished / "results/gates/b/inner").mkdir(parents=True)
    (finished / "results/gates/b/inner/card.json").touch()
    assert run()[0].startswith("no configuration plans 1 file (0 B): results/gates/b/inner/card.json; ")
    prune(delete=True)
    assert not (finished / "results/gates/b").exists() and (finished / "results/gates/a/card.json").exists()


def test_files_of_another_configuration_are_kept_as_long_as_its_file_is_there(folder, capsys):
    run(*OTHER)
    assert not any("no configuration plans" in line for line in run())
    prune(delete=True)
    shown = capsys.readouterr().out
    assert "prune: kept are the " in shown and "files of: snakemake --configfile other.yaml\n" in shown
    theirs = folder / "results/claims/rules/2026-01.parquet"
    assert theirs.exists()
    (folder / "other.yaml").unlink()
    assert not any("no configuration plans" in line for line in run()), "a run looks at no other configuration"
    prune(delete=False)
    shown = capsys.readouterr().out
    assert "found no other.yaml any more, so nothing that it planned is kept" in shown and str(theirs.name) in shown
    assert theirs.exists()
    prune(delete=True)
    assert not theirs.exists() and (folder / ALL).exists()


def test_a_configuration_that_cannot_be_planned_keeps_its_files(folder, capsys):
    run(*OTHER)
    run()
    (folder / "other.yaml").write_text("{")
    prune(delete=True)
    assert "its files are kept" in capsys.readouterr().out
    assert (folder / "results/claims/rules/2026-01.parquet").exists()


def test_nothing_is_pruned_where_the_default_configuration_cannot_be_planned(finished):
    (finished / "shards").write_text("2026-01")
    (finished / "documents").unlink()
    (finished / ALL).unlink()
    with pytest.raises(PruneError, match="Snakemake cannot plan this"):
        prune(delete=True)
    assert (finished / FEBRUARY).exists()


def test_exports_that_somebody_asked_for_are_no_leftovers(folder):
    run("export")
    assert run() == []
    (folder / ".snakemake/plans").rename(folder / "plans")  # as if an older version had written them
    prune(delete=True)
    assert (folder / "results/export/questions").is_dir() and run() == []


def test_after_a_run_of_some_targets_everything_else_is_kept(finished):
    assert run("scope") == []
    (finished / "shards").write_text("2026-01")
    (line,) = [line for line in run("scope") if "plans" in line]
    assert line.startswith(f"no configuration plans 1 file (34 B): {FEBRUARY}; ")


def test_tables_that_changed_mark_the_pages_that_were_made_from_them(finished):
    configure(votes=5)
    expected = "2 pages no longer fit the tables and settings: results/report/index.html, results/report/scope.html; to"
    for _ in range(2):
        assert run("scope") == [f"{expected} draw them again: make demo"]
        assert marked() == {"index.html": "stale", "scope.html": "stale"}
    assert run() == [] and marked() == {}


def test_a_page_that_a_run_drew_beside_its_jobs_fits_until_something_changes(finished):
    configure(votes=5, drawn=["results/report/scope.html"])
    (line,) = run("results/metrics/scope.parquet")
    assert line.startswith("1 page no longer fits the tables and settings: results/report/index.html; ")
    for _ in range(2):
        assert run("results/metrics/scope.parquet") == [line] and marked() == {"index.html": "stale"}
    configure(votes=5, title="another")
    assert run("results/metrics/scope.parquet")[0].startswith("2 pages no longer fit")


def test_the_first_report_of_a_part_is_not_out_of_date(folder):
    metrics, page = "results/metrics/scope.parquet", "results/report/index.html"
    configure(drawn=[page])
    assert run(metrics) == [] and marked() == {}, "nothing behind it is old"
    configure(drawn=[page], votes=4)
    (line,) = run("scope")
    assert line.startswith(f"1 page no longer fits the tables and settings: {page}; "), "its metrics are old now"


def test_settings_that_changed_mark_pages_also_where_a_run_made_nothing(finished):
    configure(title="another")
    assert "2 pages no longer fit" in run("scope")[0] and {*marked().values()} == {"stale"}


def test_settings_that_have_no_bearing_on_a_page_do_not_mark_it(finished):
    configure(shown_nowhere=1)
    assert run("scope") == [] and marked() == {}


def test_another_configuration_that_makes_shared_tables_again_marks_pages(finished):
    (finished / "other.yaml").write_text(json.dumps({"votes": 9, "report": "results/report/other/"}))
    (line,) = run(*OTHER)
    assert line.startswith("2 pages no longer fit") and line.endswith(": make demo")
    assert marked() == {"index.html": "stale", "scope.html": "stale"}
    (line,) = run()
    assert line.endswith(": snakemake --configfile other.yaml")
    assert marked() == {"other/index.html": "stale", "other/scope.html": "stale"}


def test_a_page_that_the_configuration_no_longer_has_is_marked_and_left_over(finished):
    configure(pages=["index"])
    assert run()[0].startswith("no configuration plans 1 file (68 B): results/report/scope.html; ")
    assert marked() == {"scope.html": "removed"}
    prune(delete=True)
    assert marked() == {} and not (finished / "results/report/scope.html").exists()


def test_a_page_whose_run_failed_is_marked(finished):
    configure(votes=4)
    (finished / "stop").touch()
    assert "2 pages no longer fit" in run(check=False)[0]
    assert marked() == {"index.html": "stale", "scope.html": "stale"}


def test_pages_of_a_run_that_was_killed_say_so(finished):
    configure(votes=5)
    waiting = SNAKEFILE.replace("test ! -e stop", "touch begun && while ! test -e go; do sleep 0.1; done")
    (finished / "Snakefile").write_text(waiting)
    command = [sys.executable, "-m", "snakemake", *LOCAL]
    head = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    while not (finished / "begun").exists():
        assert head.poll() is None
        time.sleep(0.05)
    with pytest.raises(BusyError, match="found a run in this folder, expected none"):
        prune(delete=True)
    head.send_signal(signal.SIGKILL)
    head.wait()
    (finished / "go").touch()
    assert marked() == {"index.html": "unfinished", "scope.html": "unfinished"}
    (finished / "Snakefile").write_text(SNAKEFILE)
    assert run() == [] and marked() == {}


def test_a_dry_run_and_a_plan_of_some_jobs_write_nothing_down(folder):
    run("--dry-run")
    run("--until", "extract_claims")
    assert not (folder / PLANS).exists()


def test_names_of_files_cannot_reach_out_of_the_style_sheet(finished):
    (finished / 'results/report/x"] , body { display: none } .html').touch()
    run()
    text = (finished / "results/report" / MARKS).read_text()
    assert "body" in text and text.count("{") == 1 and '"] , body' not in text


def test_a_report_whose_configuration_has_another_name_is_left_over(folder, capsys):
    run(*OTHER)
    run()
    (folder / "other.yaml").rename(folder / "third.yaml")
    (folder / "third.yaml").write_text(json.dumps({"generators": ["rules"], "report": "results/report/third/"}))
    run("--configfile", "third.yaml")
    prune(delete=True)
    assert "results/report/other/index.html" in capsys.readouterr().out
    assert sorted(path.name for path in (folder / "results/report").iterdir() if path.is_dir()) == ["third"]
    assert {*(path.name for path in (folder / "results/report/third").iterdir())} == {"index.html", "scope.html", MARKS}
