"""Fixtures for tests that run the whole workflow: a copy of the project in a folder of its own."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from snake import TINY, snakemake

ROOT = Path(__file__).resolve().parent.parent
os.environ["PYTHONPATH"] = str(ROOT / "workflow")  # processes that tests start import the library as jobs do
# The same examples each time, and no verdict on how fast the machine is.
settings.register_profile("tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")


def pytest_collection_modifyitems(items):
    """The machine decides about what a clock sees, so a test of it may be tried again."""
    for item in items:
        if item.get_closest_marker("clock"):
            item.add_marker(pytest.mark.flaky(reruns=2))


def copy_project(target):
    """A copy of everything that git would take, without results."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
    return target


@pytest.fixture
def project(tmp_path):
    """A copy of the project; what a test does to it stays there."""
    return copy_project(tmp_path / "project")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A copy whose tiny pipeline has run, to be copied and looked at, never changed."""
    target = copy_project(tmp_path_factory.mktemp("tiny") / "project")
    snakemake(target, *TINY)
    return target


@pytest.fixture
def done(tiny, tmp_path):
    """A project of the test's own whose tiny pipeline has run."""
    return shutil.copytree(tiny, tmp_path / "project", symlinks=True)
