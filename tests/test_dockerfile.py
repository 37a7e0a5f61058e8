"""The Dockerfile, as far as no registry is needed: its stages are parsed, and what they copy and run is done in a
scratch folder in the place of the image's root. What they install from an index is only compared with lock and wheel.
"""

import email
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from project import ROOT, copy_project

STAGES = ("wheel", "ragassay")


def stages(text):
    """stage -> its instructions, as (word, rest)."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    instructions, name = defaultdict(list), ""
    for word, rest in (line.split(maxsplit=1) for line in lines):
        if word == "FROM":
            name = rest.rsplit(" AS ")[1]
        instructions[name].append((word, rest))
    return instructions


INSTRUCTIONS = stages((ROOT / "Dockerfile").read_text())


def needs_an_index(command):
    return command.startswith("pip install") and "--no-index" not in command


def copied(rest, source, root, folder):
    *froms, to = shlex.split(rest)
    target = root / to.lstrip("/") if to.startswith("/") else folder / to
    for name in froms:
        place = source / name
        assert place.exists(), f"COPY {name}"
        if place.is_dir():
            shutil.copytree(place, target, dirs_exist_ok=True)
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(place, target)


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The root of the first stage when it is built."""
    source = copy_project(tmp_path_factory.mktemp("context"))
    root = tmp_path_factory.mktemp("image")
    folder = root
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {"PATH": path, "HOME": str(root), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for word, rest in INSTRUCTIONS["wheel"]:
        match word:
            case "WORKDIR":
                folder = root / rest.lstrip("/")
                folder.mkdir()
            case "COPY":
                copied(rest, source, root, folder)
            case "RUN" if not needs_an_index(rest):
                command = rest.replace("/wheels", str(root / "wheels"))
                subprocess.run(["sh", "-ec", command], cwd=folder, check=True, env=environment)
    return root


@pytest.fixture(scope="module")
def metadata(image):
    (wheel,) = (image / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        points = archive.read(name.replace("METADATA", "entry_points.txt")).decode()
        return email.message_from_bytes(archive.read(name)), points


def test_the_stages_have_their_names():
    assert tuple(INSTRUCTIONS) == STAGES


def test_the_first_stage_builds_the_wheel_of_the_whole_pipeline(image):
    (wheel,) = (image / "wheels").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"ragassay/pipeline/Snakefile", "ragassay/pipeline/resources/prompts/judge_scope.yaml"} <= {*names}


def test_what_the_second_stage_takes_is_there_and_has_the_extras_that_it_asks_for(image, metadata):
    sources = [rest.split() for word, rest in INSTRUCTIONS["ragassay"] if word == "COPY"]
    assert sources == [["--from=wheel", "/wheels", "/wheels"]]
    (install,) = [rest for word, rest in INSTRUCTIONS["ragassay"] if word == "RUN" and ".whl" in rest]
    extras = re.search(r"\[(.+)\]", install)[1].split(",")
    assert {*extras} <= {*metadata[0].get_all("Provides-Extra")}


def test_constraints_pin_all_that_the_wheel_asks_for(image, metadata):
    """All but torch, which the wheel pins itself, the executor of Slurm and the package's own extras."""
    pins = dict(line.split("==") for line in (image / "wheels/constraints.txt").read_text().split())
    apart = {"torch", "snakemake-executor-plugin-slurm", "ragassay"}
    asked = [Requirement(text) for text in metadata[0].get_all("Requires-Dist")]
    missing = [str(one) for one in asked if one.name not in apart and one.name not in pins]
    wrong = [str(one) for one in asked if one.name in pins and not one.specifier.contains(pins[one.name])]
    assert (missing, wrong) == ([], [])


def test_the_image_starts_the_command(metadata):
    (entry,) = [rest for word, rest in INSTRUCTIONS["ragassay"] if word == "ENTRYPOINT"]
    assert entry == '["ragassay"]' and "ragassay = ragassay.command.app:main" in metadata[1]


def test_the_catalog_of_workflows_finds_what_it_asks_for():
    content = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())
    assert content["usage"]["report"] is True and content["usage"]["software-stack-deployment"]["conda"] is True
    assert (ROOT / "Snakefile").is_file() and (ROOT / "config/README.md").is_file()
