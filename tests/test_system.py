"""Programs that tests need: found where packages put them; what is missing is told once, at the end of the run."""

import os
import subprocess
import sys

import pytest

import programs
from project import ROOT


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """No program is on the PATH but those that the test puts into the folder `bin`."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CHROMEDRIVER", raising=False)
    monkeypatch.delenv("REQUIRE_SYSTEM_TESTS", raising=False)
    return tmp_path


def program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_a_browser_is_found_under_any_of_its_names(bare, name):
    path = program(bare / "bin" / name)
    assert programs.browser() == path


def test_no_browser_and_no_driver_are_told_with_what_to_install(bare, monkeypatch):
    with pytest.raises(pytest.skip.Exception, match=r"^needs chromium \(install chromium\)$"):
        programs.browser()
    with pytest.raises(pytest.skip.Exception, match=r"^needs chromedriver \(install chromium-driver\)$"):
        programs.driver("/nowhere/chromium", places=())
    monkeypatch.setenv("REQUIRE_SYSTEM_TESTS", "1")
    with pytest.raises(pytest.fail.Exception, match="REQUIRE_SYSTEM_TESTS=1 does not let it be skipped"):
        programs.browser()


@pytest.mark.parametrize("place", ["bin/chromedriver", "bin/chromium.chromedriver", "lib/chromium-150/chromedriver"])
def test_a_driver_is_found_on_the_path_and_where_packages_put_it(bare, place):
    path = program(bare / place)
    assert programs.driver("/nowhere/chromium", places=[str(bare / "lib/chromium*/chromedriver")]) == path


def test_a_driver_beside_the_browser_is_found_through_a_link(bare):
    (bare / "bin/chromium").symlink_to(program(bare / "opt/chromium/chromium"))
    path = program(bare / "opt/chromium/chromedriver")
    assert programs.driver(programs.browser(), places=()) == path


def test_a_driver_of_one_s_own_comes_first_and_has_to_be_there(bare, monkeypatch):
    program(bare / "bin/chromedriver")
    monkeypatch.setenv("CHROMEDRIVER", path := program(bare / "own/driver"))
    assert programs.driver("/nowhere/chromium") == path
    monkeypatch.setenv("CHROMEDRIVER", "/nowhere/driver")
    with pytest.raises(pytest.skip.Exception, match="CHROMEDRIVER, which is /nowhere/driver"):
        programs.driver("/nowhere/chromium")


SKIPPING = """
import pytest
import programs

@pytest.mark.parametrize("number", range(3))
def test_with_a_program(number):
    programs.require("no-such-program")

def test_elsewhere():
    pytest.skip("another reason")

def test_that_passes():
    pass
"""


SKIPPED = ["3 skipped: needs no-such-program (install no-such-program)", "1 skipped: another reason"]


@pytest.mark.parametrize(
    ("workers", "chosen", "last"),
    [
        ((), "passes", ["0 skipped"]),
        ((), "test", SKIPPED),
        (("--numprocesses", "2", "--dist", "worksteal"), "test", SKIPPED),
    ],
    ids=["none", "some", "some in several processes"],
)
def test_the_last_lines_say_what_was_skipped_and_why(tmp_path, monkeypatch, workers, chosen, last):
    monkeypatch.delenv("REQUIRE_SYSTEM_TESTS", raising=False)
    (tmp_path / "test_skipping.py").write_text(SKIPPING)
    command = [sys.executable, "-m", "pytest", "--config-file", ROOT / "pyproject.toml", "-p", "conftest", *workers]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "-k", chosen, tmp_path],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert lines[-len(last) :] == last and " passed" in lines[-len(last) - 1]
    assert done.stdout.count("no-such-program (") == (chosen == "test"), "told once"
