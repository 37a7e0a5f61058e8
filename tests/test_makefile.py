"""The Makefile lists what it can do, and .ci/run installs what the tests need before it calls `make test`."""

import re
import shutil
import subprocess

import pytest

from programs import require
from project import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = re.findall(r"^([^\s:=#]+):(?!=).*\n\t", MAKEFILE, re.MULTILINE)  # those with a recipe


def test_help_lists_every_target_that_has_a_recipe():
    done = subprocess.run([require("make"), "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = [re.fullmatch(r"  make (\S+) +\S.+", line).group(1) for line in done.stdout.splitlines()]
    assert "test" in listed
    assert sorted(listed) == sorted(TARGETS)


def test_make_alone_shows_the_help():
    assert TARGETS[0] == "help"


def test_no_file_can_stand_in_a_targets_way():
    phony = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE).group(1).split()
    assert sorted(phony) == sorted(target for target in TARGETS if "%" not in target)


@pytest.fixture
def machine(tmp_path):
    """A project of one target and a PATH with nothing but what every Debian has; apt-get writes down its arguments."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "dirname", "make", "sh", "env"):
        (programs / name).symlink_to(require(name))
    (programs / "apt-get").write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/installed"\n')
    (programs / "apt-get").chmod(0o755)
    (tmp_path / "project/.ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci/run", tmp_path / "project/.ci/run")
    (tmp_path / "project/Makefile").write_text('test:\n\t@echo "required: $$REQUIRE_SYSTEM_TESTS"; $(THEN)\n')
    return tmp_path


def run_ci(machine, **environment):
    command = [machine / "project/.ci/run"]
    environment |= {"PATH": str(machine / "bin")}
    return subprocess.run(command, cwd=machine, env=environment, capture_output=True, text=True)


def programs_of_ci():
    """program -> its Debian package, as .ci/run lists them."""
    return dict(
        re.findall(r"(\S+):(\S+)", re.search(r"for program in (.+); do", (ROOT / ".ci/run").read_text()).group(1))
    )


def test_ci_installs_what_is_missing_and_requires_all_tests(machine):
    done = run_ci(machine)
    assert (done.returncode, done.stdout) == (0, "required: 1\n"), done.stderr
    installed = (machine / "installed").read_text().split()
    assert set(programs_of_ci().values()) <= set(installed)


def test_ci_installs_nothing_where_nothing_is_missing(machine):
    for program in programs_of_ci():
        (machine / "bin" / program).symlink_to(machine / "bin/apt-get")
    assert run_ci(machine).stdout == "required: 1\n"
    assert not (machine / "installed").exists()


@pytest.mark.parametrize("step", ["apt-get", "make test"])
def test_ci_fails_when_a_step_fails(machine, step):
    if step == "apt-get":
        (machine / "bin/apt-get").write_text("#!/bin/sh\nexit 100\n")
    assert run_ci(machine, **({"THEN": "false"} if step == "make test" else {})).returncode != 0


def test_ci_installs_every_program_that_a_test_requires():
    required = set()
    for path in (ROOT / "tests").rglob("*.py"):
        if path.name == "test_system.py":  # which is about a program that there is not
            continue
        required |= set(re.findall(r"\brequire\(\"([^\"]+)\"\)", path.read_text()))
    assert required - {"make", "git"} <= set(programs_of_ci())  # a clone and .ci/run itself have used these two
