"""Heads on disk: one safetensors file with all of them, arrays named `<head>.<seed>.<array>`, and a JSON card with
their origin and figures, which holds the file's digest. The same training gives the same bytes."""

import functools
import hashlib
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from ragassay.base import card, fitted_files
from ragassay.base.atomic import replacing
from ragassay.base.errors import AssayError


class HeadsFileError(AssayError):
    """Saved heads cannot be read, or belong to other features."""


FORM = card.Form("head", 2, {"weights": card.expected("a digest", card.is_digest)}, "train it again", HeadsFileError)


def write(weights, path, heads: dict[tuple[str, int], dict], facts: dict) -> None:
    """`heads` are arrays by head and seed; `facts` become the card, which have to hold what readers must know."""
    named = {
        f"{head}.{seed}.{name}": array
        for (head, seed), arrays in sorted(heads.items())
        for name, array in arrays.items()
    }
    content = save(named)
    with replacing(weights) as target:
        target.write(content)
    card.write(path, FORM, {"weights": hashlib.sha256(content).hexdigest(), **facts})


def check(path, trained: dict, current: dict) -> None:
    """Refuse heads that were trained on other features: `current` is the identity of those that are there now."""
    pairs = {key: (trained.get(key, "nothing"), current.get(key, "nothing")) for key in trained.keys() | current.keys()}
    if differ := {key: pair for key, pair in sorted(pairs.items()) if pair[0] != pair[1]}:
        changes = "; ".join(f"{key} was {before!r} and is now {now!r}" for key, (before, now) in differ.items())
        hint = " or set the model's option dtype, which otherwise follows the machine" if "dtype" in differ else ""
        raise HeadsFileError(f"{path}: its heads were trained on other features: {changes}; train them again{hint}")


def rounded_digest(arrays: dict[str, np.ndarray]) -> str:
    """The beginning of the digest of a head's numbers to three places. Processors differ in further ones; where a
    number lies between two steps, its digest may differ, too.
    """
    rounded = (np.round(arrays[name].astype(float), 3) + 0.0 for name in sorted(arrays))  # there is no -0
    return hashlib.sha256(b"".join(array.tobytes() for array in rounded)).hexdigest()[:16]


def read(weights, path) -> tuple[dict[tuple[str, int], dict], dict]:
    """The arrays of each head, by its name and seed, and the card."""
    facts = card.read(path, FORM)
    with fitted_files.reading(functools.partial(FORM.refusal, weights)):
        content = Path(weights).read_bytes()
        arrays = fitted_files.arrays(content)
        names = {name: name.split(".", 2) for name in arrays}
        heads = {(head, int(seed)): {} for head, seed, _ in names.values()}
    if facts["weights"] != hashlib.sha256(content).hexdigest():
        raise HeadsFileError(f"{weights}: found other heads than those that {path} describes; train them again")
    for name, (head, seed, array) in names.items():
        heads[head, int(seed)][array] = arrays[name]
    return heads, facts


def check_head(arrays: dict[str, np.ndarray], features: int | None = None) -> int:
    """The features that a head reads, from arrays as `ragassay.models.heads.scores` has them; ValueError if these are
    damaged or read another number of features.
    """
    layers = ("inner", "outer") if "inner.weight" in arrays else ("outer",)
    expected = {f"{layer}.{part}" for layer in layers for part in ("weight", "bias")}
    if arrays.keys() != expected:
        raise ValueError(f"found the arrays {', '.join(sorted(arrays))}, expected {', '.join(sorted(expected))}")
    [width] = fitted_files.check("outer.weight", arrays["outer.weight"], "float32", (None,)).shape
    fitted_files.check("outer.bias", arrays["outer.bias"], "float32", (1,) if arrays["outer.bias"].ndim else ())
    if len(layers) == 2:
        fitted_files.check("inner.bias", arrays["inner.bias"], "float32", (width,))
        width = fitted_files.check("inner.weight", arrays["inner.weight"], "float32", (width, None)).shape[1]
    if not width or features not in (None, width):
        raise ValueError(f"found a head of {width} features, expected {features or 'some'}")
    return width
