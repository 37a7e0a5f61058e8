"""A fitted defence on disk: one JSON file with what it is, what it was fitted on, and what came of that, for each fold
of queries and for queries of tomorrow.
"""

import json
from pathlib import Path

from ragassay.atomic import write_text
from ragassay.defences.null import ALL, FOLDS, DefenceError

FORMAT = 2
SEARCH = ("retriever", "encoders", "similarity")
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
    return card


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
