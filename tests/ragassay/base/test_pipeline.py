"""Files of the pipeline are found from any folder, and a project's own take their place."""

import os
import signal
import sys
import threading

import pytest

from project import ROOT
from ragassay.base import pipeline

PROMPT = "resources/prompts/judge_scope.yaml"
FORM = "resources/prompts/respond_{prompt}.yaml"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_in_a_clone_paths_stay_as_they_are(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert pipeline.in_clone()
    assert pipeline.shipped([PROMPT, FORM]) == [PROMPT, FORM]
    assert pipeline.settings_files() == ["config/config.yaml"]
    assert "--snakefile" not in pipeline.snakemake("-n") and pipeline.run_command("-n") == "snakemake -n"


def test_elsewhere_a_link_leads_to_the_pipeline(elsewhere):
    path = pipeline.shipped(PROMPT)
    assert path == f".snakemake/ragassay/{PROMPT}"
    assert (elsewhere / path).read_bytes() == (ROOT / PROMPT).read_bytes()
    assert pipeline.original(path) == PROMPT
    assert pipeline.run_command("scope") == "ragassay run scope"


def test_a_link_to_an_installation_that_is_gone_is_made_again(elsewhere):
    (elsewhere / ".snakemake").mkdir()
    (elsewhere / ".snakemake/ragassay").symlink_to(elsewhere / "gone")
    pipeline.prepare()
    assert (elsewhere / ".snakemake/ragassay").resolve() == ROOT


def test_a_file_of_the_projects_own_takes_the_pipelines_place(elsewhere):
    (elsewhere / "resources/prompts").mkdir(parents=True)
    (elsewhere / PROMPT).touch()
    (elsewhere / FORM.format(prompt="mine")).touch()
    of_job = pipeline.shipped(FORM)
    assert pipeline.shipped(PROMPT) == PROMPT
    assert of_job({"prompt": "mine"}) == FORM.format(prompt="mine")
    assert of_job({"prompt": "basic"}) == f".snakemake/ragassay/{FORM.format(prompt='basic')}"
    names = pipeline.matching("resources/prompts/respond_*.yaml")
    assert not names["respond_mine.yaml"].is_absolute() and names["respond_basic.yaml"].is_relative_to(ROOT)


def test_another_workflow_is_no_clone(elsewhere):
    (elsewhere / "workflow/rules").mkdir(parents=True)
    (elsewhere / "workflow/rules/common.smk").touch()
    assert not pipeline.in_clone()


def test_a_projects_own_configuration_comes_first(elsewhere):
    assert pipeline.settings_files() == []
    (elsewhere / "config").mkdir()
    (elsewhere / "config/config.yaml").touch()
    assert pipeline.settings_files() == ["config/config.yaml"]
    (elsewhere / "ragassay.yaml").touch()
    assert pipeline.settings_files() == ["ragassay.yaml"]


@pytest.mark.parametrize(
    ("in_clone", "elsewhere_typed"),
    [
        ("make demo", "ragassay run"),
        ("make demo STUDY=scope", "ragassay run scope"),
        ("make annotate", "ragassay annotate"),
        (
            ".venv/bin/snakemake question_sets --configfile mine.yaml",
            "ragassay run question_sets --configfile mine.yaml",
        ),
    ],
)
def test_commands_are_those_of_the_folder(elsewhere, monkeypatch, in_clone, elsewhere_typed):
    assert pipeline.typed(in_clone) == elsewhere_typed
    monkeypatch.chdir(ROOT)
    assert pipeline.typed(in_clone) == in_clone


def test_configfiles_are_read_as_snakemake_reads_them():
    assert pipeline.configfiles(["scope", "--configfile", "a.yaml", "b.yaml", "-n"]) == ["a.yaml", "b.yaml"]
    assert pipeline.configfiles(["scope", "-n"]) == []


def test_an_environment_of_condas_gets_the_library_alone(elsewhere, monkeypatch):
    """Not the folder in which it is installed, where packages of another Python lie."""
    monkeypatch.setattr(pipeline, "INSTALLED", True)
    pipeline.prepare(conda=True)
    *_, alone = pipeline.import_path(conda=True)
    assert [path.name for path in (elsewhere / ".snakemake/library").iterdir()] == ["ragassay"]
    assert alone == str(elsewhere / ".snakemake/library")
    assert (elsewhere / ".snakemake/library/ragassay/__init__.py").is_file()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 7), (signal.SIGINT, 0)])
def test_a_run_is_ended_and_not_left_alone(tmp_path, number, status):
    """SIGTERM reaches it and is waited for; Ctrl-C has reached it from the terminal, and the command says nothing."""
    code = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7));"
    code += f"open(sys.argv[1], 'w').close(); time.sleep({600 if status else 2})"
    begun, before = tmp_path / "begun", signal.getsignal(number)

    def send():
        while not begun.exists():
            pass
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=send)
    thread.start()
    assert pipeline.status_of([sys.executable, "-c", code, str(begun)]) == status
    thread.join()
    assert signal.getsignal(number) == before
