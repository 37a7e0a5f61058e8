"""The files of a gate, and what each has to be. All are checked when a gate is opened; a damaged one is a `GateError`.

    gate.json               how it was fitted, what it does, and the size and digest of each other file
    passage_ids.json        the ids of the passages, in the order of the arrays
    calibration.npy         the statistic of in-knowledge queries, ascending
    reader.npy              the same with a reader's scores, if the gate was calibrated with one
    {retriever}.npy         vectors of passages as they are compared, in float32, so that a product reads them as they
                            lie on disk: mapped into memory, shared by all processes, and never converted
    {retriever}.example.npy the vector of one sentence as a query, by which an encoder of the service is recognised
    {retriever}.safetensors, {retriever}.words.json    BM25's weights, and its words

`gate.json` is written last: a folder without it is no gate.
"""

import functools
from pathlib import Path

import numpy as np

from ragassay.base import card, fitted_files, variants
from ragassay.base.errors import AssayError
from ragassay.base.terminal import shown
from ragassay.models.encoders import encoder
from ragassay.search.nearest import SIMILARITIES
from ragassay.studies.relevance import calibration
from ragassay.studies.relevance.statistics import FUSED, LOGISTIC, SIMPLE, TOGETHER

# The paper's appendix A.2: refuse, ask the model without passages, search the web or another corpus, call somebody.
STRATEGIES = REJECT, DIRECTLY, WIDER, PERSON = "reject", "answer_directly", "search_wider", "ask_person"
DENSE, BM25 = "dense", "bm25"
CARD, CALIBRATION, IDS, READER = "gate.json", "calibration.npy", "passage_ids.json", "reader.npy"
FARTHEST = 1e6  # no score, spread or temperature is as far from 1
TEMPERATURE = card.between(1 / FARTHEST, FARTHEST)
AGAIN = "fit the gate again, or copy its whole folder"


class GateError(AssayError):
    """A gate cannot be used, or cannot be asked this."""


def _is_statistic(value) -> str:
    if not isinstance(value, dict) or not {"name", "k", "temperature"} <= value.keys():
        return f"found {shown(value)}, expected a statistic with its settings"
    if value["name"] not in (*SIMPLE, *TOGETHER):
        return f"found the statistic {shown(value['name'])}, expected one of {', '.join((*SIMPLE, *TOGETHER))}"
    if type(value["k"]) is not int or value["k"] < 1 or TEMPERATURE(value["temperature"]):
        return f"found {shown(value)}, expected k and a temperature"
    if value["name"] == LOGISTIC:
        return "" if _is_head(value.get("head")) else f"found the head {shown(value.get('head'))}, expected its weights"
    if value["name"] != FUSED:
        return ""
    units = value.get("units")
    return "" if _are_units(units) else f"found units {shown(units)}, expected a mean and a spread for each searcher"


def _are_units(value) -> bool:
    pairs = value if isinstance(value, list) and value else [None]
    is_right = all(isinstance(pair, list) and len(pair) == 2 and all(map(card.is_number, pair)) for pair in pairs)
    return is_right and all(abs(mean) < FARTHEST and 1 / FARTHEST < spread < FARTHEST for mean, spread in value)


def _is_reader(value) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"model", "prompt", "passages", "units"}
        and all(isinstance(value[name], str) and value[name] for name in ("model", "prompt"))
        and type(value["passages"]) is int
        and value["passages"] > 0
        and _are_units(value["units"])
        and len(value["units"]) == 2
    )


def _is_head(value) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"outer.weight", "outer.bias"}
        and all(isinstance(numbers, list) and all(map(card.is_number, numbers)) for numbers in value.values())
        and len(value["outer.bias"]) == 1
    )


def _are_searchers(value) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(_is_searcher, value.values()))


def _is_searcher(value):
    if not isinstance(value, dict) or value.get("kind") not in (DENSE, BM25):
        return False
    if value["kind"] == BM25:
        return True
    entry, digest = value.get("encoder"), value.get("digest")
    return (
        value.get("similarity") in (*SIMILARITIES,)
        and isinstance(digest, str)
        and isinstance(entry, dict)
        and entry.keys() == {"name", "kind", "model", "options"}
        and all(isinstance(entry[name], str) and entry[name] for name in ("name", "model"))
        and entry["kind"] in variants.names(encoder.KINDS)
        and isinstance(entry["options"], dict)
    )


def _is_share(value) -> bool:
    return not card.between(0, 1)(value) and value < 1


def _are_rates(value) -> bool:
    return isinstance(value, dict) and value.keys() == {"expected", "worst"} and all(map(_is_share, value.values()))


def _is_order(value) -> bool:
    return card.is_list(value, str) and len(set(value)) == len(value)


FORM = card.Form(
    "gate",
    3,
    {
        "confidence": card.expected("a share below 1, or nothing", lambda value: value is None or _is_share(value)),
        "false_alarms": card.expected("the expected and the highest share of false alarms", _are_rates),
        "alpha": card.between(0, 1),
        "strategy": card.expected(f"one of {', '.join(STRATEGIES)}", lambda value: value in STRATEGIES),
        "statistic": _is_statistic,
        "passages": card.positive("a number of passages"),
        "order": card.expected("names of searchers", _is_order),
        "searchers": card.expected("searchers with their encoders", _are_searchers),
        "synthetic": bool,
        "calibrated_by": str,
    },
    AGAIN,
    GateError,
)


def write_card(folder, about: dict) -> None:
    """Describe a gate whose other files are written."""
    others = [path.name for path in Path(folder).iterdir() if path.name != CARD and not path.name.startswith(".")]
    card.write(Path(folder, CARD), FORM, about, others)


def read_card(folder) -> dict:
    """What describes a gate, if all its files are there in their sizes."""
    path = Path(folder, CARD)
    about = card.read(path, FORM)
    if missing := [name for name in about["order"] if name not in about["searchers"]]:
        raise GateError(f"{path}: found no searcher {missing[0]!r}, so the gate is damaged; {AGAIN}")
    if "reader" in about and not _is_reader(about["reader"]):
        raise GateError(f"{path}: found the reader {shown(about['reader'])}, so the gate is damaged; {AGAIN}")
    statistic, searchers = about["statistic"], len(about["order"])
    if statistic["name"] == FUSED:
        searchers = len(statistic["units"])
    elif statistic["name"] == LOGISTIC:
        searchers = len(statistic["head"]["outer.weight"]) / 3
    if searchers != len(about["order"]):
        raise GateError(f"{path}: found numbers for other searchers than it has, so the gate is damaged; {AGAIN}")
    return about


def opened(folder, name: str, about: dict, read):
    """What `read` makes of one of the files, if it is what it was when the gate was fitted."""
    path = card.checked(Path(folder, CARD), about, FORM, name)
    with fitted_files.reading(functools.partial(FORM.refusal, path)):
        return read(path)


def known_values(folder, about: dict, name: str = CALIBRATION) -> np.ndarray:
    """The statistic of the in-knowledge queries that calibrate a gate, ascending; that of `READER` has its scores."""

    def read(path):
        values = fitted_files.check("statistics", fitted_files.array(path), "float64", (None,), order="ascending")
        return np.array(values)

    values, fewest = (opened(folder, name, about, read), calibration.fewest_for(about["alpha"], about["confidence"]))
    if len(values) < fewest or values[0] == values[-1]:
        size = f"{len(values)} queries that calibrate alpha {about['alpha']}"
        raise FORM.refusal(folder, f"found {size}, expected at least {fewest:g}, and statistics that differ")
    return values


def passage_ids(folder, about: dict) -> list[str]:
    return opened(folder, IDS, about, fitted_files.texts)


def vectors(folder, name: str, about: dict) -> tuple[np.ndarray, np.ndarray]:
    """The vectors of passages, on disk, and that of the example."""
    limits = SIMILARITIES[about["searchers"][name]["similarity"]]

    def read(path):
        return fitted_files.check("vectors", fitted_files.array(path), "float32", (None, None), *limits)

    passages = opened(folder, f"{name}.npy", about, read)
    example = opened(folder, f"{name}.example.npy", about, read)
    if example.shape != (1, passages.shape[1]):
        raise FORM.refusal(folder, f"found an example of shape {example.shape} for {name}, expected one vector")
    return passages, np.array(example[0])
