"""The one base class of errors that are meant for the person who runs the pipeline: shown as one line, without a
traceback. And how such a line names what was probably meant."""

import contextlib
import difflib
import json
import traceback
from collections.abc import Iterator
from pathlib import Path

from ragassay.base.terminal import printable

CRASH = "crash"  # the reason why an item cannot be used that nobody foresaw
LIBRARY = str(Path(__file__).parents[1])
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


@contextlib.contextmanager
def one_item(*foreseen: type[Exception]) -> Iterator[None]:
    """Around what is done with an item from outside: it costs itself. What nobody foresaw becomes `Unusable` of class
    CRASH, with type and place. Errors for a person, `foreseen` ones and a lack of memory pass.
    """
    try:
        yield
    except (AssayError, Unusable, MemoryError, *foreseen):
        raise
    except Exception as error:
        places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
        file, line = next((place for place in reversed(places[1:]) if place[0].startswith(LIBRARY)), places[-1])
        place, words = f"{Path(file).name}:{line}", " ".join(str(error).split())[:200]
        detail = f"reading it raised {type(error).__name__} at {place}" + (f": {words}" if words else "")
        raise Unusable(CRASH, detail) from error


def json_of(text: str | bytes, otherwise=None, **options):
    """JSON from outside, or something else where it is none, or deeper than Python takes."""
    try:
        return json.loads(text, **options)
    except (ValueError, RecursionError):
        return otherwise


def closest(name, known, folder: str = "") -> str:
    """The known name that was probably meant, to be put behind a sentence; empty if none is near."""
    close = difflib.get_close_matches(str(name), known, n=1)
    return f" (did you mean {folder}{close[0]}?)" if close else ""


def unknown(what: str, name, known) -> str:
    """What is wrong with a name that is none of the known ones."""
    return f"found the {what} {name!r}, expected one of: {', '.join(known)}{closest(name, known)}"


def closest_file(path) -> str:
    """The same for a path that does not exist, among what lies in its folder; or where a link leads that lies there."""
    path = Path(path)
    if path.is_symlink() and not path.exists():
        return f" (this links to {str(path.readlink())!r}, where nothing is)"
    others = sorted(other.name for other in path.parent.iterdir()) if path.parent.is_dir() else []
    return closest(path.name, filter(str.isprintable, others), f"{path.parent}/".removeprefix("./"))
