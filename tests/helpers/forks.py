"""Snakemake without the seconds in which its jobs import libraries: one process has imported them, and forks for each
run of Snakemake and for each of its jobs. Nothing of the project is imported before the fork, and a job behaves as one
that Snakemake starts itself: the same script with its preamble, environment, working folder, exit status and benchmark.

Libraries compute in one thread, which their environment says before they are imported. What Snakemake's parser makes of
a file is kept for all runs, since it takes a fifth of a plan.

Reads a task per line of standard input, as JSON: folder, arguments, environment, output (a file), jobs (whether they
are forks, too).
Writes the exit status of each.
"""

import atexit
import contextlib
import gc
import hashlib
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import snakemake.cli
import snakemake.workflow
from snakemake.benchmark import benchmarked
from snakemake.script import PythonScript

LIBRARIES = (
    "altair",
    "httpcore2",
    "narwhals.stable.v1",
    "openai",
    "pandas",
    "pyarrow.pandas_compat",
    "pyarrow.parquet",
    "sklearn.cluster",
    "sklearn.linear_model",
    "trafilatura",
    "transformers.models.auto.tokenization_auto",
    "transformers.models.llama.modeling_llama",  # imports a thousand modules of torch, in two seconds
    "vl_convert",
)
PLANNING = ("jsonschema", "pandas", "pyarrow", "requests", "snakemake.storage")  # what a run imports before any job
# A plan that imports one of these fails, as where it is not installed: each costs every run a second and more.
JOBS_ONLY = ("altair", "openai", "scipy", "sklearn", "torch", "trafilatura", "transformers")
LONGEST = 1 << 17  # bytes of a request
PARSED = Path(__file__).parents[2] / ".snakemake/parsed"
HERE = "<the place of the file>"


def main():
    snakemake.cli.get_argument_parser()  # imports all plugins
    for name in PLANNING:
        importlib.import_module(name)
    snakemake.workflow.parse = remembering(snakemake.workflow.parse)
    for line in sys.stdin:
        task = json.loads(line)
        if task["jobs"]:
            for name in LIBRARIES:
                importlib.import_module(name)
        gc.freeze()  # or each fork copies all that it looks through for garbage
        run = os.fork()
        if run == 0:
            output = os.open(task["output"], os.O_WRONLY)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.chdir(task["folder"])
            os.environ.clear()
            os.environ.update(task["environment"])
            if task["jobs"]:
                PythonScript.execute_script = forking_jobs()
            else:
                sys.modules.update(dict.fromkeys(JOBS_ONLY))
            gc.set_threshold(100_000)
            os._exit(run_snakemake(task["arguments"]))
        sys.stdout.write(f"{status(run)}\n")
        sys.stdout.flush()


def remembering(parse):
    """The parser, but a text is parsed once, wherever the file lies that holds it."""

    def remembered(path, workflow, linemap, overwrite_shellcmd=None, rulecount=0):
        place = path.get_path_or_uri(secret_free=True)
        about = repr([snakemake.__version__, rulecount, overwrite_shellcmd, Path(place).read_bytes()])
        stored = PARSED / hashlib.sha256(about.encode()).hexdigest()
        try:
            code, lines, rulecount = json.loads(stored.read_bytes())
        except (OSError, ValueError):
            code, rulecount = parse(path, workflow, linemap, overwrite_shellcmd, rulecount)
            PARSED.mkdir(parents=True, exist_ok=True)
            unfinished = stored.with_suffix(f".{os.getpid()}")
            unfinished.write_text(json.dumps([code.replace(repr(place), HERE), [*linemap.items()], rulecount]))
            unfinished.replace(stored)
            return code, rulecount
        linemap.update(map(tuple, lines))
        return code.replace(HERE, repr(place)), rulecount

    return remembered


def run_snakemake(arguments) -> int:
    sys.path.insert(0, str(Path.cwd()))
    sys.argv = [snakemake.__file__, *arguments]
    atexit._clear()  # what is for the end of the process that forks
    try:
        snakemake.cli.main()
        code = 0
    except SystemExit as error:
        code = error.code or 0
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def status(process) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def forking_jobs():
    """A method in the place of the one that starts a script's process. It asks a process without threads to fork, since
    Snakemake has some.
    """
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        here.close()
        fork_jobs(there)
        os._exit(0)
    there.close()

    def execute_script(self, path, edit=False):
        environment = dict(os.environ) | {
            name: self.resources.get("tmpdir") for name in ("TMPDIR", "TMP", "TEMPDIR", "TEMP")
        }
        answer, asked = os.pipe()
        socket.send_fds(here, [json.dumps([path, environment]).encode()], [asked])
        os.close(asked)
        with os.fdopen(answer) as lines:
            process = int(lines.readline())
            with benchmarked(process, self.bench_record) if self.bench_record else contextlib.nullcontext():
                code = int(lines.readline())
        if code:
            raise subprocess.CalledProcessError(code, path)

    return execute_script


def fork_jobs(requests) -> None:
    """Answer each request with the job's process and its exit status, until Snakemake has ended."""
    jobs = {}  # what can be read once a job has ended -> the job, and where its status is waited for
    while True:
        for ready in select.select([requests, *jobs], [], [])[0]:
            if ready is not requests:
                job, answer = jobs.pop(ready)
                os.close(ready)
                with answer:
                    print(status(job), file=answer)
                continue
            request, descriptors, _, _ = socket.recv_fds(requests, LONGEST, 1)
            if not request:
                return
            job = os.fork()
            if job == 0:
                os.closerange(3, os.sysconf("SC_OPEN_MAX"))
                run_script(*json.loads(request))
            answer = os.fdopen(descriptors[0], "w")
            print(job, file=answer, flush=True)
            jobs[os.pidfd_open(job)] = job, answer


def run_script(path, environment) -> None:
    """As `python path` does in this environment, to the end of this process, but that nothing is taken apart there."""
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [str(Path(path).parent), *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv = [path]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as the project's sitecustomize has it
    code = 0
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as error:
        code = error.code or 0
    except BaseException:  # noqa: BLE001  shown as Python would
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # waits for threads
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
