"""The set-up in a small project: it makes .venv once, heals what was interrupted, says in one line what is wrong."""

import ast
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from programs import require
from project import GPU, IMPORT, PACKAGES, ROOT, SmallProject, StallingIndex, copy_of, kill_group

BASE = {"torch": PACKAGES["torch"], "pebble": PACKAGES["pebble"]}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("setup")
    SmallProject(home).write().rename(home / "bare")
    return home


@pytest.fixture
def bare(home):
    """The project as it comes, without .venv."""
    return copy_of(home / "bare")


@pytest.fixture(scope="module")
def first_call(home):
    """`make setup` in the project as it comes; its outcome is kept as a copy in `made`."""
    project = copy_of(home / "bare")
    done = project.make("setup")
    assert done.returncode == 0, done.stderr
    done.installed = project.installed()
    shutil.copytree(project.folder, home / "made", symlinks=True)
    return done


@pytest.fixture
def made(home, first_call):
    """The project with its .venv, at the place for which it was made."""
    return copy_of(home / "made")


@pytest.fixture
def index():
    with StallingIndex() as index:
        yield index


@pytest.fixture
def start():
    """SmallProject.start, with what is left of the process group killed at the end."""
    processes = []

    def start(project, *command, **environment):
        processes.append(project.start(*command, **environment))
        return processes[-1]

    yield start
    for process in processes:
        kill_group(process)


def with_another_lock(project):
    """Any change counts, also of a comment: the set-up compares bytes."""
    project.lock.write_text("# Changed.\n" + project.lock.read_text())
    return project


def is_made_anew(project):
    return not (project.venv / "old").exists()


def one_line(done):
    """The only line on standard error of a set-up that failed with exit code 1."""
    assert done.returncode == 1
    assert re.fullmatch(r"setup: .+\n", done.stderr), done.stderr
    return done.stderr


def test_first_call_installs_torch_and_the_lock(first_call):
    assert first_call.installed == BASE
    assert re.search(r"^setup: ready after \d+ s$", first_call.stdout, re.MULTILINE)
    assert first_call.stderr == ""


def test_the_gpu_libraries_that_a_build_of_torch_asks_for_come_by_hash(bare, tmp_path):
    bare.wheel("torch", "2.13.0", f"Requires-Dist: {GPU} (==1.0)\n", tmp_path)
    other = {"PIP_FIND_LINKS": f"{bare.wheels_without('torch', tmp_path)}"}
    done = bare.setup(**other)
    assert done.returncode == 0, done.stderr
    assert bare.installed() == BASE | {GPU: "1.0"}
    (bare.folder / "envs/gpu.lock").write_text(f"{GPU}==1.0 --hash=sha256:{64 * '0'}\n")
    done = bare.setup(**other)
    assert done.returncode == 1 and "this step failed: packages of envs/gpu.lock;" in done.stderr


def test_a_build_from_another_index_gets_libraries_of_its_own(bare, tmp_path):
    bare.wheel("torch", "2.13.0+cu1", f"Requires-Dist: {GPU} (==2.0)\n", tmp_path)
    bare.wheel(GPU, "2.0", folder=tmp_path)
    done = bare.setup(PIP_FIND_LINKS=f"{bare.wheels_without('torch', tmp_path)}")
    assert done.returncode == 0, done.stderr
    assert bare.installed() == BASE | {"torch": "2.13.0+cu1", GPU: "2.0"}


def test_second_call_is_silent_and_only_looks_whether_python_works(made):
    before, done = made.changes(), made.make("setup")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    watched = """
import runpy, sys
sys.addaudithook(lambda event, details: print(details[1]) if event == "subprocess.Popen" else None)
sys.argv = ["envs/setup.py"]
runpy.run_path("envs/setup.py", run_name="__main__")
"""
    done = made.run(sys.executable, "-c", watched)
    assert (done.returncode, done.stdout) == (0, f"{[str(made.venv / 'bin/python'), '-c', 'pass']}\n"), done.stderr
    assert made.changes() == before


def test_reached_through_a_link_it_is_still_ready(made, tmp_path):
    (tmp_path / "link").symlink_to(made.folder)
    done = made.run(sys.executable, str(tmp_path / "link/envs/setup.py"))
    assert (done.returncode, done.stdout) == (0, "")


def test_a_changed_lock_makes_it_anew_even_when_called_with_its_own_python(made):
    (made.venv / "old").touch()
    done = with_another_lock(made).setup(python=made.venv / "bin/python")
    assert done.returncode == 0, done.stderr
    assert is_made_anew(made)
    assert made.installed() == BASE


def test_a_moved_project_is_not_ready(made, tmp_path):
    """Paths in .venv are absolute; what is not ready is made anew, as after a changed lock."""
    made.folder.rename(tmp_path / "moved")
    made.folder, made.venv = tmp_path / "moved", tmp_path / "moved/.venv"
    assert not made.is_ready()


def test_a_venv_whose_python_is_gone_is_not_ready(made):
    assert made.is_ready()
    for python in made.venv.glob("bin/python*"):
        python.unlink()
    assert not made.is_ready()


def test_a_venv_without_the_extra_that_is_asked_for_is_not_ready(made):
    assert not made.is_ready("slurm")


def test_a_failed_step_ends_with_one_clear_line_and_the_next_call_heals_what_failed_or_was_killed(bare, start):
    good = bare.lock.read_text()
    bare.lock.write_text("no-such-package==1.0 --hash=sha256:" + 64 * "0" + "\n")
    failed = bare.setup()
    assert failed.returncode == 1
    *reason, last = failed.stderr.splitlines()
    assert re.fullmatch("setup: this step failed: packages of requirements.lock; .+", last)
    assert any("no-such-package" in line for line in reason)
    assert "ready" not in failed.stdout
    bare.lock.write_text(good)
    for step in ("environment with Python", "packages of requirements.lock"):
        process = start(bare, require("make"), "setup")
        assert any(step in line for line in process.stdout)
        kill_group(process)
    done = bare.make("setup")
    assert done.returncode == 0, done.stderr
    assert bare.installed() == BASE


@pytest.mark.parametrize("left", [[], ["made-by-ragassay"]], ids=["before its mark", "after its mark"])
def test_killed_between_two_lines_it_still_knows_its_own_folder(bare, left):
    bare.venv.mkdir()
    for name in left:
        (bare.venv / name).touch()
    subprocess.run([sys.executable, "-c", IMPORT + "setup.remove_old()"], cwd=bare.folder, check=True)
    assert not bare.venv.exists()


def test_what_a_killed_call_left_running_is_waited_for(bare, index, start):
    killed = start(bare, sys.executable, "envs/setup.py", **index.environment)
    assert index.asked.wait()
    killed.kill()
    killed.wait()
    following = start(bare, sys.executable, "envs/setup.py")
    assert following.stdout.readline() == "setup: waiting for the end of another set-up of this folder\n"
    index.answer.set()
    _, errors = following.communicate()
    assert (following.returncode, errors) == (0, "")
    assert bare.installed() == BASE


def test_of_two_at_once_the_second_waits_and_then_does_nothing(bare, index, start):
    """The first one asks for more, which must not make the second one begin again with less."""
    first = start(bare, require("make"), "setup", "EXTRA=slurm", **index.environment)
    assert index.asked.wait()
    second = start(bare, require("make"), "setup", **index.environment)
    waiting = second.stdout.readline()
    index.answer.set()
    rest, errors = second.communicate()
    assert (second.returncode, rest, errors) == (0, "", "")
    assert waiting == "setup: waiting for the end of another set-up of this folder\n"
    assert first.wait() == 0
    assert index.requests.count("/simple/torch/") == 1
    assert bare.installed() == PACKAGES


def test_interrupted_it_says_so_and_leaves_nothing_running(bare, index, start):
    process = start(bare, sys.executable, "envs/setup.py", **index.environment)
    assert index.asked.wait()
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate()
    assert (process.returncode, errors) == (1, "setup: interrupted; run it again to start over\n")
    assert "Traceback" not in output
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def a_folder(path):
    path.mkdir()
    (path / "pyvenv.cfg").write_text("theirs")


def a_link(path):
    elsewhere = path.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "made-by-ragassay").write_text("not complete\n")
    path.symlink_to(elsewhere)


@pytest.mark.parametrize(
    "make_it", [a_folder, a_link, lambda path: path.write_text("theirs"), lambda path: path.symlink_to("nowhere")]
)
def test_a_venv_that_somebody_else_made_is_not_touched(bare, make_it):
    make_it(bare.venv)
    before = bare.changes()
    assert "was not made by this project; move it away or delete it" in one_line(bare.setup())
    assert bare.changes() == before


@pytest.mark.parametrize(
    ("machine", "line"),
    [
        ("sys.version_info = (3, 10, 12, 'final', 0)", r"Python 3\.11 or newer is needed, this is 3\.10\.12; .+"),
        ("sys.modules['venv'] = None", "Python's module venv is missing, .+ apt-get install python3-venv"),
        ("sys.modules['ensurepip'] = None", "Python's module ensurepip is missing, .+ apt-get install python3-venv"),
        ("shutil.disk_usage = lambda folder: argparse.Namespace(free=2**30)", "1.0 GiB free in .+ needs 3; make room"),
    ],
)
def test_a_machine_that_will_not_do_is_named_before_anything_is_made_or_lost(made, machine, line):
    (made.venv / "old").touch()
    script = f"import argparse, runpy, shutil, sys; {machine}; runpy.run_path('envs/setup.py', run_name='__main__')"
    done = with_another_lock(made).run(sys.executable, "-c", script)
    assert re.fullmatch(f"setup: {line}\n", one_line(done))
    assert not is_made_anew(made)


def test_a_machine_without_python_is_named(bare, tmp_path):
    done = bare.make("setup", PATH=str(tmp_path))
    assert done.returncode != 0
    assert done.stderr.startswith("setup: no python3 on this machine; Python 3.11 or newer is needed\n")
    assert "Error 1" in done.stderr


def test_a_missing_lock_is_named(bare):
    bare.lock.unlink()
    assert str(bare.lock) in one_line(bare.setup())


def test_a_file_that_it_cannot_write_is_named(bare):
    (bare.folder / ".venv.lock").mkdir()
    assert ".venv.lock" in one_line(bare.setup())


@pytest.mark.parametrize("extra", ["slrum", "slurm slurm"])
def test_an_unknown_extra_is_refused(bare, extra):
    done = bare.run(sys.executable, "envs/setup.py", *extra.split())
    assert one_line(done) == f"setup: unknown extra {extra!r}; known: slurm\n"
    assert not bare.venv.exists()


@pytest.mark.parametrize(
    ("terminal", "progress", "shown"),
    [(True, True, "setup: say 42"), (True, False, "setup: say"), (False, True, "setup: say")],
)
def test_a_step_shows_its_own_output_on_a_terminal_only(bare, terminal, progress, shown):
    """A step without progress shows none there either, such as the traceback of an interrupted `python -m venv`."""
    call = f"setup.run('say', [sys.executable, '-c', 'print(42)'], progress={progress})"
    reading, writing = os.openpty() if terminal else os.pipe()
    subprocess.run([sys.executable, "-c", IMPORT + call], cwd=bare.folder, stdout=writing, check=True)
    output = os.read(reading, 1000).decode()
    os.close(reading)
    os.close(writing)
    assert output.split() == shown.split()


def test_old_pythons_can_read_it():
    tree = ast.parse((ROOT / "envs/setup.py").read_text(), feature_version=(3, 4))
    assert [
        ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
    ] == []  # parsers let it pass
