"""Every field of every file of a gate, guard, scorer, screen, probe and detector, damaged in every way of a list: one
typed error when it is loaded, never another error and never another behaviour.

A damage is an accident, which leaves digests as they were, or was signed: somebody made all digests anew. A signed file
that is right in itself says something else, and is believed. Such fields stand below with their reason, by what they
are called; whatever else loads has to decide as before.
"""

import functools
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from safetensors.numpy import load, save

import damages
from fitted import QUESTIONS, embedded
from ragassay import Detector, Gate, Guard, Probe, Screen
from ragassay.base import card
from ragassay.base.errors import AssayError
from ragassay.models import files
from ragassay.studies.poisoning.defences import guard_card

# Fields of a signed card that may say something else: what they decide is for who fits a gate or guard to say.
CHOICES = {
    "passages": "how many passages are shown",
    "alpha": "the share of alarms",
    "confidence": "how sure that share is",
    "expected": "what is said of that share",
    "worst": "what is said of that share",
    "k": "the depth of the statistic",
    "order": "whose passages are shown; means and spreads stand in this order",
    "units": "means and spreads of searchers",
    "threshold": "any number of its null",
    "null": "clean text, as it was found",
    "temperature": "how scores become probabilities",
    "places": "which layers a probe reads; as many numbers of other layers look the same",
    "layers": "the layers that a probe reads, in the order of its features",
    "similarity": "cosine or dot; the thresholds of a dense cluster",
    "of": "the defences of a chain",
    "rouge": "a share of wording",
    "fitted": "thresholds that other clean texts gave",
    "settings": "settings as they were",
}
PASSAGES = ["Is the ferry of the isle old? No, it is new.", "A choir of the cathedral.", "xylophone zyzzyva " * 6]
STATES = np.random.default_rng(3).normal(size=(4, 3, 4)).astype(np.float32)


@pytest.fixture(scope="module", autouse=True)
def digests_once():
    """The encoder's files are the same for all."""
    with pytest.MonkeyPatch.context() as patch:
        digest = files.digest
        known = functools.cache(digest)
        patch.setattr(files, "digest", lambda folder: (known if "minilm" in str(folder) else digest)(folder))
        yield


class Opened(NamedTuple):
    """What is loaded from a folder, and what it decides."""

    source: Path
    load: Callable
    decide: Callable
    card_name: str | None

    def copied(self, folder: Path) -> Path:
        shutil.copytree(self.source, folder, symlinks=False)
        return folder


@functools.cache
def vector(text):
    return embedded([text])[0]


def decided(gate):
    """With vectors that are known already: the encoder was checked when the gate was loaded."""
    has_encoder = any(entry["kind"] == "dense" for entry in gate.about["searchers"].values())
    known = Gate.load(gate.folder, embed=lambda texts: np.stack([*map(vector, texts)])) if has_encoder else gate
    return known(QUESTIONS)


def judged(guard):
    return guard(QUESTIONS[0], PASSAGES, [0.9, 0.4, 0.2], np.eye(3))


def thinned(value):
    """A guard whose nulls have few numbers, which is read faster."""
    if isinstance(value, dict):
        return {key: thinned(part) for key, part in value.items()}
    is_null = isinstance(value, list) and len(value) > 20
    return [*value[:: len(value) // 10], value[-1]] if is_null else value


@pytest.fixture(scope="module")
def opened(fitted, place, scored, tmp_path_factory):
    """name -> what may be damaged."""
    results = {}
    for statistic in ("fused", "mss"):
        results[f"gate {statistic}"] = Opened(fitted / "gates" / statistic, Gate.load, decided, "gate.json")
    guards = tmp_path_factory.mktemp("guards")
    for kind in ("echo", "raguard", "question_share", "trustrag", "chain"):
        folder = guards / kind
        folder.mkdir()
        source = place / f"results/guards/mine/minilm/{kind}.json"
        source = source if source.exists() else fitted / f"guards/{kind}.json"
        card.write(folder / "guard.json", guard_card.FORM, thinned(json.loads(source.read_text())))
        scorer = scored / "scorer" if kind in ("echo", "raguard") else None
        load = functools.partial(lambda folder, scorer: Guard.load(folder / "guard.json", scorer), scorer=scorer)
        results[f"guard {kind}"] = Opened(folder, load, judged, "guard.json")
    with_scorer = tmp_path_factory.mktemp("scorer") / "all"
    shutil.copytree(guards / "raguard", with_scorer)
    shutil.copytree(scored / "scorer", with_scorer / "scorer")
    results["scorer"] = Opened(
        with_scorer, lambda folder: Guard.load(folder / "guard.json", folder / "scorer"), judged, None
    )
    results["screen"] = Opened(
        with_scorer,
        lambda folder: Screen.load(folder / "guard.json", folder / "scorer", np.eye(20), np.diag(np.arange(20) / 20)),
        lambda screen: screen(PASSAGES, np.eye(20)[:3]),
        None,
    )
    for kind in ("logistic", "lens", "certainty", "mlp", "triplet"):
        load = functools.partial(Probe.load, probe=kind)
        results[f"probe {kind}"] = Opened(fitted / "probes", load, lambda probe: probe.judge(STATES), "card.json")
    results["detector"] = Opened(
        fitted / "detector",
        functools.partial(Detector.load, embeddings=fitted / "embeddings"),
        lambda detector: detector("Is it old?", PASSAGES[0]),
        "card.json",
    )
    return results


NAMES = [
    "gate fused", "gate mss", "guard echo", "guard raguard", "guard question_share", "guard trustrag", "guard chain",
    "probe logistic", "probe lens", "probe certainty", "probe mlp", "probe triplet", "detector",
]  # fmt: skip


def of_interest(name, path):
    """Of the folds of a guard, that of tomorrow's queries and one other; of probes, the one that is loaded."""
    if name.startswith("guard") and path[0] == "fitted" and len(path) > 1:
        return path[1] in ("all", "3")
    if name.startswith("probe") and path[0] == "heads" and len(path) > 1:
        return path[1] == f"matched-{name.split()[1]}.0"
    return name not in ("probe lens", "probe certainty", "probe mlp", "probe triplet")  # which share their card


class Late(NamedTuple):
    """An error of ours at the first use, where nothing that is loaded says how wide a model is."""

    error: str


def outcome(what: Opened, folder: Path):
    """The error of loading, or what was decided; any error that is not ours ends the test."""
    try:
        loaded = what.load(folder)
    except AssayError as error:
        assert "\n" not in str(error) and len(str(error)) < 600, error
        return error
    try:
        return what.decide(loaded)
    except AssayError as error:
        return Late(str(error))


@pytest.mark.parametrize("name", NAMES)
def test_every_field_of_a_card(opened, tmp_path, name):
    what = opened[name]
    folder = what.copied(tmp_path / "copy")
    path = folder / what.card_name
    content = json.loads(path.read_text())
    before, loads = outcome(what, folder), []
    assert not isinstance(before, AssayError)
    cases = 0
    for place in damages.places(content):
        if not of_interest(name, place):
            continue
        value = functools.reduce(lambda inside, key: inside[key], place, content)
        for way, damaged in damages.fields(value).items():
            changed = damages.changed(content, place, damaged)
            if damages.is_same(changed, content):
                continue
            cases += 1
            path.write_text(json.dumps(changed))
            assert isinstance(outcome(what, folder), AssayError), f"an accident: {place}, {way}"
            path.write_text(json.dumps(card.signed(changed)))
            after = outcome(what, folder)
            choices = {*map(str, place)} & (CHOICES.keys() if not isinstance(after, Late) else {"places", "layers"})
            if not isinstance(after, AssayError) and after != before and not choices:
                loads.append((place, way))
    assert loads == [] and cases > 20


@pytest.mark.parametrize("name", [*NAMES, "scorer", "screen"])
def test_every_file_as_bytes(opened, tmp_path, name):
    what = opened[name]
    folder = what.copied(tmp_path / "copy")
    before, cases = outcome(what, folder), 0
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    for path in paths:
        content = path.read_bytes()
        if path.name in ("documents.json", "documents.parquet"):
            continue  # which documents a scorer's halves have read: services never open it, but for its digest
        for way, damage in damages.BYTES.items():
            other = next((one.read_bytes() for one in paths if one.suffix != path.suffix), b"{}")
            damaged = damage(content, other)
            if damaged == content:
                continue
            cases += 1
            path.write_bytes(damaged)
            after = outcome(what, folder)
            is_json = path.suffix == ".json" and _parsed(damaged) == _parsed(content)
            assert isinstance(after, AssayError) or (is_json and after == before), f"{path.name}: {way}"
        path.unlink()
        assert isinstance(outcome(what, folder), AssayError), f"{path.name} is missing"
        path.mkdir()
        assert isinstance(outcome(what, folder), AssayError), f"{path.name} is a folder"
        path.rmdir()
        path.write_bytes(content)
    assert outcome(what, folder) == before and cases >= 10


def _parsed(content):
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def sign(folder: Path, name: str, path: Path) -> None:
    """Whatever names the digest of this file names that of what it holds now."""
    digest, about = hashlib.sha256(path.read_bytes()).hexdigest(), None
    if name.startswith("gate"):
        about = json.loads((folder / "gate.json").read_text())
        about["files"][path.name] = {"bytes": path.stat().st_size, "sha256": digest}
        place = folder / "gate.json"
    elif name in ("scorer", "screen"):
        about = json.loads((folder / "guard.json").read_text())
        about["scored_by"]["files"] = files.digest(folder / "scorer")
        place = folder / "guard.json"
    else:
        about = json.loads((folder / "card.json").read_text()) | {"weights": digest}
        place = folder / "card.json"
    place.write_text(json.dumps(card.signed(about)))


# Arrays of a signed file that may hold other numbers of the same kind: nothing beside them says what they were.
VALUES = set("data rarity indices indptr outer inner words mean factor support network poisoned".split())
VALUES |= {"minilm", "calibration", "shares", "weights", "contexts", "grams", "read", "sizes"}
# Ways that leave numbers which such an array could have.
RIGHT = {"reversed", "negative", "shorter", "longer"}


@pytest.mark.parametrize(
    "name", ["gate fused", "scorer", "screen", *(name for name in NAMES if "probe" in name), "detector"]
)
def test_every_array_that_somebody_signed(opened, tmp_path, name):
    what = opened[name]
    folder = what.copied(tmp_path / "copy")
    before, cases = outcome(what, folder), 0
    wanted = f"matched-{name.split()[1]}" if name.startswith("probe") else ""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".npy":
            arrays = {path.stem: np.load(path)}
        elif path.suffix == ".safetensors":
            arrays = load(path.read_bytes())
        else:
            continue
        content = path.read_bytes()
        for array, values in arrays.items():
            if not array.startswith(wanted) or (".network." in array and "stem" not in array and "outer" not in array):
                continue
            for way, damage in damages.ARRAYS.items():
                with np.errstate(all="ignore"):
                    damaged = damage(values)
                same = damaged.dtype == values.dtype and damaged.shape == values.shape
                if same and np.array_equal(damaged, values):
                    continue
                cases += 1
                _write(path, arrays | {array: np.ascontiguousarray(damaged)})
                sign(folder, name, path)
                after = outcome(what, folder)
                is_right = way in RIGHT and VALUES & {*array.split(".")} and damaged.dtype == values.dtype
                is_right = is_right and (
                    not isinstance(after, Late) or "width" in after.error or "features" in after.error
                )
                assert isinstance(after, AssayError) or after == before or is_right, f"{path.name}, {array}: {way}"
        for extra in ("missing", "one more"):
            if path.suffix == ".safetensors":
                some = dict(arrays)
                some.pop(next(one for one in arrays if one.startswith(wanted))) if extra == "missing" else None
                _write(path, some | ({"strange": np.ones(2)} if extra == "one more" else {}))
                sign(folder, name, path)
                assert isinstance(outcome(what, folder), AssayError), f"{path.name}: {extra}"
        path.write_bytes(content)
        sign(folder, name, path)
    assert outcome(what, folder) == before and cases >= 10


def _write(path, arrays):
    if path.suffix == ".npy":
        np.save(path, next(iter(arrays.values())))
    else:
        path.write_bytes(save(arrays))
