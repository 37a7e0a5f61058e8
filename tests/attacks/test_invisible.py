"""The attack `invisible` through all its stages: planted, found and judged as the texts whose words it hides."""

import pytest

from guarded import FOLDER, READING
from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.schemas.defences import FILTERED
from ragassay.studies.poisoning.attacks.kinds.invisible import HIDDEN
from ragassay.studies.poisoning.defences.defence import kind_of
from scripts.attacks.poison_corpus import poison_corpus
from scripts.attacks.retrieve_dense import retrieve_dense
from scripts.attacks.score_passages import score_passages
from scripts.defences.filter_retrieved import filter_retrieved
from scripts.search.search_dense import search_dense
from study import MINILM

ENCODER = {"encoder": MINILM, "query_encoder": MINILM, "similarity": "cosine"}


@pytest.fixture
def judged(files, place, scored, tmp_path):
    """A function that gives the planted texts of an attack and what a fitted guard made of what was found."""
    store = str(tmp_path / "store")
    search_dense(
        files("passages"), files("queries"), files("found"), titles="none", count=4, embeddings=store, **ENCODER
    )

    def judged(attack, guard):
        poison_corpus(files("targets"), [], [], [], files("poison"), "mine", attack, {"texts": 2})
        stage = files("queries"), files("found"), files("poison"), files("retrieved")
        retrieve_dense(*stage, count=4, embeddings=store, **ENCODER)
        scores = [place / f"results/passage_scores/mine/ngram/{name}.parquet" for name in ("none", attack)]
        for path, of_corpus in zip(scores, (True, False), strict=True):
            inputs = [files("passages")], files("poison"), [scored / "scorer"]
            score_passages(*inputs, path, of_corpus, "ngram", "ngram", {}, READING)
        own = kind_of(guard).SETTINGS | {"alpha": 0.1}
        found = files("targets"), files("retrieved"), [], files("passages"), files("poison"), scores
        entry = {"kind": guard, "settings": own, "depth": 3, "retriever": "minilm", "scorer": "ngram"}
        defences = {guard: entry | {"encoder": MINILM, "embeddings": store}}
        made = [place / FOLDER / f"{guard}.json"], files("filtered"), files("fewer_planted"), files("filter_times")
        filter_retrieved(*found, *made, defences, 2)
        texts = {row["passage_id"]: row["text"] for row in tables.read(POISONED_PASSAGES, files("poison")).to_pylist()}
        return texts, tables.read(FILTERED, files("filtered")).to_pylist()

    return judged


@pytest.mark.parametrize("guard", ["echo", "question_share"])
def test_hidden_words_are_found_and_judged_like_plain_ones(judged, guard):
    (plain, wanted), (hidden, found) = judged("poisonedrag_black", guard), judged("invisible", guard)
    assert all(HIDDEN in text for text in hidden.values())
    seen = {name: text.replace(HIDDEN, "") for name, text in hidden.items()}
    assert sorted(seen.values()) == sorted(plain.values())
    for texts, rows in ((plain, wanted), (seen, found)):
        for row in rows:
            row["passage_id"] = texts.get(row["passage_id"], row["passage_id"])
    assert found == wanted
    planted = [row for row in found if row["passage_id"] in plain.values()]
    assert {row["target_id"] for row in planted if row["rank"] == 1} == {"bridge", "ferry"}
    assert guard == "echo" or all(row["removed"] for row in planted)
