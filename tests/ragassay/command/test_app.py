"""The command: what it lists, what it passes on, and how it ends."""

import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import pytest
import yaml
from typer.testing import CliRunner

from ragassay.base import pipeline
from ragassay.command import check, guard, run, show
from ragassay.command.app import app, main
from ragassay.plan import corpora
from services import Service
from tools.loopback import Loopback

SUBCOMMANDS = (
    "init demo check estimate run assay show annotate export release verify replay diff rehydrate prune".split()
)
SUBCOMMANDS += ["reproduce", "guard", "serve", "stage", "clean-staging", "exam", "doctor"]
NOT_LOADED = {"snakemake", "pandas", "torch", "pyarrow", "numpy", "jsonschema", "openai", "rich"}


def invoked(*words):
    return CliRunner().invoke(app, [*words], catch_exceptions=False)


def test_help_lists_every_subcommand_with_a_line_that_fits():
    output = invoked("--help").output
    lines = {line.split()[0]: line for line in output.partition("Commands:")[2].splitlines() if line.startswith("  ")}
    assert {*SUBCOMMANDS} <= lines.keys()
    assert not [line for line in lines.values() if line.endswith("...") or len(line) > 80]


def test_help_and_the_doctor_load_nothing_that_takes_time_or_may_be_missing():
    script = (
        "import sys; from ragassay.command import doctor; from ragassay.command.app import app;"
        "app(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not NOT_LOADED & {*done.stdout.split()}


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_each_subcommand_has_help(name):
    result = invoked(name, "--help")
    assert result.exit_code == 0, result.output


@pytest.fixture
def started(monkeypatch, tmp_path):
    """What would take the place of this process, in an empty folder."""
    commands = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run.os, "execve", lambda path, command, environment: commands.append((command, environment)))
    return commands


def test_what_run_does_not_know_goes_on_to_snakemake(started):
    invoked("run", "scope", "-n", "--configfile", "a.yaml", "b.yaml", "--slurm", "-j4")
    command, _ = started[0]
    assert command[command.index("--snakefile") + 2 :] == [
        *("scope", "-n", "--configfile", "a.yaml", "b.yaml", "-j4"),
        *("--profile", str(pipeline.PIPELINE / "profiles/slurm")),
    ]


def test_targets_may_stand_after_two_dashes(started, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["ragassay", "run", "--configfile", "a.yaml", "--", "scope"])
    with pytest.raises(SystemExit):
        main()
    assert started[0][0][-4:] == ["--configfile", "a.yaml", "--", "scope"]


def test_run_downloads_on_demand_and_export_runs_the_rule_of_that_name(started):
    for words in (("run", "scope", "--download"), ("export", "--dry-run")):
        invoked(*words)
    assert [command[-2:] for command, _ in started] == [["--config=download=True", "scope"], ["export", "--dry-run"]]


def test_the_demo_brings_its_documents_and_configuration(started, tmp_path):
    result = invoked("demo", "scope")
    folder = tmp_path / "ragassay-demo"
    assert (folder / "config/config.yaml").is_file() and any((folder / "resources/demo/articles").rglob("*.md"))
    assert not (folder / "resources/prompts").exists()
    command, environment = started[0]
    assert command[-1] == "scope" and environment["RAGASSAY_OPEN_REPORT"] == "1"
    assert str(folder) in result.output


def test_the_demo_goes_into_no_folder_with_other_files(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(run.DemoError, match=r"expected no folder or an empty one"):
        run.lay_out(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_the_user_changed_in_the_demo_stays(tmp_path):
    run.lay_out(tmp_path / "demo")
    (tmp_path / "demo/config/config.yaml").write_text("report: {title: Mine}\n")
    run.lay_out(tmp_path / "demo")
    assert (tmp_path / "demo/config/config.yaml").read_text() == "report: {title: Mine}\n"


@pytest.fixture
def here(project, monkeypatch):
    """The project, in which the command is called."""
    monkeypatch.chdir(project)
    return project


def test_check_says_what_is_wrong_and_what_to_do(here, capsys):
    assert check.report([]) == 0
    assert capsys.readouterr().out.endswith("next: ragassay estimate\n")
    (here / "mine.yaml").write_text("scope: {judges: [carefull]}\n")
    assert check.report(["--configfile", "mine.yaml"]) == 1
    problem, remedy = capsys.readouterr().err.splitlines()
    assert problem.startswith("mine.yaml: scope.judges") and "did you mean careful?" in problem
    assert remedy == "check: correct these lines, then: ragassay check"


def test_check_says_which_corpus_needs_more_parts(here, monkeypatch, capsys):
    monkeypatch.setattr(corpora, "PART_BYTES", 100)
    (here / "large.jsonl").write_text('{"text": "A ferry."}\n' * 50)
    (here / "small.jsonl").write_text('{"text": "A ferry."}\n')
    entries = {
        "one": (["small.jsonl", "large.jsonl"], 1),
        "four": (["large.jsonl"], 4),
        "sixteen": (["large.jsonl"], 16),
    }
    entries |= {"stored": (["s3://bucket/large.jsonl"], 1)}
    own = {name: {"files": files, "parts": parts, "columns": {"id": ""}} for name, (files, parts) in entries.items()}
    (here / "own.yaml").write_text(yaml.safe_dump({"corpora": own}, sort_keys=False))
    assert check.report(["--configfile", "own.yaml"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "large.jsonl" in line]
    remedy = "(large.jsonl), expected at most about 1 GB in one; set corpora"
    assert lines == [
        f"check: corpora.one: found 0.0 GB in 1 part {remedy}.one.parts: 16",
        f"check: corpora.four: found 0.0 GB in 4 parts {remedy}.four.parts: 16",
    ]


def test_check_asks_each_model_on_demand(here, monkeypatch, capsys):
    monkeypatch.setenv("MY_KEY", "test-key")
    with Loopback(texts=["Paris"]) as server:
        entry = f"provider: openai, model: loopback, base_url: '{server.url}', price: {{input: 1, output: 1}}"
        (here / "mine.yaml").write_text(f"models: {{mine: {{{entry}, key_variable: MY_KEY}}}}\n")
        assert check.report(["--configfile", "mine.yaml"], asks=True) == 0
        told = capsys.readouterr().out
        monkeypatch.setenv("MY_KEY", "another")
        assert check.report(["--configfile", "mine.yaml"], asks=True) == 1
        refused = capsys.readouterr().err
    assert "model mine: 'Paris' | 'Paris'\n" in told and "served as loopback" in told
    assert "model careful: " in told and "model authors: " not in told
    assert "service:guarded: not asked, since it reads results/gates/articles/minilm, which a run makes first\n" in told
    assert refused.startswith("models.mine: ") and refused.endswith("then: ragassay check --live\n")
    rights = {path.name: path.stat().st_mode & 0o077 for path in [here / "ledger", *here.glob("ledger/**/*")]}
    assert "grants.json" in rights and not any(rights.values()), "a check writes for the user alone, as a run does"


def test_check_asks_a_service_and_shows_what_it_read(here, capsys):
    reply = {"text": "In 1931.", "docs": [{"body": "It opened in 1931.", "id": "a-7", "score": 0.5}], "usd": 0.25}
    paths = {"answer": "$.text", "passages": "$.docs[*]", "text": "$.body", "cost": "$.usd"}
    with Service(lambda body: reply) as service:
        written = {"mine": {"address": service.address, "version": "1", "price": 1, "reply": paths}}
        (here / "mine.yaml").write_text(yaml.safe_dump({"services": written}))
        words = ["mine", "--configfile", "mine.yaml"]
        assert check.report(words, question="When did it open?") == 0
        output = capsys.readouterr().out
        assert json.loads(service.asked[0]["body"]) == {"question": "When did it open?"} and len(service.asked) == 1
        written["mine"]["reply"]["answer"] = "$.answer"
        (here / "mine.yaml").write_text(yaml.safe_dump({"services": written}))
        assert check.report(words) == 1
        problem, remedy = capsys.readouterr().err.splitlines()
    assert "service:mine: asked 'When did it open?', $0.250000\n" in output
    assert "  answer, at $.text: 'In 1931.'\n  passages, at $.docs[*]: 1\n" in output
    assert "    1: id a-7, source None, score 0.5: 'It opened in 1931.'\n" in output
    assert problem.startswith("services.mine: ") and "found nothing at '$.answer'" in problem
    assert remedy == "check: correct these entries, then: ragassay check mine"
    assert check.report(["mein", "--configfile", "mine.yaml"]) == 1
    assert "did you mean mine?" in capsys.readouterr().err


def test_check_asks_which_one_is_meant_where_a_model_and_a_service_share_a_name(here, capsys):
    service = {"address": "http://127.0.0.1:9/ask", "version": "1", "price": 1, "reply": {"answer": "$.text"}}
    settings = {"models": {"mine": {"provider": "rules", "model": "careful"}}, "services": {"mine": service}}
    (here / "mine.yaml").write_text(yaml.safe_dump(settings))
    assert check.report(["mine", "--configfile", "mine.yaml"]) == 1
    problem = (
        "check: found 'mine', which is a model and a service; ask the service with service:mine, or both with --live"
    )
    assert capsys.readouterr().err == f"{problem} alone\n"
    assert check.report(["service:mine", "--configfile", "mine.yaml"]) == 1
    assert capsys.readouterr().err.startswith("services.mine: ")


def test_show_wants_a_report(here):
    with pytest.raises(show.ShowError, match=r"results/report/index.html: no such file"):
        show.show_report([])


def test_show_prints_all_findings_and_the_address(done, monkeypatch, capsys):
    monkeypatch.chdir(done)
    show.show_report(["--configfile", "tests/tiny/config.yaml"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("findings") and lines[-2].startswith("report: file:///")
    assert "ragassay show --serve" in lines[-1]


def test_the_report_is_served_and_nothing_beside_it(tmp_path):
    (tmp_path / "report").mkdir()
    (tmp_path / "report/index.html").write_text("what was found")
    (tmp_path / "ragassay.yaml").touch()
    with show.server_of(tmp_path / "report", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with urllib.request.urlopen(f"{address}/") as page:
            assert page.read() == b"what was found"
        with pytest.raises(urllib.error.HTTPError, match="404") as refused:
            urllib.request.urlopen(f"{address}/../ragassay.yaml")
        refused.value.close()
        with pytest.raises(show.ShowError, match="expected a free port"):
            show.server_of(tmp_path, server.server_port)
        server.shutdown()


def test_guards_are_those_that_the_configuration_plans(here):
    config = check.configuration([])
    every = guard.guards(config, {})
    chosen = guard.guards(config, {"dataset": "demo", "retriever": "minilm", "defence": "raguard"})
    assert chosen == ["results/guards/demo/minilm/raguard.json"] and {*chosen} < {*every}
    with pytest.raises(guard.GuardError, match=r"did you mean raguard\?"):
        guard.guards(config, {"defence": "raguards"})


@pytest.mark.parametrize("words", [("annotate",), ("release", "1"), ("check",), ("show",), ("guard",), ("prune",)])
def test_outside_of_a_project_each_subcommand_says_so(words, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["ragassay", *words])
    with pytest.raises(SystemExit) as ending:
        main()
    assert ending.value.code == 1
    assert "ragassay.yaml: no such file; run this in the project's folder" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_an_error_that_a_person_can_act_on_is_one_line(monkeypatch, tmp_path, capsys):
    (tmp_path / "other.txt").touch()
    monkeypatch.setattr(sys, "argv", ["ragassay", "demo", "--folder", str(tmp_path)])
    with pytest.raises(SystemExit) as ending:
        main()
    assert ending.value.code == 1
    assert capsys.readouterr().err.startswith(f"ragassay: {tmp_path}: found other files")
