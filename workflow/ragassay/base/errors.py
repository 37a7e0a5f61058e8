"""The one base class of errors that are meant for the person who runs the pipeline: shown as one line, without a
traceback. And how such a line names what was probably meant."""

import difflib
from pathlib import Path


class AssayError(Exception):
    """Something outside the code has to change: a file, a setting, a document. Says what, where and what to do."""

    exit_code = 1


class Unusable(Exception):
    """An item cannot be used: a reason for counting and a detail for reading."""

    def __init__(self, reason: str, detail: str):
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def closest(name, known, folder: str = "") -> str:
    """The known name that was probably meant, to be put behind a sentence; empty if none is near."""
    close = difflib.get_close_matches(str(name), known, n=1)
    return f" (did you mean {folder}{close[0]}?)" if close else ""


def unknown(what: str, name, known) -> str:
    """What is wrong with a name that is none of the known ones."""
    return f"found the {what} {name!r}, expected one of: {', '.join(known)}{closest(name, known)}"


def closest_file(path) -> str:
    """The same for a path that does not exist, among what lies in its folder."""
    path = Path(path)
    others = sorted(other.name for other in path.parent.iterdir()) if path.parent.is_dir() else []
    return closest(path.name, filter(str.isprintable, others), f"{path.parent}/".removeprefix("./"))
