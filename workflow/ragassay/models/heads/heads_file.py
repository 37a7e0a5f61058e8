"""Heads on disk: one safetensors file with all of them, arrays named `<head>.<seed>.<array>`, and a JSON card with
their origin and figures, which holds the file's digest. The same training gives the same bytes."""

import hashlib
from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import load, save

from ragassay.base import card
from ragassay.base.atomic import replacing
from ragassay.base.errors import AssayError


class HeadsFileError(AssayError):
    """Saved heads cannot be read, or belong to other features."""


FORM = card.Form("head", 1, {"weights": str}, "train it again", HeadsFileError)


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


def read(weights, path) -> tuple[dict[tuple[str, int], dict], dict]:
    """The arrays of each head, by its name and seed, and the card."""
    facts = card.read(path, FORM)
    try:
        content = Path(weights).read_bytes()
        arrays = load(content)
        names = {name: name.split(".", 2) for name in arrays}
        heads = {(head, int(seed)): {} for head, seed, _ in names.values()}
    except (OSError, ValueError, SafetensorError) as error:
        raise HeadsFileError(f"{weights}: cannot read the heads ({error}); train them again") from error
    if facts["weights"] != hashlib.sha256(content).hexdigest():
        raise HeadsFileError(f"{weights}: found other heads than those that {path} describes; train them again")
    for name, (head, seed, array) in names.items():
        heads[head, int(seed)][array] = arrays[name]
    return heads, facts
