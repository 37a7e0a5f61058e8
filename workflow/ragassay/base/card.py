"""The card of whatever is fitted and saved (guards, gates, probes, heads): a JSON file that says what was fitted, on
what, and what came of it. Files beside it, such as arrays, stand on it with sizes and digests, and it has its own. A
card may come from anywhere and is checked here when it is opened; whatever is wrong is an error of one line. Digests
find accidents; what somebody changed on purpose has to pass all other checks."""

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable
from numbers import Real
from pathlib import Path
from typing import NamedTuple

from ragassay.base.atomic import write_text
from ragassay.base.errors import AssayError, closest_file
from ragassay.base.terminal import shown

LARGEST = 256 << 20  # bytes of a card
LONGEST = 255  # bytes of a file's name
DIGEST = "digest"  # what a card calls its own
ELSEWHERE = "revision"  # says where files come from; the same files are the same under any name


class Form(NamedTuple):
    """What a card has to be."""

    what: str  # such as "guard"
    format: int
    parts: dict[str, type | Callable[[object], str]]  # a type, or what is wrong with a value, or ""
    again: str  # what to do if it is damaged
    error: type[AssayError]
    made: str = "fitted"

    def refusal(self, place, problem: str) -> AssayError:
        """The error for a card, or a file beside it, that is not as it has to be."""
        return self.error(f"{place}: {problem}; {self.again}")


def write(path, form: Form, about: dict, files: Iterable[str] = (), indent: int | None = 1) -> None:
    """Write a card; `files` are names beside it. It is written last, so that a folder without it holds nothing."""
    path = Path(path)
    card = {"format": form.format, **about}
    if files:
        card["files"] = {name: _described(path.parent / name) for name in sorted(files)}
    card = signed(json.loads(json.dumps(card, allow_nan=False)))
    write_text(path, json.dumps(card, indent=indent, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")


def read(path, form: Form) -> dict:
    """A card that is as its form says."""
    card = _parsed(Path(path), form)
    if card.get("format") != form.format:
        problem = f"found a {form.what} of format {shown(card.get('format'))}, expected {form.format}"
        raise form.refusal(path, f"{problem}, as this version of ragassay writes it")
    if card != signed(card):
        raise form.refusal(path, f"found other content than when the {form.what} was {form.made}")
    check_parts(path, form, card)
    for name, known in _files(path, card, form).items():
        file = Path(path).parent / name
        if not file.is_file():
            raise form.refusal(file, f"no such file, expected one of {known['bytes']} bytes")
        if file.stat().st_size != known["bytes"]:
            raise form.refusal(file, f"found {file.stat().st_size} bytes, expected {known['bytes']}")
    return card


def check_parts(path, form: Form, card: dict) -> None:
    """Refuse a card that lacks a part, or has something else in its place."""
    for name, kind in form.parts.items():
        if name not in card:
            raise form.refusal(path, f"found a {form.what} without {name!r}, so it is damaged")
        if wrong := _wrong(card[name], kind):
            raise form.refusal(path, f"{name}: {wrong}, so the {form.what} is damaged")


def checked(path, card: dict, form: Form, name: str) -> Path:
    """One of the files beside a card, if it has the digest that the card names."""
    file = Path(path).parent / name
    if name not in card.get("files", {}):
        raise form.refusal(path, f"files: found no {name}, so the {form.what} is damaged")
    if digest(file) != card["files"][name]["sha256"]:
        raise form.refusal(file, f"found other content than when the {form.what} was {form.made}")
    return file


def check_identity(path, form: Form, what: str, identity: dict, fitted: dict) -> None:
    """Refuse what is not the one of the fitting; `what` is its name, such as "scorer ngram"."""
    for key in dict.fromkeys([*fitted, *identity]):
        if key != ELSEWHERE and identity.get(key) != fitted.get(key):
            raise form.error(
                f"{path}: found the {what} with {key} {identity.get(key)!r}, but it was fitted with"
                f" {fitted.get(key)!r}; name that one, or fit the {form.what} again"
            )


def digest(path) -> str:
    with Path(path).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def signed(card: dict) -> dict:
    """A card with the digest of all that it says, however its JSON is laid out."""
    content = {name: part for name, part in card.items() if name != DIGEST}
    return content | {DIGEST: hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()}


def is_number(value) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def ascending(values, most: int | None = None) -> str:
    """What is wrong with numbers in ascending order, at least one and at most so many, or ""."""
    if not isinstance(values, list) or not values:
        return "expected a list of numbers"
    if most and len(values) > most:
        return f"found {len(values)} numbers, expected at most {most}"
    if not all(map(is_number, values)):
        return "expected a list of numbers"
    return "" if values == sorted(values) else "found numbers out of order, expected ascending ones"


def expected(what: str, is_right: Callable[[object], bool]) -> Callable[[object], str]:
    """A check of a part; `what` is wanted there, for messages."""
    return lambda value: "" if is_right(value) else f"found {shown(value)}, expected {what}"


def between(low: float, high: float) -> Callable[[object], str]:
    """A check that a value is a number between two others, without these."""
    return expected(f"a number between {low:g} and {high:g}", lambda value: is_number(value) and low < value < high)


def positive(what: str) -> Callable[[object], str]:
    """A check that a value is a whole number above 0."""
    return expected(what, lambda value: type(value) is int and value > 0)


def is_digest(value) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def is_list(value, kind: type) -> bool:
    """Whether it is a list of such values, at least one."""
    return isinstance(value, list) and bool(value) and all(type(item) is kind for item in value)


def _described(path):
    return {"bytes": path.stat().st_size, "sha256": digest(path)}


def _parsed(path, form):
    try:
        if path.stat().st_size > LARGEST:
            raise form.refusal(path, f"found {path.stat().st_size >> 20} MB, expected a {form.what}")
        text = path.read_text(encoding="utf-8")
        card = json.loads(text, parse_constant=_refused, parse_float=_finite, parse_int=_whole)
    except OSError as error:
        hint = closest_file(path.parent) if not path.parent.exists() else ""
        problem = f"cannot read it ({error.strerror}), expected a {form.made} {form.what}{hint}"
        raise form.refusal(path, problem) from error
    except (ValueError, RecursionError) as error:
        raise form.refusal(path, f"found no {form.what} ({error!s:.80})") from error
    if not isinstance(card, dict):
        raise form.refusal(path, f"found {shown(card)}, expected a {form.made} {form.what}")
    return card


def _refused(text):
    raise ValueError(f"found {text}, expected a finite number")


def _finite(text):
    return float(text) if math.isfinite(float(text)) else _refused(text)


def _whole(text):
    return int(text) if len(text) < 20 else _refused(f"{text[:20]}...")


def _wrong(value, kind):
    """What is wrong with a value, or ""."""
    if callable(kind) and not isinstance(kind, type):
        return kind(value)
    is_right = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
    name = kind.__name__ if isinstance(kind, type) else kind
    return "" if is_right else f"found {shown(value)}, expected {name}"


def _files(path, card, form):
    files = card.get("files", {})
    is_right = isinstance(files, dict) and all(
        isinstance(about, dict) and type(about.get("bytes")) is int and is_digest(about.get("sha256"))
        for about in files.values()
    )
    if not is_right or any(
        not name.isprintable() or len(name.encode()) > LONGEST or Path(name).name != name or name in (".", "..")
        for name in files
    ):
        raise form.refusal(path, "files: expected names with sizes and digests")
    return files
