"""The one base class of errors that are meant for the person who runs the pipeline: shown as one line, without a
traceback. And how such a line names what was probably meant."""

import contextlib
import difflib
from pathlib import Path

from ragassay.base.terminal import printable

# What values from outside raise where they lack what is expected of them.
MISSHAPEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError, ArithmeticError)
EXTRAS = {
    "connectors": ("psycopg", "pymilvus", "qdrant_client"),
    "pdf": ("pypdf",),
    "local": ("torch", "transformers", "sentence_transformers"),
    "service": ("numpy", "pyarrow", "safetensors", "scipy", "snowballstemmer", "tokenizers"),
}


class AssayError(Exception):
    """Something outside the code has to change: a file, a setting, a document. Says what, where and what to do."""

    exit_code = 1

    def __str__(self) -> str:
        """What it says may quote anybody: nothing of it steers a terminal, wherever it is shown."""
        return printable(super().__str__())


class MissingPackage(AssayError, ImportError):
    """A package is not installed that only some uses need."""


def not_installed(package: str) -> str:
    """What to do about a package that is missing; extras are those of pyproject.toml."""
    extras = [extra for extra, packages in EXTRAS.items() if package in packages]
    return f"needs the package {package}, which is not installed" + "".join(
        f"; pip install 'ragassay[{extra}]'" for extra in extras
    )


@contextlib.contextmanager
def packages(owner):
    """Import inside what only some uses need; `owner` is what needs it, for messages."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingPackage(f"{owner} {not_installed((error.name or '').split('.')[0])}") from error


class Unusable(Exception):
    """An item cannot be used: a reason for counting and a detail for reading."""

    def __init__(self, reason: str, detail: str):
        self.reason, self.detail = reason, printable(detail)
        super().__init__(self.detail)


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
