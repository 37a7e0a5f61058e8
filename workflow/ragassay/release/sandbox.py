"""Run Snakemake on what a stranger released: in a folder of its own, without keys and without network. bubblewrap
gives the process tree a read-only machine, `unshare` no network; without both, a hook keeps Python from sockets."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ragassay.base.stage import log

OFFLINE = "RAGASSAY_NO_NETWORK"  # heeded by workflow/startup
PREFIX = "replay-"


@contextlib.contextmanager
def scratch_folder(project: Path) -> Iterator[Path]:
    """A folder below .snakemake, and an end of those that killed replays left."""
    (project / ".snakemake").mkdir(exist_ok=True)
    for left in (project / ".snakemake").glob(f"{PREFIX}*"):
        number = left.name.removeprefix(PREFIX).partition("-")[0]
        if not number.isdigit() or not Path("/proc", number).exists():
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-", dir=project / ".snakemake") as folder:
        scratch = Path(folder, "project")
        scratch.mkdir()
        yield scratch


def run_boxed(folder: Path, arguments: list[str]) -> subprocess.CompletedProcess:
    command = [*_box(folder), sys.executable, "-m", "snakemake", "--quiet", "host", "rules", "reason", *arguments]
    together = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    return subprocess.run(command, cwd=folder, env=environment(folder), preexec_fn=_free_memory, **together)


def _free_memory():
    """Jobs take what they need: what they read was verified in bounded memory."""
    with contextlib.suppress(ImportError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def environment(folder: Path) -> dict[str, str]:
    """All that a replay sees of the caller's environment is where programs are."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"])
    variables = {"PATH": path, "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8", OFFLINE: "1"}
    return variables | {"PYTHONPATH": str(folder / "workflow/startup"), "PYTHONDONTWRITEBYTECODE": "1"}


def _box(folder):
    """The command in front of the command."""
    whole = str(folder.parent)
    boxed = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--bind", whole, whole]
    boxed += ["--unshare-net", "--die-with-parent", "--new-session"]
    alone = ["--unshare-pid", "--proc", "/proc"]  # else it could read the caller's keys in /proc/<pid>/environ
    for command in ([*boxed, *alone], [*boxed, "--tmpfs", "/proc"]):
        if _works(command):
            return command
    unshared = ["unshare", "--map-root-user", "--net"]
    for command in ([*unshared, "--pid", "--fork", "--mount-proc", "--kill-child"], unshared):
        if _works(command):
            log.info("replay: found no bubblewrap (bwrap); the replay has no network, and could read and write as you")
            return command
    log.info("replay: found neither bwrap nor unshare; only Python keeps the replay from the network")
    return []


def _works(command):
    with contextlib.suppress(OSError):
        return subprocess.run([*command, "true"], capture_output=True).returncode == 0
    return False
