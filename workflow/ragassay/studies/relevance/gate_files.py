"""A gate on disk: a folder with a JSON file that describes it, and arrays. It can be copied anywhere.

    gate.json               how it was fitted, what it does, and the size and digest of each other file
    passage_ids.json        the ids of the passages, in the order of the arrays
    calibration.npy         the statistic of in-knowledge queries
    {retriever}.npy         vectors of passages as they are compared, in float32, so that a product reads them as they
                            lie on disk: mapped into memory, shared by all processes, and never converted
    {retriever}.safetensors, {retriever}.words.json    BM25's weights, and its words

`gate.json` is written last: a folder without it is no gate.
"""

import hashlib
import json
from pathlib import Path

import numpy as np

from ragassay.base.atomic import write_text
from ragassay.base.errors import AssayError, closest_file

FORMAT = 1
CARD = "gate.json"
AGAIN = "fit the gate again, or copy its whole folder"


class GateError(AssayError):
    """A gate cannot be used, or cannot be asked this."""


def write_card(folder, about: dict) -> None:
    """Describe a gate whose other files are written."""
    folder = Path(folder)
    others = sorted(path for path in folder.iterdir() if path.name != CARD and not path.name.startswith("."))
    files = {path.name: {"bytes": path.stat().st_size, "sha256": digest(path)} for path in others}
    write_text(folder / CARD, json.dumps({"format": FORMAT, **about, "files": files}, indent=1, sort_keys=True) + "\n")


def read_card(folder) -> dict:
    """What describes a gate, if all its files are there in their sizes."""
    path = Path(folder, CARD)
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        version, files = about["format"], about.get("files", {})
    except OSError as error:
        hint = closest_file(Path(folder)) if not Path(folder).exists() else ""
        raise GateError(f"{path}: cannot read it ({error.strerror}), expected a fitted gate{hint}; {AGAIN}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GateError(f"{path}: found no description of a gate ({error!r}); {AGAIN}") from error
    if version != FORMAT:
        raise GateError(
            f"{path}: found a gate of format {version}, expected {FORMAT}; fit it again with this version of ragassay"
        )
    for name, known in files.items():
        file = Path(folder, name)
        if not file.is_file():
            raise GateError(f"{file}: no such file, expected one of {known['bytes']} bytes; {AGAIN}")
        if file.stat().st_size != known["bytes"]:
            raise GateError(f"{file}: found {file.stat().st_size} bytes, expected {known['bytes']}; {AGAIN}")
    return about


def checked(folder, name: str, about: dict) -> Path:
    """One of the files, if it is what it was when the gate was fitted."""
    path = Path(folder, name)
    if digest(path) != about["files"][name]["sha256"]:
        raise GateError(f"{path}: found other content than when the gate was fitted; {AGAIN}")
    return path


def known_values(folder, about: dict) -> np.ndarray:
    """The statistic of the in-knowledge queries that calibrate a gate, ascending."""
    return np.load(checked(folder, "calibration.npy", about), allow_pickle=False)


def digest(path) -> str:
    with Path(path).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
