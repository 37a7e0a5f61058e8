"""A fitted defence on disk: one JSON file with what it is, what it was fitted on, and what came of that, for each fold
of queries and for queries of tomorrow.
"""

import json
import math
from numbers import Real
from pathlib import Path

from ragassay.base.atomic import write_text
from ragassay.studies.poisoning.defences.null import ALL, FOLDS, DefenceError

FORMAT = 2
SEARCH = ("retriever", "encoders", "similarity")
PARTS = {"settings": dict, "reading": dict, "depth": int, "encoders": dict | None, "scored_by": dict | None}
ABOUT = ("kind", "settings", "depth", *SEARCH, "scorer", "scored_by", "reading")  # what it says beside thresholds


def write(path, about: dict, fitted: dict[str, dict]) -> None:
    card = {"format": FORMAT, **about, "fitted": fitted}
    write_text(path, json.dumps(card, sort_keys=True, ensure_ascii=False) + "\n")


def read(path) -> dict:
    """The card, if it is one of this version."""
    try:
        card = json.loads(Path(path).read_text(encoding="utf-8"))
        version, folds = card["format"], card["fitted"].keys()
    except OSError as error:
        raise DefenceError(f"{path}: cannot read it ({error.strerror}), expected a fitted guard; fit it") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DefenceError(f"{path}: found no fitted guard ({error!r}); fit it again") from error
    if version != FORMAT:
        raise DefenceError(f"{path}: found a guard of format {version}, expected {FORMAT}; fit it with this version")
    if wanted := {ALL, *map(str, range(FOLDS))} - folds:
        raise DefenceError(f"{path}: found no thresholds for fold {min(wanted)}, expected all; fit it again")
    if missing := [name for name in ABOUT if name not in card]:
        raise DefenceError(f"{path}: found a guard without {missing[0]!r}, so it is damaged; fit it again")
    if wrong := [name for name, kind in PARTS.items() if not isinstance(card[name], kind)]:
        raise DefenceError(f"{path}: found {card[wrong[0]]!r} as {wrong[0]}, so the guard is damaged; fit it again")
    if not all(map(_is_sound, card["fitted"].values())):
        raise DefenceError(f"{path}: found a threshold that is no number, so the guard is damaged; fit it again")
    return card


def _is_sound(fitted) -> bool:
    """Whether thresholds are numbers: nothing is above one that is none, and all would pass. One that ranks scores has
    something to rank them in.
    """
    if "threshold" in fitted:
        limit = fitted["threshold"]
        limits = limit.values() if isinstance(limit, dict) else [limit]
        return all(isinstance(one, Real) and math.isfinite(one) for one in limits) and fitted.get("null") != []
    return all(map(_is_sound, [*fitted.get("criteria", {}).values(), *fitted.get("links", [])]))


def place(path) -> tuple[str, str, str]:
    """Dataset, retriever and defence of a guard, as its path says."""
    path = Path(path)
    return path.parts[-3], path.parts[-2], path.stem


def settings(card: dict, fold: str) -> dict:
    """The settings of a fitted defence for the queries of a fold."""
    return card["settings"] | {"fitted": card["fitted"][fold]}


def check(path, card: dict, **own) -> None:
    """Refuse to judge scores of another scorer or what another retriever found."""
    for name, value in own.items():
        if card[name] != value:
            raise DefenceError(
                f"{path}: found the {name} {value!r}, but it was fitted with {card[name]!r}; fit it with that, too"
            )
