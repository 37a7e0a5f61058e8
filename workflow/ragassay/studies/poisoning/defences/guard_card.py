"""A fitted defence on disk: a JSON file with what it is, what it was fitted on and with, and what came of that, for
each fold of queries and for queries of tomorrow. Its scorer and encoders are known by digests: others give other
scores, which its thresholds say nothing about."""

from pathlib import Path

from ragassay.base import card
from ragassay.base.terminal import shown
from ragassay.models.encoders.encoder import Encoder
from ragassay.search.nearest import SIMILARITIES
from ragassay.studies.poisoning.defences import defence
from ragassay.studies.poisoning.defences.defence import Defence, DefenceError
from ragassay.studies.poisoning.defences.scorer import SPLITS
from ragassay.studies.poisoning.defences.thresholds import ALL, FOLDS

PASSAGE, QUERY = "passage", "query"  # the roles of texts in a search
READING = {"way": str, "least": int, "window": int}  # how texts are split for their scores
EVERY_FOLD = (ALL, *map(str, range(FOLDS)))


def _is_reading(value) -> bool:
    is_right = isinstance(value, dict) and {name: type(part) for name, part in value.items()} == READING
    return is_right and value["way"] in SPLITS and min(value["least"], value["window"]) > 0


def _are_encoders(value) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {PASSAGE, QUERY}:
        return False
    return all(isinstance(part, dict) and isinstance(part.get("kind"), str) for part in value.values())


def _is_scorer(value) -> bool:
    return value is None or (isinstance(value, dict) and (not value or isinstance(value.get("files"), str)))


def _are_fitted(value) -> str:
    is_right = isinstance(value, dict) and all(isinstance(part, dict) for part in value.values())
    missing = sorted(set(EVERY_FOLD) - value.keys()) if is_right else ["any"]
    if missing:
        return f"found no thresholds for fold {missing[0]}, expected all"
    return f"found the folds {shown(sorted(value))}, expected {', '.join(EVERY_FOLD)}" if len(value) > FOLDS + 1 else ""


FORM = card.Form(
    "guard",
    3,
    {
        "kind": str, "settings": dict, "depth": card.positive("a number of passages"), "retriever": str,
        "encoders": card.expected("encoders by the role of texts", _are_encoders), "scorer": str,
        "similarity": card.expected(" or ".join(SIMILARITIES), lambda value: value in (*SIMILARITIES,)),
        "scored_by": card.expected("what a scorer is", _is_scorer), "queries": int, "sample": int,
        "reading": card.expected(", ".join(READING), _is_reading), "fitted": _are_fitted,
    },
    "fit it again",
    DefenceError,
)  # fmt: skip


def write(path, about: dict, fitted: dict[str, dict]) -> None:
    card.write(path, FORM, about | {"fitted": fitted}, indent=None)


def read(path) -> dict:
    """The card, if every fold can be judged by it."""
    guard = card.read(path, FORM)
    for fold in EVERY_FOLD:
        if wrong := defence.damage_of(guard, guard["fitted"][fold]):
            raise DefenceError(f"{path}: {wrong}, so the guard is damaged; fit it again")
    return guard


def defence_of(guard: dict, fold: str) -> Defence:
    """The fitted defence for the queries of a fold."""
    return defence.kind_of(guard["kind"])(guard["settings"], guard["fitted"][fold])


def place(path) -> tuple[str, str, str]:
    """Dataset, retriever and defence of a guard, as its path says."""
    path = Path(path)
    return path.parts[-3], path.parts[-2], path.stem


def check(path, guard: dict, **wanted) -> None:
    """Refuse to judge scores of another scorer or what another retriever found."""
    for name, value in wanted.items():
        if guard[name] != value:
            raise DefenceError(
                f"{path}: found the {name} {value!r}, but it was fitted with {guard[name]!r}; fit it with that, too"
            )


def check_identity(path, what: str, identity: dict, fitted: dict) -> None:
    """Refuse a scorer or an encoder that is not the one of the fitting."""
    card.check_identity(path, FORM, what, identity, fitted)


def encoders(entries: dict[str, dict]) -> dict[str, dict]:
    """Role -> what the encoder is that reads texts in it; entries are those of the configuration, with names."""
    identities = {}
    for role, entry in entries.items():
        same = [other for other in identities if entries[other] == entry]  # whose files need not be read again
        encoder = Encoder(**entry)
        identity = identities[same[0]] if same else encoder.identity | {card.ELSEWHERE: encoder.local.commit}
        identities[role] = identity | {"prefix": encoder.prefix(role)}
    return identities
