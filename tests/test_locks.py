"""The locks and per-rule environments: exact, complete, true to pyproject.toml and to what is installed, and enough for
what the rules import.
"""

import ast
import importlib.metadata
import importlib.util
import re
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from project import ROOT
from ragassay.base.code_version import WORKFLOW, modules

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
# Packages of which only data is used: what they need is what pyproject.toml says of them.
OVERRIDDEN = {entry["name"]: entry["requires-dist"] for entry in PYPROJECT["tool"]["uv"]["dependency-metadata"]}
HERE = default_environment()
RULES_PYTHON = HERE | {"python_version": "3.11", "python_full_version": "3.11.0"}  # as envs/*.yaml say
YAMLS = sorted((ROOT / "envs").glob("*.yaml"))


@cache
def load(name):
    """A module of envs/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"envs_{name}", ROOT / f"envs/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entries(lock):
    """The entries of a lock file: [requirement, [option, ...]]."""
    lines = (ROOT / lock).read_text().replace("\\\n", " ").splitlines()
    split = [re.split(r"\s+(?=--)", line) for line in lines if not line.startswith("#")]
    return [(Requirement(text), [option.strip() for option in options]) for text, *options in split]


def pins(requirements, environment=HERE):
    """name -> version of what applies in this environment; at most one entry per name may."""
    found = {}
    for requirement in requirements:
        if requirement.marker is None or requirement.marker.evaluate(environment | {"extra": ""}):
            name = canonicalize_name(requirement.name)
            assert name not in found, f"two entries for {name}"
            (only,) = requirement.specifier
            found[name] = only.version
    return found


def locked(lock="requirements.lock"):
    return pins(requirement for requirement, _ in entries(lock))


def yaml_requirements(path):
    """The pip part of an environment file, its only nested one."""
    (pip,) = (part["pip"] for part in yaml.safe_load(path.read_text())["dependencies"] if isinstance(part, dict))
    return [Requirement(line) for line in pip]


def is_outside(name):
    """Installed by envs/setup.py after the lock, with what only its builds for some machines need."""
    return re.match(r"torch$|triton$|nvidia-|cuda-", name)


def needs(name, extras=(), environment=HERE):
    """What an installed package requires in this environment."""
    for text in OVERRIDDEN.get(name, importlib.metadata.requires(name)) or []:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate(environment | {"extra": extra}) for extra in ["", *extras]):
            yield requirement


def unmet(requirements, have):
    """Those requirements that a set of pins does not satisfy."""
    return [
        str(requirement)
        for requirement in requirements
        if not is_outside(name := canonicalize_name(requirement.name))
        and (name not in have or not requirement.specifier.contains(have[name], prereleases=True))
    ]


def unclosed(have, environment=HERE):
    """package -> what it needs and the pins lack; extras that one package asks of another count as needs."""
    missing, todo, done = {}, [(name, ()) for name in have], set()
    while todo:
        name, extras = todo.pop()
        if (name, extras) in done or name not in have:
            continue
        done.add((name, extras))
        requirements = list(needs(name, extras, environment))
        if lacking := unmet(requirements, have):
            missing[name] = lacking
        todo += [(canonicalize_name(r.name), tuple(sorted(r.extras))) for r in requirements if r.extras]
    return missing


@pytest.mark.parametrize("lock", ["requirements.lock", "envs/slurm.lock", "envs/gpu.lock"])
def test_every_entry_is_exact_and_has_hashes(lock):
    assert len(entries(lock)) > 1
    for requirement, options in entries(lock):
        assert re.fullmatch(r"==[^*]+", str(requirement.specifier)), requirement
        assert options, requirement
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", option) for option in options), requirement


def test_torch_and_what_its_builds_need_stand_outside():
    assert [str(r) for r, _ in entries("requirements.lock") if is_outside(r.name)] == []
    assert all(is_outside(r.name) for r, _ in entries("envs/gpu.lock")) and "torch" not in locked("envs/gpu.lock")


def test_the_set_up_installs_the_torch_that_pyproject_names():
    assert load("setup").TORCH in PROJECT["optional-dependencies"]["local"]


def test_the_slurm_plugin_stands_in_its_own_lock_only():
    both = locked() | locked("envs/slurm.lock")
    assert "snakemake-executor-plugin-slurm" in locked("envs/slurm.lock")
    assert set(locked()).isdisjoint(locked("envs/slurm.lock"))
    assert unmet(map(Requirement, PROJECT["optional-dependencies"]["slurm"]), both) == []


@pytest.mark.parametrize("part", ["base", "connectors", "dev", "feeds", "local", "service"])
def test_what_pyproject_requires_is_locked(part):
    texts = PROJECT["dependencies"] if part == "base" else PROJECT["optional-dependencies"][part]
    assert unmet(map(Requirement, texts), locked()) == []


def test_the_demo_needs_the_models_that_run_here_and_nothing_else():
    assert PROJECT["optional-dependencies"]["demo"] == ["ragassay[local]"]


def test_what_a_locked_package_needs_is_locked():
    assert unclosed(locked()) == {}


def test_what_torch_needs_is_locked():
    assert unmet(needs("torch"), locked()) == []


def test_what_is_installed_is_what_is_locked():
    assert {name: importlib.metadata.version(name) for name in locked()} == locked()


def test_all_lock_entries_are_needed():
    """What nothing asks for any more has to go, by `make lock`."""
    asked = [
        text for part in ("connectors", "dev", "feeds", "local") for text in PROJECT["optional-dependencies"][part]
    ]
    todo, found = [*map(Requirement, PROJECT["dependencies"] + asked), *needs("torch")], set()
    while todo:
        requirement = todo.pop()
        key = (canonicalize_name(requirement.name), tuple(sorted(requirement.extras)))
        if key not in found and not is_outside(key[0]):
            found.add(key)
            todo += needs(*key)
    assert {name for name, _ in found} == set(locked())


def test_there_is_one_environment_file_per_entry_of_the_lock_script():
    assert {path.stem for path in YAMLS} == set(load("lock").ENVIRONMENTS)


class Rule(NamedTuple):
    name: str
    script: Path
    environment: Path | None
    by_name: list[str]  # modules that the script loads by a computed name, as in its code_version(...)


def rules():
    """The rules that run a script."""
    for path in [ROOT / "Snakefile", *sorted((WORKFLOW / "rules").glob("*.smk"))]:
        for body in re.split(r"^(?:rule|checkpoint) ", path.read_text(), flags=re.MULTILINE)[1:]:
            files = dict(re.findall(r'^    (conda|script):\s+"([^"]+)"', body, re.MULTILINE))
            files = {key: (path.parent / file).resolve() for key, file in files.items()}
            if "script" in files:
                by_name = re.findall(r'"(ragassay(?:\.\w+)+)"', body)
                yield Rule(body.split(":")[0], files["script"], files.get("conda"), by_name)


distributions = cache(importlib.metadata.packages_distributions)  # reads the lists of all installed files


@cache
def third_party(path):
    """The packages that one file imports, anywhere in it; frames are pandas'."""
    names = {"pandas"} if "tables.frame(" in path.read_text() else set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module.split(".")[0])
    ours = {file.stem for folder in (WORKFLOW, path.parent) for file in folder.iterdir()}
    foreign = names - ours - sys.stdlib_module_names
    return {canonicalize_name(package) for name in foreign for package in distributions().get(name, [name])}


RULES = list(rules())


def test_every_rule_with_a_script_names_an_environment_file_that_exists():
    assert len(RULES) >= 5
    assert {rule.name: rule.environment for rule in RULES if rule.environment not in YAMLS} == {}


def test_rules_find_what_they_import_in_their_environments():
    have = {path: set(pins(yaml_requirements(path), RULES_PYTHON)) for path in YAMLS}
    missing = {}
    for rule in RULES:
        imported = set().union(*map(third_party, modules(rule.script, *rule.by_name)))
        if lacking := imported - have[rule.environment]:
            missing[rule.name] = lacking
    assert missing == {}


EACH_YAML = pytest.mark.parametrize("path", YAMLS, ids=lambda path: path.stem)


@EACH_YAML
def test_an_environment_file_has_the_versions_of_the_lock(path):
    everything = pins((requirement for requirement, _ in entries("requirements.lock")), RULES_PYTHON)
    everything |= pins([Requirement(load("setup").TORCH)])
    have = pins(yaml_requirements(path), RULES_PYTHON)
    assert have == {name: everything.get(name) for name in have}


@EACH_YAML
def test_an_environment_file_has_what_its_packages_need(path):
    assert unclosed(pins(yaml_requirements(path), RULES_PYTHON), RULES_PYTHON) == {}


@EACH_YAML
def test_an_environment_file_is_used_and_begins_with_what_the_lock_script_asks_for(path):
    assert any(rule.environment == path for rule in RULES)
    have = pins(yaml_requirements(path), RULES_PYTHON)
    assert unmet(map(Requirement, load("lock").ENVIRONMENTS[path.stem]), have) == []


LOCK = """\
# a comment before everything
networkx==3.6.1 ; python_full_version < '3.12' \\
    --hash=sha256:aa \\
    --hash=sha256:bb
networkx==3.7 ; python_full_version >= '3.12' \\
    --hash=sha256:cc
# a comment between two
torch==2.13.0 \\
    # via project
    --hash=sha256:dd
"""


def test_requirements_keeps_an_entry_together_and_drops_comments():
    found = load("lock").requirements(LOCK)
    assert list(found) == ["networkx", "torch"]
    assert found["networkx"] == "".join(LOCK.splitlines(keepends=True)[1:6])
    assert found["torch"] == "torch==2.13.0 \\\n    --hash=sha256:dd\n"


@pytest.mark.parametrize("lock", ["requirements.lock", "envs/slurm.lock"])
def test_requirements_loses_nothing_of_a_lock(lock):
    text = (ROOT / lock).read_text()
    assert load("lock").HEADER + "".join(load("lock").requirements(text).values()) == text


def test_requirements_takes_empty_text_and_empty_lines():
    assert load("lock").requirements("") == {}
    assert load("lock").requirements("\na==1\n\nb==2\n") == {"a": "a==1\n", "b": "b==2\n"}


@pytest.mark.parametrize("name", ["torch", "triton", "nvidia-cublas", "nvidia-nccl-cu13", "cuda-bindings"])
def test_what_comes_with_torch_stays_out_of_the_lock(name):
    assert load("lock").TORCH_ONLY.match(name)


@pytest.mark.parametrize("name", ["torchvision", "torch-geometric", "tritonclient", "pytorch-lightning", "cudatoolkit"])
def test_what_only_sounds_like_torch_stays_in_the_lock(name):
    assert not load("lock").TORCH_ONLY.match(name)


def test_an_environment_is_written_as_yaml_that_says_the_same(monkeypatch):
    pinned = "colorama==0.4.6 ; sys_platform == 'win32'\npyyaml==6.0.3\n"
    monkeypatch.setattr(load("lock"), "compile_lock", lambda *_, stdin, **__: pinned if stdin == "pyyaml\nx" else "")
    written = yaml.safe_load(load("lock").environment(["pyyaml", "x"]))
    assert written["channels"] == ["conda-forge"]
    assert written["dependencies"] == ["python=3.11", "pip", {"pip": pinned.splitlines()}]
