"""Heads on disk: one safetensors file with all of them, and a JSON card with their origin and figures.

Arrays of a head are named `<head>.<seed>.<array>`. The card holds the digest of the file, so that a card is never read
with another file's heads. No time and no path is in either: the same training gives the same bytes.
"""

import hashlib
import json
from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import load, save

from ragassay.base.atomic import replacing, write_text
from ragassay.base.errors import AssayError

FORMAT = 1


class HeadsFileError(AssayError):
    """Saved heads cannot be read, or belong to other features."""


def write(weights, card, heads: dict[tuple[str, int], dict], about: dict) -> None:
    """`heads` are arrays by head and seed; `about` becomes the card, which has to hold what readers must know."""
    named = {
        f"{head}.{seed}.{name}": array for (head, seed), own in sorted(heads.items()) for name, array in own.items()
    }
    content = save(named)
    with replacing(weights) as target:
        target.write(content)
    card_text = {"format": FORMAT, "weights": hashlib.sha256(content).hexdigest(), **about}
    write_text(card, json.dumps(card_text, indent=1, sort_keys=True) + "\n")


def check(card, trained: dict, own: dict) -> None:
    """Refuse heads that were trained on other features: `own` is the identity of those that are there now."""
    pairs = {key: (trained.get(key, "nothing"), own.get(key, "nothing")) for key in trained.keys() | own.keys()}
    if differ := {key: pair for key, pair in sorted(pairs.items()) if pair[0] != pair[1]}:
        told = "; ".join(f"{key} was {before!r} and is now {now!r}" for key, (before, now) in differ.items())
        hint = " or set the model's option dtype, which otherwise follows the machine" if "dtype" in differ else ""
        raise HeadsFileError(f"{card}: its heads were trained on other features: {told}; train them again{hint}")


def read(weights, card) -> tuple[dict[tuple[str, int], dict], dict]:
    try:
        about, content = json.loads(Path(card).read_text()), Path(weights).read_bytes()
        arrays = load(content)
    except (OSError, ValueError, SafetensorError) as error:
        raise HeadsFileError(f"{card}: cannot read the heads ({error}); train them again") from error
    if about.get("format") != FORMAT or about.get("weights") != hashlib.sha256(content).hexdigest():
        raise HeadsFileError(f"{weights}: found other heads than those that {card} describes; train them again")
    heads = {}
    for name, array in arrays.items():
        head, seed, own = name.split(".", 2)
        heads.setdefault((head, int(seed)), {})[own] = array
    return heads, about
