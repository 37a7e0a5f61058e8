"""Make .venv from the locks: requirements.lock, then torch. Silent when nothing changed; heals itself.

A finished .venv carries a stamp of everything it was made from. Without the right stamp it is made anew from nothing,
because an interrupted installation cannot be told from a complete one by looking at it. Standard library only, and
readable by any Python 3, because this file has to be able to say that Python is too old.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
MARK = os.path.join(VENV, "made-by-ragassay")  # holds the stamp once the set-up is complete
TORCH = "torch==2.13.0"
LOCKS = {"": ["requirements.lock"], "slurm": ["requirements.lock", "envs/slurm.lock"]}  # by the value of EXTRA
GPU_LOCK = "envs/gpu.lock"  # what torch's build for GPUs requires besides requirements.lock
ASKS = "import importlib.metadata as m; print(m.version('torch'), *(m.requires('torch') or ()))"
DISK_GIB = 3


class SetupError(Exception):
    """Something that the person at the keyboard has to put right; printed as one line."""


def check_machine():
    if sys.version_info < (3, 11):
        version = ".".join(str(part) for part in sys.version_info[:3])
        raise SetupError("Python 3.11 or newer is needed, this is %s; name one: export PYTHON=python3.12" % version)
    try:
        import ensurepip
        import venv
    except ImportError as missing:
        hint = "on Debian and Ubuntu: apt-get install python3-venv"
        raise SetupError("Python's module %s is missing, so no environment can be made; %s" % (missing.name, hint))
    assert ensurepip and venv
    free = shutil.disk_usage(ROOT).free / 2**30
    if free < DISK_GIB:
        raise SetupError("%.1f GiB free in %s, the environment needs %d; make room" % (free, ROOT, DISK_GIB))


def stamp(extra):
    """What the environment is made from; it also names its place, because a moved .venv does not work."""
    digest = hashlib.sha256()
    for lock in LOCKS[extra] + [GPU_LOCK]:
        with open(os.path.join(ROOT, lock), "rb") as content:
            digest.update(content.read())
    made_from = (VENV, TORCH) + sys.version_info[:2] + (digest.hexdigest(),)
    return os.fsencode("%s\n%s python %d.%d\nlocks %s\n" % made_from)


def is_ready(extra):
    """Whether .venv is complete and works; a call without an extra is content with an environment that has one."""
    try:
        with open(MARK, "rb") as mark:
            content = mark.read()
        stamps = (stamp(name) for name in ([extra] if extra else LOCKS))
        return content in stamps and subprocess.call([PYTHON, "-c", "pass"]) == 0
    except OSError:
        return False


def remove_old():
    if not os.path.lexists(VENV):
        return
    # An empty folder is nobody's: a set-up that is killed right after making it, or before removing it, leaves one.
    is_ours = os.path.isdir(VENV) and not os.path.islink(VENV) and (os.path.exists(MARK) or not os.listdir(VENV))
    if not is_ours:
        raise SetupError("%s was not made by this project; move it away or delete it, then try again" % VENV)
    # The mark goes last, so that a removal that is interrupted can still be told from somebody else's environment.
    for name in os.listdir(VENV):
        path = os.path.join(VENV, name)
        if path != MARK:
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
    shutil.rmtree(VENV)


def run(title, command, progress=True):
    """Run one step; on a terminal its own output can show progress, elsewhere only a failure's last lines are shown."""
    print("setup: " + title, flush=True)
    quiet = not (progress and sys.stdout.isatty())
    # The step inherits the lock (close_fds): should it outlive a killed set-up, the next one waits for its end.
    step = subprocess.run(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        close_fds=False,
    )
    if step.returncode:
        if quiet:
            sys.stderr.write("\n".join(step.stdout.decode(errors="replace").splitlines()[-15:]) + "\n")
        raise SetupError("this step failed: %s; the reason stands above, run it again once it is gone" % title)


def build(extra):
    wanted = stamp(extra)
    check_machine()
    remove_old()
    os.mkdir(VENV)
    with open(MARK, "wb") as mark:
        mark.write(b"not complete\n")
    version = ".".join(str(part) for part in sys.version_info[:3])
    # Not sys.executable: in a shell where .venv is active that is the Python which has just been removed.
    python = getattr(sys, "_base_executable", sys.executable)
    run("environment with Python %s" % version, [python, "-I", "-m", "venv", VENV], progress=False)
    pip = [PYTHON, "-I", "-m", "pip", "install", "--disable-pip-version-check"]
    by_hash = pip + ["--no-deps", "--require-hashes", "-r"]
    for lock in LOCKS[extra]:
        run("packages of %s" % lock, by_hash + [lock])
    # torch's own wheels differ by platform, Python and index, so that no list of hashes has them all.
    run(TORCH, pip + ["--no-deps", TORCH])
    asks = subprocess.check_output([PYTHON, "-I", "-c", ASKS], cwd=ROOT).decode()
    if "+" not in asks.split()[0] and re.search(r"\b(nvidia|cuda|triton)\b", asks):
        run("packages of %s" % GPU_LOCK, by_hash + [GPU_LOCK])
    # This installs nothing unless torch is a build from another index, which needs other GPU libraries.
    run("what else this build of %s needs" % TORCH, pip + [TORCH])
    with open(MARK + ".new", "wb") as mark:
        mark.write(wanted)
    os.replace(MARK + ".new", MARK)


def main(extra):
    if extra not in LOCKS:
        raise SetupError("unknown extra %r; known: %s" % (extra, ", ".join(filter(None, LOCKS))))
    if is_ready(extra):
        return
    import fcntl  # not on Windows, where Snakemake's cluster side does not run either

    with open(os.path.join(ROOT, ".venv.lock"), "w") as lock:
        os.set_inheritable(lock.fileno(), True)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("setup: waiting for the end of another set-up of this folder", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_ready(extra):
            start = time.time()
            build(extra)
            print("setup: ready after %.0f s" % (time.time() - start))


if __name__ == "__main__":
    try:
        main(" ".join(sys.argv[1:]))
    except (SetupError, OSError) as error:
        sys.exit("setup: %s" % error)
    except KeyboardInterrupt:
        sys.exit("setup: interrupted; run it again to start over")
