"""Fixtures for tests that run the whole workflow: a copy of the project in a folder of its own."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
os.environ["PYTHONPATH"] = str(ROOT / "workflow")  # processes that tests start import the library as jobs do


@pytest.fixture
def project(tmp_path):
    """A copy of everything that git would take, without results; what a test does to it stays there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
    target = tmp_path / "project"
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)
    return target
