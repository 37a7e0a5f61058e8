"""The conventions that every rule keeps, and the tools that check the rest. A careless rule is shown to be found."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from snakemake.api import SnakemakeApi
from snakemake.io import is_flagged, strip_wildcard_constraints
from snakemake.settings.types import ConfigSettings, OutputSettings, ResourceSettings

from project import ROOT, snakemake
from ragassay.base.code_version import code_version, modules
from ragassay.running import rule_resources
from rule_texts import directives

CALLS = ROOT / "workflow/ragassay/calls/complete.py"
BAD_RULE = """
rule careless:
    output:
        "results/careless.txt",
    log:
        "careless.log",
    resources:
        mem_mb=2000,
    script:
        "../scripts/documents/describe_documents.py"
"""
CLIENTS = {"openai", "together", "aiohttp", "snakemake", "matplotlib"}  # a provider's own, or nobody's
HEAVY = {*CLIENTS, "altair", "vl_convert", "torch", "transformers", "pandas", "scipy", "sklearn"}
AT_ONCE = {"torch", "transformers"}  # seconds each: what may load them before it knows that it needs them
LOADING = {"optimise_passages", "mask_passages", "train_demo_lm"}


def rules(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", os.environ["PYTHONPATH"])  # which the Snakefile sets for its jobs
    with SnakemakeApi(OutputSettings()) as api:
        workflow = api.workflow(ResourceSettings(), ConfigSettings(), snakefile=Path("Snakefile"))._workflow
        return list(workflow.rules)


@pytest.fixture(scope="module")
def every():
    """All rules."""
    with pytest.MonkeyPatch.context() as patch:
        return rules(ROOT, patch)


PROFILES = {name: yaml.safe_load((ROOT / f"profiles/{name}/profile.yaml").read_text()) for name in ("default", "slurm")}
DEFAULT = PROFILES["default"]["default-resources"]
LIMITS = {"mem_mb": DEFAULT["mem_mb"], "runtime": int(DEFAULT["runtime"].removesuffix("m"))}  # Snakemake's units


def asks_for_more(rule):
    """Whether what a rule asks for, if anything, exceeds what every job gets."""
    return all(rule.resources[name].raw > limit for name, limit in LIMITS.items() if name in rule.resources)


def test_jobs_get_the_same_memory_and_time_everywhere():
    assert "default-resources" not in PROFILES["slurm"]  # those of profiles/default would count before them
    assert DEFAULT["cpus_per_task"] == 1  # Slurm refuses jobs without a processor, and no rule computes on two
    assert all(limit > 0 for limit in LIMITS.values())


def only_asks(rule, script):
    """Whether a rule waits for a model and computes nothing worth a core."""
    return CALLS in modules(script) and rule.name not in LOADING


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
        "no settings": not (callable(settings) or isinstance(settings, dict)),
        "other params than code, settings, access and prompts": set(rule.params.keys())
        - {"code", "settings", "access", "prompts"},
        "a prompt whose comments re-run it": any(
            "resources/prompts/" in str(file) and not is_flagged(file, "ancient") for file in rule.input
        ),
        "asks without access, or the reverse": (CALLS in modules(script)) != (rule.params.get("access") is not None),
        "only asks and always holds a core, or the reverse": only_asks(rule, script)
        != rule.resources["_cores"].is_evaluable(),
        "computes on more threads than one": not rule.resources["_cores"].is_evaluable()
        and rule.resources["_cores"].value > 1,
        "a log elsewhere": not str(rule.log[0]).startswith(f"logs/{rule.name}"),
        "no conda environment": not rule.conda_env,
        "asks for no more than the default": not asks_for_more(rule),
        "no docstring": not rule.docstring,
        "script of another name": script.stem != rule.name,
        "unnamed input or output": len(rule.input._names) < len(set(rule.input)) and len(rule.input._names) == 0,
    }
    return [fault for fault, is_so in found.items() if is_so]


def test_what_rules_ask_for_is_read_from_their_files_as_snakemake_reads_it(every):
    for name, asked in rule_resources.of_rules().items():
        rule = next(rule for rule in every if rule.name == name)
        assert asked == {name: rule.resources[name].raw for name in LIMITS if name in rule.resources}


def in_profile_of_slurm():
    """Rules that it puts into groups, and those for which its comments show how a GPU is asked for."""
    grouped = [pair.partition("=")[0] for pair in PROFILES["slurm"]["groups"]]
    on_gpus = re.findall(r"^#   (\w+): \{gpu: 1\}$", (ROOT / "profiles/slurm/profile.yaml").read_text(), re.MULTILINE)
    assert on_gpus
    return [*grouped, *on_gpus]


def test_every_rule_keeps_the_conventions(every):
    found = {rule.name: faults(rule) for rule in every}
    assert not {name: wrong for name, wrong in found.items() if wrong}
    assert {"collect_documents", "embed_passages", *in_profile_of_slurm()} <= set(found)


def test_no_rule_completes_the_name_of_a_file_that_is_not_checked_before_any_job(every):
    """Snakemake does not miss an input whose output exists, so that a new one here needs a check in `references`."""
    inputs = {str(file) for rule in every for file in rule.input if isinstance(file, str)}
    assert {file for file in inputs if "{" in file and not file.startswith("results/")} == {
        "resources/prompts/respond_{prompt}.yaml",
        "resources/prompts/judge_defusion{variant}.yaml",
        "annotation/{generator}/{judge}/events.jsonl",
        "annotation/{generator}/{judge}/items.parquet",
        "workflow/report/sections/{section}.yaml",  # render_page names each
    }


def test_a_rule_that_says_nothing_of_it_has_the_version_of_its_code_and_no_settings(every):
    params = {rule.name: rule.params for rule in every if rule.script}
    assert params["label_scope"].code == code_version("labels/label_scope.py") and callable(params["respond"].code)
    assert params["join_passages"].settings == {} and len({str(param.code) for param in params.values()}) == len(params)


def test_the_log_of_a_job_bears_the_wildcards_of_what_it_writes_or_the_name_that_its_rule_says(every):
    logs = {rule.name: strip_wildcard_constraints(rule.log[0]) for rule in every if rule.script}
    assert logs["measure_scope"] == "logs/measure_scope.log"
    assert logs["screen_passages"] == "logs/screen_passages/{dataset}/{retriever}/{attack}/{defence}.log"
    assert logs["judge_defusion"].startswith("logs/judge_defusion{variant}/{generator}/")


def test_hostile_names_match_no_rule(every):
    assert any(rule.is_producer("results/documents/2026-09.parquet") for rule in every)
    for name in ("../../etc/passwd", ".hidden", "x" * 65):
        assert not any(rule.is_producer(f"results/documents/{name}.parquet") for rule in every)


def test_a_rule_without_environment_or_with_a_log_elsewhere_is_found(project, monkeypatch):
    file = project / "workflow/rules/documents.smk"
    file.write_text(file.read_text() + BAD_RULE)
    careless = next(rule for rule in rules(project, monkeypatch) if rule.name == "careless")
    wanted = {"a log elsewhere", "no conda environment", "asks for no more than the default"}
    assert wanted <= set(faults(careless))


def test_rules_call_a_function_of_their_name_whose_arguments_are_inputs_outputs_and_settings():
    tests = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))
    for script in sorted((ROOT / "workflow/scripts").rglob("*.py")):
        tree = ast.parse(script.read_text())
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert script.stem in functions, script
        assert f"    run({script.stem}, snakemake)" in script.read_text(), script
        called = rf"from scripts\.{script.parent.name}(\.{script.stem} import|\b.* import .*\b{script.stem}\b)"
        assert re.search(called, tests), f"no test calls {script}"


def test_rule_file_scripts_folder_and_tests_folder_bear_one_name():
    """`rules/<name>.smk` runs `scripts/<name>/<rule>.py`, tested in `tests/<name>/`."""
    files = [file for file in sorted((ROOT / "workflow/rules").glob("*.smk")) if file.name != "common.smk"]
    assert {file.stem for file in files} == {folder.name for folder in (ROOT / "workflow/scripts").iterdir()}
    for file in files:
        rules = [rule for rule, says in directives(file.read_text()) if "output" in says]  # others name targets
        scripts = re.findall(r'"\.\./scripts/(.+)\.py"', file.read_text())
        assert scripts == [f"{file.stem}/{rule}" for rule in rules]
        assert {f"{rule}.py" for rule in rules} == {
            path.name for path in (ROOT / "workflow/scripts" / file.stem).glob("*.py")
        }


def test_no_run_no_lambda_no_plus_in_paths_and_a_contract_on_top():
    for file in sorted((ROOT / "workflow/rules").glob("*.smk")):
        text = file.read_text()
        assert not re.search(r"^\s*run:", text, re.MULTILINE), file
        assert not re.search(r"lambda(?! wildcards, attempt)", text), file
        assert not re.search(r"\"\s*\+\s*\w|\w\s*\+\s*\"", text), file
        if file.name != "common.smk":
            assert re.match(r'""".*?\n\nReads   .*\nWrites  ', text, re.DOTALL), f"{file}: no Reads / Writes contract"
    assert len((ROOT / "workflow/rules/common.smk").read_text().splitlines()) <= 100


def test_every_parquet_output_is_a_table_and_every_page_ensured():
    for file in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for rule, says in directives(file.read_text()):
            outputs = says.get("output", "")
            assert outputs.count('.parquet"') + outputs.count("table(plan(") == outputs.count("table("), rule
            assert outputs.count('.html"') + outputs.count('.csv"') == outputs.count("ensure("), rule


IMPORTS = """
import importlib.machinery, json, os, runpy, sys
from unittest.mock import MagicMock
import pyarrow.parquet, numpy, ragassay.base.stage, ragassay.base.tables  # nearly every job needs them

class Instead:  # of a heavy library: a module that has everything and does nothing
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in heavy:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = type(sys)(spec.name)
        module.__getattr__ = lambda name: MagicMock()
        return module

    def exec_module(self, module):
        pass

heavy = set(sys.argv[1].split())
sys.meta_path.insert(0, Instead())
for script in sys.argv[2:]:
    if os.fork() == 0:
        runpy.run_path(script)
        print(json.dumps([script, [name.partition(".")[0] for name in sys.modules]]), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0, script
"""


def test_no_job_imports_what_it_does_not_need():
    """Before it runs; what heavy libraries import themselves is left out. That a rule's environment has what it imports
    is a test of the locks.
    """
    scripts = sorted(map(str, (ROOT / "workflow/scripts").rglob("*.py")))
    command = [sys.executable, "-c", IMPORTS, " ".join(HEAVY), *scripts]
    environment = {"PYTHONPATH": str(ROOT / "workflow")}
    lines = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.splitlines()
    imported = {Path(script).stem: HEAVY.intersection(names) for script, names in map(json.loads, lines)}
    assert len(imported) == len(scripts) > 40
    assert not {name: heavy for name, heavy in imported.items() if heavy & CLIENTS}
    assert {name for name, heavy in imported.items() if heavy & AT_ONCE} <= LOADING
    assert not any(imported[name] for name in ("label_scope", "filter_retrieved", "collect_documents", "respond"))


def test_first_party_imports_are_absolute_and_no_package_imports_its_variants():
    for path in sorted((ROOT / "workflow").rglob("*/*/__init__.py")):  # but the library's own, which is its door
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
    assert "Specify a conda environment or container" in snakemake(project, "--lint", check=False).stdout


def test_no_module_is_two_ideas():
    files = [
        *(ROOT / "workflow").rglob("*.py"),
        *(ROOT / "workflow/rules").glob("*.smk"),
        *(ROOT / "benchmarks").rglob("*.py"),
    ]
    assert not {str(file): count for file in files if (count := len(file.read_text().splitlines())) > 300}
