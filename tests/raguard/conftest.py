"""A corpus of a few dozen documents, two targets, and what is planted for them."""

import numpy as np
import pytest

from ragassay import tables
from ragassay.schemas.passages import PASSAGES
from ragassay.schemas.poisoned_passages import POISONED_PASSAGES
from rows import row
from scripts.raguard.score_passages import score_passages
from scripts.raguard.train_scorer import train_scorer

WORDS = "the harbour ferry bridge storm river choir island old cathedral morning tide market signal lantern".split()
READING = {"way": "even_words", "least": 4, "window": 5}


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
    train_scorer(folder / "passages.parquet", folder / "scorer", "ngram", {"order": 2}, 0.6, 300)
    for name, of_corpus in (("clean", True), ("poison", False)):
        inputs = ([folder / "passages.parquet"], folder / "poisoned_passages.parquet", [folder / "scorer"])
        score_passages(*inputs, folder / f"{name}.parquet", of_corpus, "ngram", "ngram", {}, READING)
    return folder
