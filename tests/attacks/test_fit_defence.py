"""What a defence learns from clean text, and which queries it learns nothing from."""

import json

import numpy as np
import pytest

from ragassay.base import tables
from ragassay.models import files
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.attacks import POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.schemas.defences import PASSAGE_SCORES
from ragassay.studies.poisoning.defences import guard_card
from ragassay.studies.poisoning.defences.defence import DefenceError
from ragassay.studies.poisoning.defences.evidence import scored_by
from ragassay.studies.poisoning.defences.thresholds import ALL, FOLDS, fold_of
from rows import row
from scripts.attacks.fit_defence import fit_defence
from study import MINILM

QUESTIONS = {f"q{at:02}": f"What about matter number {at}?" for at in range(60)}
DEPTH = 4
READING = {"way": "even_words", "least": 4, "window": 10}
ENCODERS = dict.fromkeys(("passage", "query"), MINILM)
ABOUT = ("minilm", ENCODERS, "cosine", "ngram", READING, {}, "")
SCORED_BY = {"files": "of the scorer"}
OWN = {"alpha": 0.05, "quantile": "linear", "trim": 0.0, "sample": 50, "seed": 0, "poisoned_null": None}
OWN |= {"scorer": "ngram", "scale": "nll", "second_chunk": "post", "doublings": 2, "similarity_null": "retrieved"}
OWN |= {"surprise_null": "sample"}


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """A folder of tables, and how similar each question is to what it finds."""
    folder, random = tmp_path_factory.mktemp("clean"), np.random.default_rng(0)
    passages = [row(PASSAGES, passage_id=f"p{at:03}", text=f"text {at}") for at in range(100)]
    values = {f"p{at:03}": {name: random.normal(5) for name in ("whole", "pre", "post")} for at in range(100)}
    values["poison-0"] = dict.fromkeys(("whole", "pre", "post"), 50.0)
    similarities = {name: np.sort(random.uniform(0.3, 0.7, DEPTH))[::-1].round(5) for name in QUESTIONS}
    found = [
        {"query_id": name, "rank": rank, "passage_id": f"p{random.integers(100):03}", "score": float(score)}
        for name, scores in similarities.items()
        for rank, score in enumerate(scores, 1)
    ]
    poisoned = [
        row(RETRIEVED, target_id=name, rank=1, passage_id="poison-0", score=0.99, poisoned=True) for name in QUESTIONS
    ]
    scores = [scored(name, own) for name, own in values.items()]
    rows = {
        TARGETS: [row(TARGETS, target_id=name, question=text) for name, text in QUESTIONS.items()],
        NEIGHBOURS: found, PASSAGES: passages, PASSAGE_SCORES: scores, RETRIEVED: poisoned,
        POISONED_PASSAGES: [row(POISONED_PASSAGES, passage_id="poison-0", text="x", poisoned=True)],
    }  # fmt: skip
    for table, own in rows.items():
        tables.write(table, folder / f"{table.name}.parquet", own)
    return folder, similarities, values


def scored(name, values, scorer=SCORED_BY):
    return row(PASSAGE_SCORES, passage_id=name, scored_by=json.dumps(scorer), **values)


def fitted(folder, kind="raguard", depth=DEPTH, poisoned=(), scores=None, **own):
    places = {name: folder / f"{name}.parquet" for name in ("targets", "neighbours", "passages", "passage_scores")}
    files = (places["targets"], places["neighbours"], places["passages"], [scores or places["passage_scores"]])
    guard = folder / "guards" / "mine" / "minilm" / f"{kind}.json"
    fit_defence(*files, list(poisoned), guard, kind, OWN | own, depth, *ABOUT)
    return guard_card.read(guard)


def test_each_fold_is_judged_by_what_the_other_queries_gave(clean):
    folder, similarities, _ = clean
    card = fitted(folder, criteria=["ts"])
    assert set(map(fold_of, QUESTIONS.values())) == set(map(str, range(FOLDS)))
    for fold in (ALL, *map(str, range(FOLDS))):
        own = np.concatenate([
            values for name, values in similarities.items() if fold_of(QUESTIONS[name]) != fold
        ])  # fmt: skip
        found = guard_card.defence_of(card, fold).fitted["criteria"]["ts"]
        assert found["threshold"] == pytest.approx(np.quantile(own, 0.95)) and found["texts"] == len(own)
        assert found["rough"] == (len(own) < 200)
    assert card["queries"] == 60 and card["kind"] == "raguard"


def test_a_sample_gives_thresholds_of_how_surprising_passages_are_without_those_of_the_fold(clean):
    folder, _, values = clean
    card = fitted(folder, criteria=["pm", "pd"])
    every = card["fitted"][ALL]["criteria"]
    assert every["pm"]["texts"] == 50 and all(card["fitted"]["0"]["criteria"][name]["texts"] < 50 for name in every)
    assert fitted(folder, criteria=["pm", "pd"]) == card
    assert fitted(folder, criteria=["pm", "pd"], seed=1)["fitted"] != card["fitted"]
    whole = fitted(folder, criteria=["pm"], sample=1000)["fitted"][ALL]["criteria"]["pm"]["threshold"]
    clean_values = [max(own["pre"], own["post"]) for name, own in values.items() if name.startswith("p0")]
    assert whole == pytest.approx(np.quantile(clean_values, 0.95), abs=0.5)


def test_a_null_that_is_left_exposed_to_an_attack_is_poisoned(clean):
    folder, _, _ = clean
    tables = (folder / "retrieved.parquet", folder / "poisoned_passages.parquet")
    with pytest.raises(DefenceError, match=r"raguard\.json: criterion ts: found the same score 0\.99 for all"):
        fitted(folder, depth=1, poisoned=tables, criteria=["ts"])


def test_a_null_too_small_for_its_alpha_names_the_guard(clean):
    with pytest.raises(DefenceError, match=r"raguard\.json: criterion pm: found \d+ clean texts .* least 1000 for"):
        fitted(clean[0], criteria=["pm"], alpha=0.001)


def test_queries_that_find_too_little_are_told(clean):
    folder, _, _ = clean
    with pytest.raises(DefenceError, match="found at most 4 passages for a query, expected 5"):
        fitted(folder, depth=5)


def test_a_passage_without_scores_is_told(clean, tmp_path):
    folder, _, values = clean
    scores = [scored(name, own) for name, own in values.items() if name != "p007"]
    tables.write(PASSAGE_SCORES, tmp_path / "fewer.parquet", scores)
    with pytest.raises(DefenceError, match=r"fewer\.parquet: found no scores of passage 'p007'"):
        fitted(folder, scores=tmp_path / "fewer.parquet", sample=1000)


def test_a_guard_names_its_scorer_and_the_files_of_its_encoders(clean):
    card = fitted(clean[0], criteria=["ts"])
    own = Encoder(**MINILM)
    assert card["scored_by"] == SCORED_BY and card["scorer"] == "ngram" and card["retriever"] == "minilm"
    assert card["encoders"]["query"]["files"] == own.local.digest == files.digest(own.local.folder)
    assert card["encoders"]["passage"].keys() == {"format", "kind", "files", "options", "prefix", "revision"}


def test_scores_of_two_scorers_are_told_and_of_another_than_the_guards(clean, tmp_path):
    folder, _, values = clean
    tables.write(PASSAGE_SCORES, tmp_path / "others.parquet", [scored("poison-0", values["poison-0"], {"files": "x"})])
    places = [folder / "passage_scores.parquet", tmp_path / "others.parquet"]
    with pytest.raises(DefenceError, match=r"others\.parquet: found scores of 2 scorers, expected those of one; score"):
        scored_by(places)
    assert scored_by(places[:1]) == SCORED_BY and scored_by([]) == {}
    with pytest.raises(DefenceError, match=r"a\.json: found the scorer s with files 'x', but it was fitted with"):
        guard_card.check_identity("a.json", "scorer s", {"files": "x"}, SCORED_BY)
    guard_card.check_identity("a.json", "scorer s", SCORED_BY | {"revision": "main"}, SCORED_BY)
