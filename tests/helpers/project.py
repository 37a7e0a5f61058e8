"""The project's folder, copies of it, and Snakemake run there as a user does. And a small project that can be set up
in seconds and without a network: the real envs/setup.py and Makefile, a tiny wheel in torch's place, and locks of
one tiny wheel each.
"""

import atexit
import contextlib
import functools
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from programs import require
from ragassay.base.code_version import STORE
from ragassay.base.pipeline import COPY

ROOT = Path(__file__).resolve().parents[2]


def copy_project(target):
    """A copy of everything that git would take, without results. Compiled code comes along, and what came of parsing it
    is shared by all.
    """
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
    files = [name for name in names if (ROOT / name).is_file()]
    files += [path.relative_to(ROOT) for path in (ROOT / "workflow").rglob("__pycache__/*.pyc")]
    target.mkdir(parents=True, exist_ok=True)
    copy = ["cp", "--parents", "--preserve=timestamps", "-t", target, *files]  # a fifth of what shutil takes
    subprocess.run(copy, cwd=ROOT, check=True)
    (target / ".snakemake").mkdir(exist_ok=True)
    (ROOT / STORE).mkdir(parents=True, exist_ok=True)
    (target / STORE).symlink_to(ROOT / STORE)
    return target


def like_a_clone(folder):
    """A folder with files of a test in the place of the pipeline's: none is looked for elsewhere."""
    (folder / COPY).parent.mkdir(parents=True)
    (folder / COPY).touch()


TINY = ("--configfile", "tests/tiny/config.yaml")
NOTHING = "Nothing to be done"
FORKS = Path(__file__).with_name("forks.py")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def snakemake(project, *arguments, check=True, processes=False):
    """The finished process, standard output and error together in `stdout`. Snakemake and its jobs are forks (see
    `forks`), or processes of their own as for a user.
    """
    done = (_started if processes else _forked)(project, arguments)
    assert not check or done.returncode == 0, done.stdout
    return done


def forked(command, cwd=".", env=None, **_):
    """In the place of subprocess.run where the library starts a Snakemake that plans or runs: it is a fork."""
    assert command[:4] == [sys.executable, "-P", "-m", "snakemake"]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        done = snakemake(Path(cwd).resolve(), *command[4:], check=False)
    done.stderr = done.stdout
    return done


def _started(project, arguments):
    command = [sys.executable, "-m", "snakemake", *arguments]
    together = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run(command, cwd=project, env=_environment(), **together)


def _forked(project, arguments):
    server = _server(os.environ.get("PYTHONHASHSEED"))
    jobs = not {"--dry-run", "--lint", "--summary"} & set(arguments)
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
        task = {
            "folder": str(project),
            "arguments": [str(one) for one in arguments],
            "environment": _environment() | ONE_THREAD,
            "output": output.name,
            "jobs": jobs,
        }
        server.stdin.write(json.dumps(task) + "\n")
        server.stdin.flush()
        code = server.stdout.readline()
        assert code, "the process that forks has ended"
        return subprocess.CompletedProcess(task["arguments"], int(code), output.read())


@functools.cache
def _server(_hash_seed):
    """One process for all environments that tests set, as far as Python does not read them when it starts."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    server = subprocess.Popen([sys.executable, "-P", FORKS], env=_environment() | ONE_THREAD, cwd="/", **pipes)
    atexit.register(server.communicate)
    return server


def _environment():
    """A user's, who sets nothing for tests."""
    own = {"PYTHONPATH", "PYTEST_CURRENT_TEST", *ONE_THREAD}
    return {name: value for name, value in os.environ.items() if name not in own}


def planned(project, *arguments):
    """rule -> number of jobs that a run would start now; target rules are left out."""
    output = snakemake(project, "--dry-run", *arguments).stdout
    if NOTHING in output:
        return {}
    table = output.split("Job stats:")[-1].split("total")[0]
    jobs = {rule: int(count) for rule, count in re.findall(r"^(\w+)\s+(\d+)$", table, re.MULTILINE)}
    return {rule: count for rule, count in jobs.items() if rule not in ("report", "documents", "scope")}


# torch's place, requirements.lock, envs/slurm.lock
PACKAGES = {"torch": "2.13.0", "pebble": "1.0", "cluster": "3.0"}
GPU = "triton"  # envs/gpu.lock

IMPORT = "import sys; sys.path.insert(0, 'envs'); import setup; "  # for python -c in the small project's folder


class SmallProject:
    """A folder with a blank and an umlaut in its name; wheels and what else it needs lie beside it."""

    def __init__(self, home):
        self.folder = home / "my pröject"
        self.venv = self.folder / ".venv"
        self.lock = self.folder / "requirements.lock"
        self.wheels = home / "wheels"
        # Seems to offer torch to every Python, as the modules of a cluster do.
        self.trap = home / "trap"

    def write(self):
        for name in ("envs/setup.py", "Makefile"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, self.folder / name)
        self.wheels.mkdir()
        hashes = {name: self.wheel(name, version) for name, version in PACKAGES.items()}
        self.lock.write_text(f"pebble==1.0 --hash=sha256:{hashes['pebble']}\n")
        (self.folder / "envs/slurm.lock").write_text(f"cluster==3.0 --hash=sha256:{hashes['cluster']}\n")
        (self.folder / "envs/gpu.lock").write_text(f"{GPU}==1.0 --hash=sha256:{self.wheel(GPU, '1.0')}\n")
        metadata = self.trap / "torch-2.13.0.dist-info/METADATA"
        metadata.parent.mkdir(parents=True)
        metadata.write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n")
        return self.folder

    def wheel(self, name, version, asks="", folder=None):
        """Make a wheel, which may ask for another package; its digest."""
        path = (folder or self.wheels) / f"{name}-{version}-py3-none-any.whl"
        info = f"{name}-{version}.dist-info"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr(f"{name}.py", "")
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{asks}")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def wheels_without(self, name, folder):
        """`folder`, with copies of the wheels but that one."""
        for path in self.wheels.iterdir():
            if not path.name.startswith(f"{name}-") and not (folder / path.name).exists():
                shutil.copyfile(path, folder / path.name)
        return folder

    def environment(self, **more):
        """Like a shell's in which this Python's environment is active, without the machine's own settings of pip."""
        return {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "HOME": str(self.folder.parent),
            "TMPDIR": str(self.wheels.parent),  # a killed pip leaves files there
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PYTHONPATH": str(self.trap),
        } | more

    def start(self, *command, **environment):
        """A process group of its own, as a terminal makes it, which Ctrl-C ends; standard output and error are text."""
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def run(self, *command, **environment):
        with self.start(*command, **environment) as process:
            output, errors = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def make(self, *arguments, **environment):
        return self.run(require("make"), *arguments, **environment)

    def setup(self, python=sys.executable, **environment):
        """Without make, which turns every failure into its own exit code 2."""
        return self.run(str(python), "envs/setup.py", **environment)

    def is_ready(self, extra=""):
        done = self.run(sys.executable, "-c", IMPORT + f"print(setup.is_ready({extra!r}))")
        return {"True\n": True, "False\n": False}[done.stdout]

    def changes(self):
        """When each file and folder was changed."""
        return {path: path.lstat().st_mtime_ns for path in self.folder.rglob("*") if path.name != ".venv.lock"}

    def installed(self):
        """What .venv holds of our packages, and that it can import them."""
        site = next(self.venv.glob("lib/python*/site-packages"))
        found = {d.name: d.version for d in importlib.metadata.distributions(path=[str(site)])}
        found = {name: version for name, version in found.items() if name in (*PACKAGES, GPU)}
        subprocess.run([self.venv / "bin/python", "-I", "-c", "import " + ", ".join(sorted(found))], check=True)
        return found


def copy_of(folder):
    """The small project as it was when `folder`, beside its place, was saved."""
    project = SmallProject(folder.parent)
    shutil.rmtree(project.folder, ignore_errors=True)
    subprocess.run(["cp", "-a", folder, project.folder], check=True)  # a third of what shutil takes
    return project


def kill_group(process):
    """As the machine does that runs out of memory or time: all at once, with nothing left to clean up."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


class StallingIndex:
    """A package index on loopback that knows nothing, and answers only once it may: it stops pip at a known moment."""

    def __init__(self):
        self.asked, self.answer = threading.Event(), threading.Event()
        self.requests = []
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                index.requests.append(self.path)
                index.asked.set()
                index.answer.wait()
                self.send_error(404)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.environment = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": f"http://127.0.0.1:{self._server.server_port}/simple"}

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.answer.set()
        self._server.shutdown()
        self._server.server_close()
