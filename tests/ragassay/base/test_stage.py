"""Running a stage: arguments by name, a log, errors for people in one line and others with their traceback."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from project import ROOT
from ragassay.base.errors import AssayError, MissingPackage
from ragassay.base.stage import run

JOB = """
import sys
import pyarrow as pa
from types import SimpleNamespace
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run

def stage(source, table, n):
    log.info("%s to %s, %d", source, table, n)
    if n == 1:
        raise AssayError("a.csv:3: found x, expected y")
    if n == 2:
        raise KeyError("ours")
    if n == 3:
        open("/dev/full", "w").write("x" * 100_000)
    if n == 4:
        pa.OSFile("/dev/full", "wb").write(b"x" * 100_000)  # as Arrow's own writers do

run(stage, SimpleNamespace(rule="stage", input={"source": "in"}, output={"table": "out"}, log=[sys.argv[1]],
    wildcards={"shard": "s"}, params=SimpleNamespace(settings={"n": int(sys.argv[2])})))
"""


def job(log, n):
    return subprocess.run([sys.executable, "-c", JOB, str(log), str(n)], capture_output=True, text=True)


def test_a_stage_gets_its_arguments_by_name_and_its_log_goes_to_file_and_terminal(tmp_path):
    done = job(tmp_path / "logs/a.log", 0)
    assert (done.returncode, done.stderr) == (0, "stage (shard=s): in to out, 0\n")
    assert (tmp_path / "logs/a.log").read_text() == "in to out, 0\n"


def test_an_error_steers_no_terminal():
    """Whatever shows it, in a service of the user's too."""
    error = MissingPackage("found '\x1b[2J\x9b\u202e\u00e4'\nand so on")
    assert str(error) == f"{error}" == "found '\\x1b[2J\\x9b\\u202e\u00e4'\nand so on"


def test_an_error_for_people_is_one_line_without_a_traceback(tmp_path):
    done = job(tmp_path / "a.log", 1)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.endswith("stage (shard=s): a.csv:3: found x, expected y\n")
    assert (tmp_path / "a.log").read_text().endswith("a.csv:3: found x, expected y\n")


@pytest.mark.parametrize(
    ("log", "n"), [("a.log", 3), ("a.log", 4), ("/dev/full", 0), ("/dev/full", 1), ("/dev/full", 3)]
)
def test_a_full_disk_is_one_line_whether_a_table_or_the_log_meets_it(tmp_path, log, n):
    done = job(tmp_path / log, n)
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "in to out" not in line] == [
        f"{'stage (shard=s): ' * (log == 'a.log')}No space left on device ({Path.cwd()} or {tempfile.gettempdir()});"
        " free some space and run again, what is done stays done"
    ]


LONG = """
import sys, time
from types import SimpleNamespace
from ragassay.base.stage import run

def stage():
    try:
        print("begun", flush=True)
        time.sleep(600)
    finally:
        print("cleared away", flush=True)

run(stage, SimpleNamespace(rule="stage", input={}, output={}, log=[sys.argv[1]], wildcards={"shard": "s"},
    params=SimpleNamespace(settings={})))
"""


def interrupted(*command, **environment):
    """What a program that says when it has begun writes after SIGINT, and its exit status."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": {**os.environ, **environment}}
    heeding = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # whatever it is for the tests
    with subprocess.Popen([sys.executable, "-c", *command], **pipes, **heeding) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    return output, errors, process.returncode


def test_ctrl_c_ends_a_stage_in_one_line_when_it_has_cleared_away(tmp_path):
    output, errors, status = interrupted(LONG, str(tmp_path / "a.log"))
    line = "interrupted; run the same command to redo this job\n"
    assert (output, errors) == ("cleared away\n", f"stage (shard=s): {line}")
    assert status == 130
    assert (tmp_path / "a.log").read_text() == line


def test_ctrl_c_while_a_job_imports_is_no_traceback():
    importing = "print('begun', flush=True); import time; time.sleep(600)"
    found = interrupted(importing, PYTHONPATH=str(ROOT / "workflow/startup"))
    assert found == ("", "", -signal.SIGINT)


THREADS = """
import pandas, concurrent.futures as f
print(*f.ThreadPoolExecutor(4).map(lambda number: pandas.DataFrame([number]).size, range(4)))
"""
FIRST = "import sys, pandas; before = 'pandas.core' in sys.modules; print(before, pandas.DataFrame([1]).size)"


@pytest.mark.parametrize(
    ("program", "code", "said"),
    [("snakemake", FIRST, "False 1\n"), ("another", FIRST, "True 1\n"), ("snakemake", THREADS, "1 1 1 1\n")],
    ids=["the snakemake of a submission", "another program", "threads wait for the one that loads it"],
)
def test_pandas_is_loaded_at_its_first_use(program, code, said):
    startup = os.environ | {"PYTHONPATH": str(ROOT / "workflow/startup")}
    done = subprocess.run([sys.executable, "-c", code, program], env=startup, capture_output=True, text=True)
    assert done.stdout == said, done.stderr


def test_an_error_of_ours_keeps_its_traceback_in_the_log_too(tmp_path):
    done = job(tmp_path / "a.log", 2)
    assert done.returncode == 1 and "KeyError" in done.stderr
    assert "Traceback" in (tmp_path / "a.log").read_text()


def test_how_a_model_is_called_joins_the_settings_of_the_model(tmp_path):
    params = SimpleNamespace(settings={"model": {"name": "m"}, "ledger": "l"}, access={"concurrency": 7})
    job = SimpleNamespace(rule="r", input={}, output={}, log=[str(tmp_path / "a.log")], wildcards={}, params=params)
    got = {}
    run(lambda **settings: got.update(settings), job)
    assert got == {"model": {"name": "m", "concurrency": 7}, "ledger": "l"}
    assert params.settings == {"model": {"name": "m"}, "ledger": "l"}


WRITING = """
import sys
from types import SimpleNamespace
import pyarrow as pa
from ragassay.base import tables
from ragassay.base.stage import run

def stage(rejects):
    tables.write(tables.REJECTS, rejects, [dict.fromkeys(tables.REJECTS.schema.names, "text")])
    tables.read(tables.REJECTS, rejects).to_pylist()

run(stage, SimpleNamespace(rule="stage", input={}, output={"rejects": sys.argv[1] + "/rejects.parquet"},
    log=[sys.argv[1] + "/log"], wildcards={}, params=SimpleNamespace(settings={})))
print("pandas" in sys.modules)
import pandas
print(pandas.Series([1, 2]).sum(), len(pa.array(pandas.Series([1, 2]))))
"""


def test_a_job_that_reads_and_writes_tables_imports_no_pandas_and_who_needs_it_gets_it(tmp_path):
    done = subprocess.run([sys.executable, "-c", WRITING, str(tmp_path)], check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.splitlines() == ["False", "3 2"]


def test_a_wrong_name_fails_at_once(tmp_path):
    given = SimpleNamespace(rule="r", input={"documnets": "x"}, output={}, log=[str(tmp_path / "a.log")], wildcards={})
    given.params = SimpleNamespace(settings={})
    with pytest.raises(TypeError, match="documnets"):
        run(lambda documents: documents, given)
    assert issubclass(AssayError, Exception)
