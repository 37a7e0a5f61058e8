"""Files appear whole or not at all: after errors, between writers, and after kill -9 at each system call in turn."""

import ctypes
import itertools
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from programs import require
from ragassay.base import _sorted_runs, atomic, tables
from ragassay.base.atomic import creating, replacing, write_text
from ragassay.base.tables import Column, Table

THINGS = Table("things", "One row per thing.", ("name",), (Column("name", pa.string(), "what it is called"),))
PR_SET_PTRACER, ANY_PROCESS = 0x59616D61, ctypes.c_long(-1)


@pytest.fixture
def dead():
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def left_by(number, path, ending, host=atomic.HOST):
    return path.parent / f".{path.name}.{host}.{number}.{ending}"


def test_text_is_written_as_it_is(tmp_path):
    write_text(tmp_path / "a", "é\r\n\n")
    assert (tmp_path / "a").read_bytes() == b"\xc3\xa9\r\n\n"


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("before", [["a"], []])
def test_an_error_in_the_block_changes_nothing(tmp_path, before, error):
    for name in before:
        (tmp_path / name).write_text("old")
    with pytest.raises(error), replacing(tmp_path / "a") as target:
        target.write(b"new")
        raise error
    assert names(tmp_path) == before
    assert all((tmp_path / name).read_text() == "old" for name in before)


@pytest.mark.parametrize("name", ["a", "with space", "a[1]", "a*", "é.parquet", ".hidden"])
def test_what_a_dead_process_left_is_cleared(tmp_path, dead, name):
    path = tmp_path / name
    left_by(dead, path, "tmp").write_text("half")
    left_by(dead, path, "runs").mkdir()
    (left_by(dead, path, "runs") / "0.arrow").write_text("half")
    write_text(path, "new")
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("process", [1, os.getppid(), os.getpid()], ids=["init", "parent", "this"])
def test_what_a_living_process_writes_is_kept(tmp_path, process):
    other = left_by(process, tmp_path / "a", "runs")
    other.mkdir()
    write_text(tmp_path / "a", "new")
    assert other.is_dir()


def test_what_other_hosts_and_other_files_have_is_kept(tmp_path, dead):
    path = tmp_path / "a"
    others = [
        left_by(dead, path, "tmp", host="elsewhere"),
        left_by(dead, tmp_path / "aa", "tmp"),
        left_by("\N{SUPERSCRIPT TWO}", path, "tmp"),
        left_by("", path, "tmp"),
        tmp_path / "a.tmp",
    ]
    for other in others:
        other.write_text("half")
    write_text(path, "new")
    assert all(other.exists() for other in others)


def test_readers_and_writers_at_once_see_whole_files(tmp_path):
    path = tmp_path / "a"
    code = "import sys; from ragassay.base.atomic import write_text\nfor _ in range(100): write_text(*sys.argv[1:])"
    writers = [subprocess.Popen([sys.executable, "-c", code, path, letter * 10**5]) for letter in "abc"]
    whole, seen = {letter * 10**5 for letter in "abc"}, set()
    while any(writer.poll() is None for writer in writers):
        if path.exists():
            seen.add(path.read_text())
    assert seen and seen <= whole
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert names(tmp_path) == ["a"]


@pytest.mark.system
def test_bytes_are_forced_to_disk_before_the_rename_and_the_folder_after(tmp_path):
    trace, calls = tmp_path / "trace", "write,fsync,rename,renameat,renameat2"
    code = "import sys; from ragassay.base.atomic import write_text; write_text(sys.argv[1], 'the new text')"
    program = [sys.executable, "-c", code, tmp_path / "new" / "a"]
    subprocess.run([require("strace"), "-qq", "-y", "-o", trace, "-e", f"trace={calls}", *program], check=True)
    found = [line for line in trace.read_text().splitlines() if str(tmp_path) in line]
    wanted = [("write(", "the new text"), ("fsync(", ".tmp>"), ("rename", "/new/a"), ("fsync(", "/new>")]
    assert len(found) == len(wanted), found
    for line, (call, what) in zip(found, wanted, strict=True):
        assert line.startswith(call) and what in line, found


def traced(action, *options):
    """Do `action` in a forked child under strace with these options; return the child's number and exit code."""
    ready, go = os.pipe()
    child = os.fork()
    if not child:
        try:
            ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANY_PROCESS)  # where Yama lets only ancestors trace
            os.close(go)
            os.read(ready, 1)
            action()
            os._exit(0)
        finally:
            os._exit(1)
    os.close(ready)
    with subprocess.Popen(["strace", "-f", *options, "-p", str(child)], stderr=subprocess.PIPE, text=True) as tracer:
        said = tracer.stderr.readline()
        os.close(go)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert "attached" in said, said
    return child, code


def system_calls(action, trace):
    """(name, how many of that name so far) for each system call of `action`, which is how strace counts them."""
    process, code = traced(action, "-o", trace)
    assert code == 0
    called = Counter()
    for name in re.findall(rf"^{process} +(\w+)\(", trace.read_text(), re.MULTILINE):
        called[name] += 1
        yield name, called[name]


def write_table(path):
    """By way of two runs on disk, merged."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sorted_runs, "RUN_BYTES", 20)
        tables.write(THINGS, path, pa.table({"name": ["d", "a", "c", "e", "b"]}))


def write_words(path):
    write_text(path, "the new words")


@pytest.mark.system
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the child uses nothing that threads of ours may hold
@pytest.mark.parametrize("write", [write_table, write_words])
def test_a_kill_at_any_system_call_leaves_the_old_file_or_the_new(tmp_path, write):
    """At every other call there is no old file."""
    require("strace")
    path, found, left = tmp_path / "files" / "a", [], set()
    write(path)
    new = path.read_bytes()
    calls = system_calls(lambda: write(path), tmp_path / "trace")
    for (name, nth), old in zip(calls, itertools.cycle([None, b"the old file"]), strict=False):
        path.unlink() if old is None else path.write_bytes(old)
        _, code = traced(lambda: write(path), "-o", os.devnull, "-e", f"inject={name}:signal=KILL:when={nth}")
        assert code in (-9, 0)  # 0: this time there was no such call
        if code:
            found.append(path.read_bytes() if path.exists() else None)
            assert found[-1] in (old, new), f"killed at {name} number {nth}"
            left |= {other.suffix for other in path.parent.iterdir()}
        write(path)
        assert names(path.parent) == ["a"] and path.read_bytes() == new, f"later than a kill at {name} number {nth}"
    assert all(found.count(state) > 5 for state in (None, b"the old file")) and found.count(new) > 3
    assert left >= ({".tmp", ".runs"} if write is write_table else {".tmp"})


def test_a_file_is_created_once(tmp_path):
    with creating(tmp_path / "a") as target:
        target.write(b"first")
    with pytest.raises(FileExistsError), creating(tmp_path / "a") as target:
        target.write(b"second")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"first")]


@pytest.mark.parametrize(
    ("files_for", "project", "folder", "file"),
    [
        ("me", 0o755, 0o700, 0o600),
        ("group", 0o755, 0o770, 0o660),
        ("everybody", 0o755, 0o755, 0o644),
        ("me", 0o2775, 0o2755, 0o644),
        ("group", 0o2775, 0o2770, 0o660),
    ],
)
def test_what_is_written_is_for_me_my_group_or_everybody(tmp_path, monkeypatch, files_for, project, folder, file):
    tmp_path.chmod(project)
    monkeypatch.chdir(tmp_path)
    before = os.umask(0o022)
    try:
        atomic.restrict(files_for)
        atomic.write_text("results/x.txt", "a")
    finally:
        os.umask(before)
    modes = [Path(name).stat().st_mode & 0o7777 for name in ("results", "results/x.txt")]
    assert modes == [folder, file]
