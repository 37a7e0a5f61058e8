"""A corpus of a few dozen documents, two targets, and what is planted for them."""

import numpy as np
import pytest

from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.studies.poisoning.defences import guard_card
from ragassay.studies.poisoning.defences.defence import kind_of
from ragassay.studies.poisoning.defences.thresholds import ALL, FOLDS
from rows import row
from scripts.attacks.fit_defence import fit_defence
from scripts.attacks.score_passages import score_passages
from scripts.attacks.train_scorer import train_scorer
from study import MINILM

WORDS = "the harbour ferry bridge storm river choir island old cathedral morning tide market signal lantern".split()
FOLDER = "results/guards/mine/minilm"
READING = {"way": "even_words", "least": 4, "window": 5}
CARD = {
    "depth": 5, "retriever": "minilm", "encoders": {}, "similarity": "cosine", "scorer": "", "scored_by": {},
    "reading": READING, "queries": 4, "sample": 0,
}  # fmt: skip


def write_guard(path, kind, fitted, settings=None, **more):
    """A guard that learned the same for each fold of queries."""
    settings = kind_of(kind).SETTINGS | (settings or {})
    about = CARD | {"kind": kind, "settings": settings} | more
    guard_card.write(path, about, dict.fromkeys([ALL, *map(str, range(FOLDS))], fitted))
    return path


def threshold(texts=12, limit=0.5):
    """What a criterion learned from so many texts."""
    return {"threshold": limit, "null": [0.1, 0.9], "texts": texts, "rough": True}


@pytest.fixture(scope="session")
def scored(tmp_path_factory):
    """A folder with passages, two of each document, a scorer, and the scores of clean and planted passages."""
    folder, random = tmp_path_factory.mktemp("scored"), np.random.default_rng(0)
    texts = [" ".join(random.choice(WORDS, 20)) + "." for _ in range(58)] + ["Alone", ""]
    rows = [
        row(PASSAGES, passage_id=f"p{at:02}", document_id=f"d{at // 2:02}", text=text) for at, text in enumerate(texts)
    ]
    tables.write(PASSAGES, folder / "passages.parquet", rows)
    made = [(texts[0].replace("the", "a"), "p00"), ("Zyzzyva quuxes brump xylitol wombat fnord blorp glim.", None)]
    planted = [
        row(POISONED_PASSAGES, passage_id=f"poison-{at}", target_id="t", text=text, made_from=source, poisoned=True)
        for at, (text, source) in enumerate(made)
    ]
    tables.write(POISONED_PASSAGES, folder / "poisoned_passages.parquet", planted)
    train_scorer([folder / "passages.parquet"], [], folder / "scorer", "ngram", {"order": 2}, 0.6, 300)
    for name, of_corpus in (("clean", True), ("poison", False)):
        inputs = ([folder / "passages.parquet"], folder / "poisoned_passages.parquet", [folder / "scorer"])
        score_passages(*inputs, folder / f"{name}.parquet", of_corpus, "ngram", "ngram", {}, READING)
    return folder


@pytest.fixture(scope="session")
def place(scored, tmp_path_factory):
    """A folder with guards where the guide has them."""
    folder, random = tmp_path_factory.mktemp("place"), np.random.default_rng(0)
    questions = {f"q{at:02}": f"Which harbour, river or choir is number {at}?" for at in range(60)}
    asked = [row(TARGETS, target_id=name, question=text) for name, text in questions.items()]
    tables.write(TARGETS, folder / "targets.parquet", asked)
    found = [
        {"query_id": name, "rank": rank, "passage_id": f"p{random.integers(56):02}", "score": 0.6 - rank / 10}
        for name in questions
        for rank in (1, 2, 3)
    ]
    found = [one | {"score": round(one["score"] + random.normal() / 50, 5)} for one in found]
    tables.write(NEIGHBOURS, folder / "neighbours.parquet", found)
    for kind in ("echo", "raguard", "question_share"):
        files = (folder / "targets.parquet", folder / "neighbours.parquet", scored / "passages.parquet")
        settings = kind_of(kind).SETTINGS | {"alpha": 0.1}
        about = (3, "minilm", dict.fromkeys(("passage", "query"), MINILM), "cosine", "ngram", READING, {}, "")
        guard = folder / FOLDER / f"{kind}.json"
        fit_defence(*files, [scored / "clean.parquet"], [], guard, kind, settings, *about)
    (folder / "results/scorers/mine").mkdir(parents=True)
    (folder / "results/scorers/mine/ngram").symlink_to(scored / "scorer")
    return folder
