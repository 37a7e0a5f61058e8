"""Files that several people of one group may share: where the group may write, what is new takes the mode of its
folder, whatever umask its maker has; elsewhere the umask says who reads it. What somebody may not write is one line
that says whose it is and what to do."""

import contextlib
import errno
import os
import pwd
from pathlib import Path

from ragassay.base.errors import AssayError

REFUSALS = errno.EACCES, errno.EPERM, errno.EROFS


class NotShared(AssayError):
    """A file of the ledger may not be written by this user."""


def make_folder(folder) -> None:
    folder = Path(folder)
    if not folder.is_dir():
        folder = folder.resolve()  # a link may lead to a folder that is still to be made
        make_folder(folder.parent)
        try:
            folder.mkdir()
            mode = folder.parent.stat().st_mode & 0o7777
            folder.chmod(mode if mode & 0o020 else mode & ~_umask())
        except FileExistsError:
            if not folder.is_dir():  # else it is another job's, by now
                raise


def _umask():
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def open_file(path, flags: int) -> int:
    """A descriptor; a file that is not there is made."""
    path = Path(path)
    try:
        file = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        if flags & os.O_EXCL:
            raise
        return os.open(path, flags)
    adopt(path)
    return file


def adopt(path) -> None:
    """Give a new file the mode of its folder."""
    path = Path(path)
    path.chmod(path.parent.stat().st_mode & 0o666)


@contextlib.contextmanager
def explained(path):
    """What may not be written, in one line."""
    try:
        yield
    except OSError as error:
        if error.errno not in REFUSALS:
            raise
        raise NotShared(f"{path}: {problem(path, error)}") from error


def problem(path, error: OSError) -> str:
    """Why something cannot be written, and what helps."""
    if error.errno not in (errno.EACCES, errno.EPERM):
        return error.strerror
    place = Path(path)
    while not os.path.lexists(place):
        place = place.parent
    try:
        owner = pwd.getpwuid(place.stat().st_uid).pw_name
    except KeyError:
        owner = f"user {place.stat().st_uid}"
    why = f"{error.strerror}, {'it' if place == Path(path) else place} belongs to {owner}"
    return f"{why}; to share a project, form one group, `chmod -R g+rwXs` its folder, and let all work with umask 002"
