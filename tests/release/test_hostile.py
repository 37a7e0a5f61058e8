"""Releases of strangers that want something are refused in one line each, before anything of them is used."""

import logging
import os
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from project import copy_project
from publishing.hostile import CLAIMS, OUTSIDE, TRICKS
from ragassay.base.errors import AssayError
from ragassay.release.__main__ import main
from ragassay.release.replaying import replay
from ragassay.release.sandbox import OFFLINE, _box, environment, run_boxed, scratch_folder
from ragassay.release.verification import checks, table_files
from ragassay.release.verification.release_folder import SUMS, ReleaseFolder, write_sums
from releases import key_of

# Tried by the benchmark, since they take seconds or memory; Snakemake's plan refuses the last one.
UNFOLDING = {"one text 200,000 times", "rows without end", "300 texts 200 times", "a million combinations"}


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """A copy of the project, in which no trick may change anything."""
    return copy_project(tmp_path_factory.mktemp("untouched") / "project")


@pytest.mark.parametrize("trick", sorted(TRICKS.keys() - UNFOLDING))
def test_a_trick_is_refused_in_one_line(release, untouched, tmp_path, trick):
    signers = key_of(tmp_path)[1] if trick == "a forged checker" else None
    TRICKS[trick](release)
    before = {path: path.stat().st_mtime_ns for path in untouched.rglob("*") if ".snakemake" not in path.parts}

    def run(folder, arguments):
        pytest.fail(f"it came as far as {arguments}")

    with pytest.raises(AssayError) as refused:
        replay(release, untouched, run=run, signers=signers)
    line = str(refused.value)
    assert len(line) < 1000 and "\n" not in checks.line(line) and checks.line(line).isprintable()
    assert before == {path: path.stat().st_mtime_ns for path in untouched.rglob("*") if ".snakemake" not in path.parts}
    assert not Path(OUTSIDE).exists() and not Path(f"{OUTSIDE}-ran").exists()
    assert not any((untouched / ".snakemake").glob("replay-*"))


@pytest.mark.parametrize("trick", ["a name with an escape", "a version with an escape"])
def test_what_is_printed_steers_no_terminal(release, trick, capsys):
    TRICKS[trick](release)
    for command in ("verify", "replay", "rehydrate"):
        assert main([command, str(release), "--memory", "64"]) == 1
        said = capsys.readouterr()
        assert "\x1b" not in said.out + said.err and "\\x1b" in said.out + said.err


@pytest.mark.parametrize("trick", [name for name in TRICKS if "prompt" in name] + ["no configuration", "no shards"])
def test_verifying_refuses_what_replaying_refuses(release, trick, capsys):
    """Prompts and declared tables, too, which the release's own checks know nothing of."""
    if trick == "no shards":
        (release / "config/shards.tsv").unlink()
        write_sums(release)
    else:
        TRICKS[trick](release)
    assert main(["verify", str(release), "--memory", "64"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].endswith(" problems")


@pytest.mark.parametrize("fits_alone", [True, False])
def test_a_file_that_takes_too_much_memory_is_tried_alone_and_is_not_called_damaged(release, monkeypatch, fits_alone):
    read, tries = table_files._of_file, Counter()

    def greedy(folder, file, *others):
        tries[file] += 1
        if file == CLAIMS and (tries[file] == 1 or not fits_alone):
            raise pa.ArrowMemoryError("malloc of size 5 failed")
        return read(folder, file, *others)

    monkeypatch.setattr(table_files, "_of_file", greedy)
    problems = list(checks.problems(release))
    assert tries[CLAIMS] == 2 and problems == ([] if fits_alone else [f"{CLAIMS}: {table_files.TOO_LARGE}"])


def test_many_files_that_take_too_much_memory_are_not_all_tried(release, monkeypatch):
    """Each takes its time: of 300 small bombs only so many are opened, and verifying ends in seconds."""
    tries = Counter()

    def greedy(folder, file, *others):
        tries[file] += 1
        raise MemoryError

    monkeypatch.setattr(table_files, "_of_file", greedy)
    problems = list(checks.problems(release))
    most = table_files.MOST_TOO_LARGE
    assert [problem.split(": ", 1)[1] for problem in problems] == most * [table_files.TOO_LARGE]
    assert sum(map(len, ReleaseFolder(release).files.values())) > 4 * most
    assert tries.total() <= most + most + os.cpu_count() + 4


def test_too_little_memory_to_begin_with_is_a_line(release, capsys):
    assert main(["verify", str(release), "--memory", "0.1"]) == 1
    assert capsys.readouterr().err == "release: --memory: found 0.1, expected at least 0.5 gigabytes\n"


@pytest.mark.parametrize(("command", "ending"), [("rehydrate", "texts"), ("diff", "changes")])
def test_a_link_beside_a_release_does_not_decide_where_something_is_written(release, tmp_path, command, ending, capsys):
    place = release.with_name(f"{release.name}.{ending}")
    place.symlink_to(tmp_path / "elsewhere")
    releases = [str(release)] * (2 if command == "diff" else 1)
    assert main([command, *releases, "--memory", "64"]) == 1
    assert capsys.readouterr().err.startswith(
        f"release: {place}: found a symbolic link, expected no file; name a folder"
    )
    assert not (tmp_path / "elsewhere").exists()


def test_many_problems_end_in_a_line_that_says_so(release):
    (release / SUMS).write_text("x\n" * 1000)
    problems = list(checks.problems(release))
    assert len(problems) == checks.MOST + 1
    assert problems[-1] == f"{release}: found more than {checks.MOST} problems; the rest is not shown"


def test_a_release_that_says_it_is_signed_and_is_not_is_a_problem(release):
    TRICKS["a signature that is missing"](release)
    [problem, *_] = checks.problems(release)
    assert problem.startswith("SHA256SUMS.sig: no such file, but manifest.json says that the release is signed")


def test_a_replay_sees_no_key_and_no_network_and_writes_nowhere_else(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    (tmp_path / ".snakemake").mkdir()
    with scratch_folder(tmp_path) as scratch, socket.create_server(("127.0.0.1", 0)) as server:
        variables = environment(scratch)
        assert variables[OFFLINE] == "1" and "canary" not in variables.values()
        box = _box(scratch)
        if not box:
            pytest.skip("neither bwrap nor unshare works here")  # some kernels forbid both, and no package helps
        connect = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}))"
        done = subprocess.run([*box, sys.executable, "-c", connect], capture_output=True, text=True)
        assert (done.returncode and "OSError" in done.stderr) or "Error: [Errno" in done.stderr
        read = "import pathlib; print([p.read_bytes() for p in pathlib.Path('/proc').glob('[0-9]*/environ')])"
        done = subprocess.run([*box, sys.executable, "-c", read], capture_output=True, text=True, env=variables)
        assert done.returncode == 0 and "canary" not in done.stdout
        if box[0] == "bwrap":
            write = f"open({str(tmp_path / 'written')!r}, 'w')"
            done = subprocess.run([*box, sys.executable, "-c", write], capture_output=True, text=True)
            assert "Read-only file system" in done.stderr and not (tmp_path / "written").exists()
            shared = Path("/dev/shm", f"ragassay-{os.getpid()}")
            subprocess.run([*box, sys.executable, "-c", f"open({str(shared)!r}, 'w')"])
            assert not shared.exists()
        assert "no-such-file" in run_boxed(scratch, ["--snakefile", "no-such-file"]).stdout


def test_what_a_killed_replay_left_is_cleared_away(tmp_path, caplog):
    gone = subprocess.Popen(["true"])
    gone.wait()
    left, other = tmp_path / f".snakemake/replay-{gone.pid}-x", tmp_path / f".snakemake/replay-{os.getpid()}-x"
    for folder in (left, other):
        folder.mkdir(parents=True)
    with caplog.at_level(logging.INFO), scratch_folder(tmp_path):
        assert not left.exists() and other.exists(), "one that runs keeps its folder"


def test_nothing_made_again_is_no_success(release, project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    monkeypatch.setattr("ragassay.release.replaying.run_boxed", lambda *_: subprocess.CompletedProcess([], 0, ""))
    assert main(["replay", str(release), "--memory", "64"]) == 1
    assert "nothing was made again, so nothing was tested" in capsys.readouterr().err
