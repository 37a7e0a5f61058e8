"""Files and folders that appear whole or not at all: written beside their place, forced to disk, renamed.

Whatever is killed when, the path holds the old file or the new one. What a killed process leaves beside it is cleared
away by the next one that writes the same file on the same machine.
"""

import contextlib
import errno
import fcntl
import glob
import json
import os
import shutil
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

MASKS = {"me": 0o077, "group": 0o007}
HOST = socket.gethostname().split(".")[0]


def restrict(files_for: str) -> None:
    """What this process and its children write from now on is for `me` alone, for my `group` too, or for `everybody`
    whom the umask lets in. A project whose folder a group may write is shared, so that nothing is restricted there.
    """
    is_shared = Path.cwd().stat().st_mode & 0o020
    if files_for in MASKS and not (files_for == "me" and is_shared):
        os.umask(MASKS[files_for])


def beside(path, ending: str) -> Path:
    """A hidden name next to `path` that no other process uses."""
    path = Path(path)
    return path.parent / f".{path.name}.{HOST}.{os.getpid()}.{ending}"


def replacing(path):
    """Open a binary file that takes the place of `path` when the block ends well."""
    return _appearing(path, Path.replace)


def creating(path):
    """Open a binary file that becomes `path` when the block ends well, unless somebody else's is there by then: that
    stays, and FileExistsError is raised. One of several processes wins, on network file systems too.
    """
    return _appearing(path, lambda temporary, final: final.hardlink_to(temporary))


@contextlib.contextmanager
def _appearing(path, move):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    clear_leftovers(path)
    temporary = beside(path, "tmp")
    try:
        with temporary.open("wb") as target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        move(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(path) -> None:
    """Force to the disk which files the folder has."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextlib.contextmanager
def building(path) -> Iterator[Path]:
    """A folder to write into, which takes the place of `path` when the block ends well."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    clear_leftovers(path)
    temporary = beside(path, "building")
    temporary.mkdir()
    try:
        yield temporary
        shutil.rmtree(path, ignore_errors=True)
        temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def alone(path) -> Iterator[None]:
    """One process at a time runs the block, others wait; the lock ends with its process. A file system without locks
    lets all in.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP):
                raise
        yield


def write_text(path, text: str) -> None:
    with replacing(path) as target:
        target.write(text.encode())


def write_lines(path: Path, rows: Iterable[dict]) -> None:
    """One row a line, as JSON."""
    with path.open("w", encoding="utf-8", newline="\n") as target:
        target.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def clear_leftovers(path) -> None:
    """Remove what killed processes of this machine left beside `path`."""
    path = Path(path)
    for old in path.parent.glob(glob.escape(f".{path.name}.{HOST}.") + "*"):
        process = old.name.removeprefix(f".{path.name}.{HOST}.").split(".")[0]
        if process.isdecimal() and int(process) != os.getpid() and not alive(int(process)):
            shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink(missing_ok=True)


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True
