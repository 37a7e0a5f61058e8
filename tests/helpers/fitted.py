"""A small gate, guards, a probe and a detector as stages write them, for what services do with their files."""

import functools
import json
from pathlib import Path

import numpy as np
import pytest

from guarded import threshold, write_guard
from ragassay.models import recording
from ragassay.models.encoders.embed import tokenized, vectors
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.heads import heads_file, regression
from ragassay.search.bm25 import Bm25
from ragassay.services import searchers
from ragassay.services.gate_files import write_card
from ragassay.studies.poisoning.defences.defence import kind_of
from ragassay.studies.poisoning.probes.folds import kind_of as probe_kind
from ragassay.studies.poisoning.probes.samples import Layers, Part
from ragassay.studies.scope.detectors.detector import kind as detector_kind
from study import MINILM

TEXTS = [f"The {thing} of the {place} is old." for thing in ("ferry", "mill", "quay") for place in ("isle", "town")]
QUESTIONS = ["Is the ferry of the isle old?", "Who won the cup?", "Zzyzx qwertz?"]
STATISTICS = {"fused": ["minilm", "words"], "energy": ["minilm"], "mss": ["words"]}
PROBES = {
    "logistic": {}, "lens": {"tokens": 5}, "certainty": {"tokens": 6}, "mlp": {"rate": 0.01},
    "triplet": {"widths": [4], "dimensions": 3, "epochs": 1, "support": 6, "batch": 8},
}  # fmt: skip


@functools.cache
def encoder():
    return Encoder(**MINILM).load()


def embedded(texts):
    """Vectors of texts by the encoder that comes as a package."""
    kind = encoder()
    rows = np.empty((len(texts), 384), np.float32)
    for places, found in vectors(kind, tokenized(kind, texts)):
        rows[places] = found
    return rows


def write_gate(folder: Path, statistic: str) -> Path:
    folder.mkdir(parents=True)
    names, draw = STATISTICS[statistic], np.random.default_rng(0)
    entries = {"minilm": searchers.dense(Encoder(**MINILM), "cosine"), "words": {"kind": "bm25"}}
    if "minilm" in names:
        searchers.write_vectors(folder, "minilm", iter([embedded(TEXTS)]), len(TEXTS), "cosine")
        searchers.write_example(folder, "minilm", embedded([searchers.EXAMPLE]), "cosine")
    if "words" in names:
        searchers.write_words(folder, "words", Bm25(TEXTS, divide_by_idf=True))
    (folder / "passage_ids.json").write_text(json.dumps([f"p{at}" for at in range(len(TEXTS))]))
    np.save(folder / "calibration.npy", np.sort(draw.uniform(-1, 0, 40)))
    about = {"searchers": {name: entries[name] for name in names}, "order": names, "alpha": 0.05, "passages": 2}
    about |= {"confidence": None, "false_alarms": {"expected": 0.05, "worst": 0.12}}
    about["statistic"] = {"name": statistic, "k": 3, "temperature": 0.5}
    if statistic == "fused":
        about["statistic"]["units"] = [[-0.5, 0.2], [-0.3, 0.1]]
    write_card(folder, about | {"strategy": "reject", "synthetic": False, "calibrated_by": "natural"})
    return folder


READING = {"site": "residual", "layers": [1, 2, 4], "position": "last_prompt"}


def write_probes(folder: Path, threshold: float = 0.5) -> Path:
    """One of each kind, on features of 3 layers x 4 numbers."""
    folder.mkdir(parents=True)
    draw = np.random.default_rng(0)
    labels = np.arange(80) % 2 > 0
    features = draw.normal(size=(80, 3, 4)).astype(np.float32)
    features[labels, 1] += 2
    output = draw.normal(size=(12, 4)).astype(np.float32)
    saved, entries = {}, {}
    for name, settings in PROBES.items():
        kind = probe_kind(name, "test")
        places = [2] if kind.OUTPUT == "last" else None
        given = Layers(features, places or [0, 1, 2], output) if kind.OUTPUT else features
        training, held = (Part(given, rows, labels[rows]) for rows in (np.arange(60), np.arange(60, 80)))
        probe = kind(settings).fit(training, held)
        saved[f"matched-{name}", 0] = probe.fitted
        entry = {"kind": name, "settings": probe.settings, "places": places, "threshold": threshold}
        entry |= {"observed_fpr": 0.05, "reading": READING}
        entries[f"matched-{name}.0"] = entry
    about = {"identity": {"files": "ab" * 32, "dtype": "float32", "format": 1}, "prompt": "cd" * 32, "fpr": 0.05}
    about |= {"model": "tiny"}
    heads_file.write(folder / "heads.safetensors", folder / "card.json", saved, about | {"heads": entries})
    return folder


def write_recording(file):
    """One without a prompt."""
    reading = {"site": "residual", "layers": [1], "position": "last_prompt", "width": 4}
    facts = {
        "model": "m",
        "identity": {"files": "ab" * 32, "dtype": "float32"},
        "blocks": 1,
        "readings": [reading],
        "versions": {},
    }
    arrays = {name: np.zeros(0, dtype) for name, dtype in recording.ARRAYS.items()}
    arrays |= {"keys": np.zeros((0, 16), np.uint8), "answers": np.frombuffer(b"[]", np.uint8)}
    arrays |= {"certainties": np.zeros((0, 3), np.float32), "states": np.zeros((0, 4), np.float16)}
    recording.write(file, facts | {"sampling": {}, "prompts": [], "questions": []}, arrays)


def write_detector(folder: Path, embeddings: Path) -> Path:
    """One whose only feature is how far a question is from its document, trained on random numbers."""
    folder.mkdir(parents=True)
    settings = {"detector": "similarity", "kind": "similarity", "encoder": MINILM}
    settings["options"] = {"appended": None, "layer": -1}
    draw = np.random.default_rng(0)
    heads = {("logistic", 0): regression.train(draw.normal(size=(20, 1)), np.arange(20) % 2 > 0)}
    record = {"detector": settings, "identity": detector_kind(settings, str(embeddings), "").identity()}
    record |= {"heads": {"logistic.0": {"temperature": 1.5}}, "recipe": {}, "data": {}}
    heads_file.write(folder / "heads.safetensors", folder / "card.json", heads, record)
    return folder


def write_guards(folder: Path) -> dict[str, Path]:
    """Guards that need no scorer."""
    echo = {"criteria": {"question_share": threshold()}, "units": None}
    both = [{"kind": kind, "settings": kind_of(kind).SETTINGS} for kind in ("duplicates", "question_share")]
    cluster = {"threshold": 0.9, "texts": 40, "rough": True}
    return {
        "trustrag": write_guard(folder / "trustrag.json", "trustrag", cluster),
        "chain": write_guard(folder / "chain.json", "chain", {"links": [{}, echo]}, {"of": both}),
    }


@pytest.fixture(scope="session")
def fitted(tmp_path_factory):
    """A folder with gates, guards, probes and a detector."""
    folder = tmp_path_factory.mktemp("fitted")
    for statistic in STATISTICS:
        write_gate(folder / "gates" / statistic, statistic)
    write_probes(folder / "probes")
    write_detector(folder / "detector", folder / "embeddings")
    (folder / "guards").mkdir()
    write_guards(folder / "guards")
    return folder
