"""Make .venv from the locks: torch first, then requirements.lock. Silent when nothing changed; heals itself.

A finished .venv carries a stamp of everything it was made from. Without the right stamp it is made anew from nothing,
because an interrupted installation cannot be told from a complete one by looking at it. Standard library only, and
readable by any Python 3, because this file has to be able to say that Python is too old.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
MARK = os.path.join(VENV, "made-by-ragassay")  # holds the stamp once the set-up is complete
TORCH = "torch==2.13.0"
LOCKS = {"": [], "slurm": ["envs/slurm.lock"]}
DISK_GIB = 3


class SetupError(Exception):
    """Something that the person at the keyboard has to put right; printed as one line."""


def check_machine(version=sys.version_info, disk_root=ROOT):
    if version < (3, 11):
        found = ".".join(str(part) for part in version[:3])
        raise SetupError("Python 3.11 or newer is needed, this is %s; try: make setup PYTHON=python3.12" % found)
    try:
        import ensurepip
        import venv
    except ImportError as missing:
        hint = "on Debian and Ubuntu: apt-get install python3-venv"
        raise SetupError("Python's module %s is missing, so no environment can be made; %s" % (missing.name, hint))
    assert ensurepip and venv
    free = shutil.disk_usage(disk_root).free / 2**30
    if free < DISK_GIB:
        raise SetupError("%.1f GiB free in %s, the environment needs %d; make room" % (free, disk_root, DISK_GIB))


def stamp(locks):
    """What the environment is made from; it also names its place, because a moved .venv does not work."""
    digest = hashlib.sha256()
    for lock in locks:
        with open(os.path.join(ROOT, lock), "rb") as content:
            digest.update(content.read())
    return "%s\n%s python %d.%d\nlocks %s\n" % ((VENV, TORCH) + sys.version_info[:2] + (digest.hexdigest(),))


def is_ready(wanted):
    try:
        with open(MARK) as mark:
            return mark.read() == wanted and subprocess.call([PYTHON, "-c", "pass"]) == 0
    except OSError:
        return False


def remove_old():
    if not os.path.lexists(VENV):
        return
    if not os.path.exists(MARK):
        raise SetupError("%s was not made by this project; move it away or delete it, then try again" % VENV)
    # The mark goes last, so that a removal that is interrupted can still be told from somebody else's environment.
    for name in os.listdir(VENV):
        path = os.path.join(VENV, name)
        if path != MARK:
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
    shutil.rmtree(VENV)


def run(title, *command):
    """Run one step; on a terminal its own output shows progress, elsewhere only a failure's last lines are shown."""
    print("setup: " + title, flush=True)
    quiet = not sys.stdout.isatty()
    step = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE if quiet else None, stderr=subprocess.STDOUT if quiet else None
    )
    output = (step.communicate()[0] or b"").decode(errors="replace")
    if step.returncode:
        sys.stderr.write("\n".join(output.splitlines()[-15:]) + "\n")
        raise SetupError("this step failed: %s; the reason stands above, run it again once it is gone" % title)


def build(locks, wanted):
    check_machine()
    remove_old()
    os.mkdir(VENV)
    with open(MARK, "w") as mark:
        mark.write("not complete\n")
    version = ".".join(str(part) for part in sys.version_info[:3])
    run("environment with Python %s" % version, sys.executable, "-m", "venv", VENV)
    pip = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check"]
    run("%s and what its build for this machine needs" % TORCH, *(pip + [TORCH]))
    for lock in locks:
        run("packages of %s" % lock, *(pip + ["--no-deps", "--require-hashes", "-r", lock]))
    with open(MARK + ".new", "w") as mark:
        mark.write(wanted)
    os.replace(MARK + ".new", MARK)


def main(extra=""):
    if extra not in LOCKS:
        raise SetupError("unknown extra %r; known: %s" % (extra, ", ".join(filter(None, LOCKS))))
    locks = ["requirements.lock"] + LOCKS[extra]
    wanted = stamp(locks)
    if is_ready(wanted) or (not extra and is_ready(stamp(["requirements.lock"] + LOCKS["slurm"]))):
        return
    import fcntl  # not on Windows, where Snakemake's cluster side does not run either

    with open(os.path.join(ROOT, ".venv.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second `make` waits here and then finds the work done
        if not is_ready(wanted):
            start = time.time()
            build(locks, wanted)
            print("setup: ready after %.0f s" % (time.time() - start))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except SetupError as error:
        sys.exit("setup: " + str(error))
    except KeyboardInterrupt:
        sys.exit("setup: interrupted; run it again to start over")
