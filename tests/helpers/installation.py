"""The package as a user installs it: a wheel, in an environment of its own that borrows all other packages from this
one. And a small project elsewhere, in which its command runs.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from project import copy_project

BUILD = "from setuptools import build_meta; build_meta.build_wheel('dist')"
SETTINGS = """\
shards: shards.tsv
documents: {min_words: 20}
models:
  careful: {provider: rules, model: careful, price: {input: 0, output: 0}}
scope:
  generators: [careful]
  judges: [careful]
  responders: [careful]
  claims: {claims_per_document: 2, fewest_claims: 1}
  judging: {votes: 1}
detectors: {use: []}
report: {sections: [documents], title: Two handbooks}
"""
HANDBOOK = "The ferry {} was built in Brackwater in 2028. It takes 540 people. The mayor opened its berth in May. {}"
LABELS = "results/scope_labels/careful/careful/2026-11.parquet"
ASKED = ("results/report/index.html", LABELS)


class Installation:
    """An environment in `folder`, with the wheel that was built from a copy of the project."""

    def __init__(self, folder):
        self.folder = folder
        self.python, self.command = folder / "bin/python", folder / "bin/ragassay"
        self.site = folder / sysconfig.get_path("purelib", vars={"base": "", "installed_base": ""}).lstrip("/")
        self.pipeline = self.site / "ragassay/pipeline"

    def make(self, wheel):
        venv.create(self.folder, symlinks=True)
        (self.site / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            self.python,
            "install",
            "--no-deps",
            "--no-index",
            "--no-compile",
        ]
        subprocess.run([*pip, wheel], check=True, capture_output=True, env=environment())

    def files(self):
        """What an installation consists of, with its times."""
        return {path: path.lstat().st_mtime_ns for path in self.site.rglob("*")}

    def run(self, *arguments, folder, check=True, **more):
        """The command in a folder; standard output and error together."""
        return self._run([self.command, *arguments], folder, check, more)

    def snakemake(self, *arguments, folder, check=True):
        return self._run([self.python, "-P", "-m", "snakemake", *arguments], folder, check, {})

    def _run(self, command, folder, check, more):
        together = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        done = subprocess.run(command, cwd=folder, env=environment() | more, **together)
        assert not check or done.returncode == 0, done.stdout
        return done


def environment():
    """A user's: what is compiled is kept nowhere, so that an installation stays as it is."""
    tests = ("PYTHONPATH", "PYTEST_CURRENT_TEST", "REQUIRE_SYSTEM_TESTS")
    variables = {name: value for name, value in os.environ.items() if name not in tests}
    return variables | {"PYTHONDONTWRITEBYTECODE": "1"}


def built(folder):
    """The wheel, built without a network in a copy of the project."""
    source = copy_project(folder / "source")
    subprocess.run([sys.executable, "-c", BUILD], cwd=source, check=True, capture_output=True, env=environment())
    return next((source / "dist").glob("*.whl"))


def shared(base, name, make):
    """A folder that the first worker makes for all."""
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "finished").exists():
            shutil.rmtree(folder / "made", ignore_errors=True)
            make(folder / "made")
            (folder / "finished").touch()
    return folder / "made"


def handbooks(folder: Path) -> Path:
    """A project of two documents, outside of any clone."""
    (folder / "handbook").mkdir(parents=True)
    for name, end in (("Kittiwake", "She sails at noon."), ("Guillemot", "Her captain is Ada Brandt.")):
        (folder / f"handbook/{name}.md").write_text(HANDBOOK.format(name, end))
    (folder / "shards.tsv").write_text("shard\tdocuments\n2026-11\thandbook\n")
    (folder / "ragassay.yaml").write_text(SETTINGS)
    return folder
