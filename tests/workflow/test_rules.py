"""The conventions that every rule keeps, and the tools that check the rest. A careless rule is shown to be found."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, OutputSettings, ResourceSettings

from conftest import ROOT
from ragassay.code import modules
from snake import snakemake

CALLS = ROOT / "workflow/ragassay/llm/calls.py"
BAD_RULE = """
rule careless:
    output:
        "results/careless.txt",
    script:
        "../scripts/documents/describe_documents.py"
"""
HEAVY = {
    "openai",
    "together",
    "aiohttp",
    "torch",
    "transformers",
    "pandas",
    "scipy",
    "sklearn",
    "matplotlib",
    "snakemake",
    "jinja2",
    "jsonschema",
}
NEEDED = {
    "render_report": {"jinja2", "jsonschema"},
    "draw_figures": {"jsonschema"},
    "build_explorer": {"jinja2"},
    "search_bm25": {"sklearn", "scipy", "pandas"},
    "measure_question_sets": {"sklearn", "scipy", "pandas"},
    "grade_hardness": {"sklearn", "scipy", "pandas"},  # scikit-learn, which looks whether it is given data frames
    "train_detector": {"sklearn", "scipy", "pandas"},
    "train_demo_lm": {"torch", "transformers", "jinja2", "scipy"},
}


def rules(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with SnakemakeApi(OutputSettings()) as api:
        workflow = api.workflow(ResourceSettings(), ConfigSettings(), snakefile=Path("Snakefile"))._workflow
        return list(workflow.rules)


def faults(rule):
    """What is wrong with a rule, in words."""
    if not rule.script:
        return (
            []
            if not rule.run_func.__name__.startswith("run:") and rule.shellcmd is None and not rule.output
            else ["no script"]
        )
    script = (ROOT / "workflow/rules" / rule.script).resolve()
    settings = rule.params.get("settings")
    found = {
        "no code param": rule.params.get("code") is None,
        "no settings": settings is None or not (callable(settings) or isinstance(settings, dict)),
        "other params than code, settings and access": set(rule.params.keys()) - {"code", "settings", "access"},
        "asks without access, or the reverse": (CALLS in modules(script)) != (rule.params.get("access") is not None),
        "no log": not rule.log,
        "no conda environment": not rule.conda_env,
        "no resources": not {"mem_mb", "runtime"} <= rule.resources.keys(),
        "no docstring": not rule.docstring,
        "script of another name": script.stem != rule.name,
        "unnamed input or output": len(rule.input._names) < len(set(rule.input)) and len(rule.input._names) == 0,
    }
    return [fault for fault, is_so in found.items() if is_so]


def test_every_rule_keeps_the_conventions(monkeypatch):
    found = {rule.name: faults(rule) for rule in rules(ROOT, monkeypatch)}
    assert "collect_documents" in found
    assert not {name: wrong for name, wrong in found.items() if wrong}


def test_no_rule_completes_the_name_of_a_file_that_is_not_checked_before_any_job(monkeypatch):
    """Snakemake does not miss an input whose output exists, so that a new one here needs a check in `references`."""
    inputs = {str(file) for rule in rules(ROOT, monkeypatch) for file in rule.input if isinstance(file, str)}
    assert {file for file in inputs if "{" in file and not file.startswith("results/")} == {
        "resources/prompts/respond_{prompt}.yaml",
        "resources/prompts/judge_defusion{variant}.yaml",
        "annotation/{generator}/{judge}/events.jsonl",
        "annotation/{generator}/{judge}/items.parquet",
        "workflow/report/sections/{section}.yaml",  # render_report names each
    }


def test_a_rule_without_code_param_log_or_environment_is_found(project, monkeypatch):
    file = project / "workflow/rules/documents.smk"
    file.write_text(file.read_text() + BAD_RULE)
    careless = next(rule for rule in rules(project, monkeypatch) if rule.name == "careless")
    assert {"no code param", "no log", "no conda environment", "no resources"} <= set(faults(careless))


def test_rules_call_a_function_of_their_name_whose_arguments_are_inputs_outputs_and_settings():
    for script in sorted((ROOT / "workflow/scripts").rglob("*.py")):
        tree = ast.parse(script.read_text())
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert script.stem in functions, script
        assert f"    run({script.stem}, snakemake)" in script.read_text(), script
        assert (ROOT / "tests" / script.parent.name / f"test_{script.name}").is_file(), (
            f"{script} has no test beside it"
        )


def test_no_run_no_lambda_no_plus_in_paths_and_a_contract_on_top():
    for file in sorted((ROOT / "workflow/rules").glob("*.smk")):
        text = file.read_text()
        assert not re.search(r"^\s*run:", text, re.MULTILINE), file
        assert not re.search(r"lambda(?! wildcards, attempt)", text), file
        assert not re.search(r"\"\s*\+\s*\w|\w\s*\+\s*\"", text), file
        if file.name != "common.smk":
            assert re.match(r'""".*?\n\nReads   .*\nWrites  ', text, re.DOTALL), f"{file}: no Reads / Writes contract"
    assert len((ROOT / "workflow/rules/common.smk").read_text().splitlines()) <= 100


def test_every_parquet_output_is_ensured():
    for file in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for rule in re.split(r"^rule ", file.read_text(), flags=re.MULTILINE)[1:]:
            outputs = rule.split("output:")[1].split("    log:")[0]
            others = outputs.count(".html") + outputs.count(".csv")
            assert outputs.count(".parquet") == outputs.count("ensure(") - others, rule.split(":")[0]


@pytest.mark.parametrize("script", sorted((ROOT / "workflow/scripts").rglob("*.py")), ids=lambda path: path.stem)
def test_no_job_imports_what_it_does_not_need(script):
    code = f"import runpy, sys; runpy.run_path({str(script)!r}); print(*{{m.partition('.')[0] for m in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT / "workflow")},
    )
    assert set(done.stdout.split()) & HEAVY == NEEDED.get(script.stem, set())


def test_first_party_imports_are_absolute_and_no_package_imports_its_variants():
    for path in sorted((ROOT / "workflow").rglob("__init__.py")):
        assert not path.read_text().strip(), f"{path} is not empty: editing it would re-run every rule of its package"
    for script in (ROOT / "workflow/scripts").rglob("*.py"):
        assert modules(script)


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check"],
        ["ruff", "format", "--check"],
        ["snakefmt", "--check", "Snakefile", "workflow"],
        ["snakemake", "--lint"],
    ],
    ids=" ".join,
)
def test_style(command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_lint_finds_a_fault(project):
    file = project / "workflow/rules/documents.smk"
    file.write_text(file.read_text() + BAD_RULE)
    assert "No log directive defined" in snakemake(project, "--lint", check=False).stdout


def test_no_module_is_two_ideas():
    files = [
        *(ROOT / "workflow").rglob("*.py"),
        *(ROOT / "workflow/rules").glob("*.smk"),
        *(ROOT / "benchmarks").glob("*.py"),
    ]
    assert not {str(file): count for file in files if (count := len(file.read_text().splitlines())) > 300}
