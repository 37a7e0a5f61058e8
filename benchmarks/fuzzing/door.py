"""A door where content from outside enters, and what all doors share."""

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from tokenize import TokenError
from typing import NamedTuple
from unittest import mock

import pyarrow as pa
from safetensors import SafetensorError

from fuzzing import inputs
from fuzzing.mutations import changed_value
from ragassay.base import fitted_files
from ragassay.base.errors import CRASH, MISSHAPEN, AssayError, Unusable
from ragassay.release.verification import checks, table_files
from ragassay.release.verification.digests import Oversized, crash
from ragassay.text.characters import refusal


class Door(NamedTuple):
    sample: Callable[[random.Random], bytes]  # content as it should be, or nearly
    enter: Callable[[bytes, Path], object]  # in a folder of its own
    known: tuple[type[Exception], ...] = (AssayError,)  # what a reader may raise


class LetIn(Exception):
    """Something was let in that is not to be stored, or that says what it was not told."""


def _of_item(unusable, reason, detail):
    """What nobody foresaw of an item is raised, where the library makes a reason of it."""
    if reason == CRASH and (error := sys.exception()):
        raise error
    MADE(unusable, reason, detail)


def _of_table(error):
    """Of damaged tables, what is foreseen stays a line."""
    if isinstance(error, (pa.ArrowException, OSError, Oversized, *MISSHAPEN)):
        return crash(error)
    raise error


def _of_fitted_file(error):
    """Of what was fitted, too: a few bytes out of place raise these."""
    if isinstance(error, (*MISSHAPEN, OSError, EOFError, SyntaxError, MemoryError, SafetensorError, TokenError)):
        return REASON(error)
    raise error


MADE, REASON = Unusable.__init__, fitted_files.reason_of


def entered(door: Door, content: bytes, folder: Path) -> None:
    """Raises what nobody foresaw."""
    try:
        with (
            mock.patch.object(Unusable, "__init__", _of_item),
            mock.patch.object(fitted_files, "reason_of", _of_fitted_file),
            mock.patch.object(table_files, "crash", _of_table),
            mock.patch.object(checks, "crash", _of_table),
        ):
            door.enter(content, folder)
    except door.known as error:
        if not str(error).replace("\n", "").isprintable():
            raise LetIn(f"a message that steers a terminal: {error!r:.200}") from error


def storable(*texts):
    for text in texts:
        if wrong := refusal(text):
            raise LetIn(wrong)


def grown(name):
    return lambda draw: inputs.text(draw, name)


def values(examples, lines=False, form="{}"):
    """A value, or one a line, in the form of what it stands in."""

    def sample(draw):
        chosen = [draw.choice(examples) for _ in range(draw.randint(1, 4) if lines else 1)]
        values = [changed_value(draw, value) if draw.random() < 0.7 else value for value in chosen]
        written = [form.replace("{}", json.dumps(value, ensure_ascii=draw.random() < 0.5)) for value in values]
        return "\n".join(written).encode("utf-8", "surrogatepass")

    return sample


def in_file(name, read):
    """Content as a file of this name, which `read` gets."""

    def enter(content, folder):
        path = folder / name
        path.write_bytes(content)
        return read(path)

    return enter


def lenient(content):
    """Bodies come decoded, whatever they were."""
    return content.decode("utf-8", "replace")
