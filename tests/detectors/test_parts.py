"""What detectors may know: parts of documents without near-duplicates in two of them, and folds."""

import random

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ragassay.base import tables
from ragassay.base.chance import PARTS, split_of
from ragassay.documents.documents import article
from ragassay.models.heads import learning
from ragassay.schemas.documents import ARTICLES, DOCUMENTS
from ragassay.schemas.scope_answers import FOLD_PREDICTIONS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS, SELECTED_QUESTIONS
from ragassay.studies.scope.detectors import detector
from rows import row
from scripts.detectors.predict_in_folds import FoldsError, predict_in_folds
from scripts.documents.collect_documents import clusters_of, collect_documents
from scripts.documents.find_duplicates import find_duplicates
from scripts.labels.select_questions import select_questions
from study import MINILM

SAME = {"similarity": 0.6, "cut_after_words": 60}
STORIES = 24


def story(number, edits=""):
    """A hundred words of one story; each letter of `edits` is another word at another place."""
    draw = random.Random(number)
    words = [f"{draw.choice('bdfgklmnprstvz')}{draw.randrange(3000)}" for _ in range(100)]
    for letter in edits:
        words[ord(letter) % 100] = f"edited{letter}"
    return ". ".join(" ".join(words[start : start + 10]) for start in range(0, 100, 10)) + "."


@pytest.fixture(scope="module")
def parted(tmp_path_factory):
    """Each story four times, twice in either shard, through the stages that make documents of articles and give
    questions a part. Returns number of the story by id of article, clusters, documents, and the part of each document.
    """
    folder, stories, clusters, documents, parts = tmp_path_factory.mktemp("leaks"), {}, {}, [], {}
    (folder / "opt_outs.txt").write_text("")
    for shard, earlier, edits in (("may", [], "ak"), ("june", ["may"], "cq")):
        rows = []
        for number in range(STORIES):
            for edit in edits:
                rows.append(article({"text": story(number, edit), "id": f"{shard}-{number}-{edit}"}, shard))
                stories[rows[-1]["article_id"]] = number
        files = {name: folder / f"{name}-{shard}.parquet" for name in ("articles", "documents", "rejects")}
        index = folder / f"{shard}.arrow"
        tables.write(ARTICLES, files["articles"], rows)
        find_duplicates(files["articles"], index, **SAME)
        before = [folder / f"{name}.arrow" for name in earlier]
        rows = clusters_of(files["articles"], index, before, SAME["similarity"])
        clusters |= {name: one["cluster_id"] for name, one in rows.items()}
        if shard == "may":  # of June nothing is left: all are copies
            made = files["documents"], files["rejects"], folder / "clusters.parquet"
            read = files["articles"], index, before, folder / "opt_outs.txt"
            collect_documents(*read, *made, shard, None, 5, 60, SAME["similarity"])
            documents = tables.read(DOCUMENTS, files["documents"]).to_pylist()
            parts = _parts(folder, files["documents"], documents)
    return stories, clusters, documents, parts


def _parts(folder, path, documents):
    """doc_id -> the part that select_questions gives its question."""
    asked = [
        row(QUESTIONS, question_id=f"q-{one['doc_id']}", doc_id=one["doc_id"], shard="may", intended="in_scope")
        for one in documents
    ]
    labels = [row(SCOPE_LABELS, question_id=one["question_id"], label="in_scope", judge="j") for one in asked]
    tables.write(QUESTIONS, folder / "questions.parquet", asked)
    tables.write(SCOPE_LABELS, folder / "labels.parquet", labels)
    select_questions(path, folder / "questions.parquet", folder / "labels.parquet", folder / "selected.parquet")
    found = tables.read(SELECTED_QUESTIONS, folder / "selected.parquet").to_pylist()
    return {one["doc_id"]: one["split"] for one in found}


def test_a_story_is_one_cluster_and_one_document(parted):
    stories, clusters, documents, _ = parted
    by_story = {number: {clusters[name] for name in stories if stories[name] == number} for number in range(STORIES)}
    assert all(len(found) == 1 for found in by_story.values())
    assert len(set.union(*by_story.values())) == STORIES == len(documents)
    apart = {number: {split_of(name) for name in stories if stories[name] == number} for number in range(STORIES)}
    assert any(len(found) > 1 for found in apart.values())  # they would be in several parts if they were not clustered


def test_a_copy_from_elsewhere_is_in_the_part_of_the_story(parted):
    """That of its question, and that which a trained detector knows the story by."""
    stories, _, documents, parts = parted
    of_story = {stories[one["article_id"]]: parts[one["doc_id"]] for one in documents}
    assert set(of_story.values()) == {"train", "validation", "test"}
    table = detector.described(documents, SAME["cut_after_words"])
    assert {one["doc_id"]: one["part"] for one in table} == parts
    copies = [{"doc_id": f"copy-{number}", "cluster_id": "", "text": story(number, "xy")} for number in range(STORIES)]
    found = detector.trained_parts(copies, table, **SAME)
    assert found == {f"copy-{number}": part for number, part in of_story.items()}
    strange = {"doc_id": "other", "cluster_id": "", "text": story(999)}
    assert detector.trained_parts([strange], table, **SAME) == {"other": detector.UNSEEN}


DOCS = 40
OPTIONS = {"appended": None, "layer": -1}
PLACES = ("quay", "glacier", "council", "harbour", "orchard", "lighthouse", "census", "bridge", "tower", "storm")


def text(number):
    """Two and two documents differ in a single word."""
    place = PLACES[number // 2 % len(PLACES)]
    sentence = f"In its {number // 2} years the {place} has cost {number // 2 * 7} marks, which {place} people regret."
    return (
        f"{sentence} Nobody at the {place} number {number // 2} can say why it was built there, nor who wanted it."
        + (" Indeed." if number % 2 else "")
    )


@pytest.fixture
def asked(tmp_path):
    """A set in which a word tells what is out of scope, and one question has no label; the stage on it."""
    documents, questions = [], []
    for number in range(DOCS):
        documents.append(row(DOCUMENTS, doc_id=f"d{number:02}", cluster_id=f"c{number}", text=text(number)))
        for slot, (intended, word) in enumerate([("in_scope", "price"), ("out_of_scope", "zeppelin")]):
            same = {"question_id": f"q{number:02}-{slot}", "doc_id": f"d{number:02}", "slot": slot, "generator": "set"}
            questions.append(row(QUESTIONS, **same, intended=intended, text=f"What was the {word} of it in {number}?"))
    questions.append(row(QUESTIONS, question_id="none", doc_id="d00", slot=9, intended="unlabelled", text="Why?"))

    def predicted(labels=None):
        rows = (
            [one | {"intended": label} for one, label in zip(questions, labels, strict=True)] if labels else questions
        )
        paths = [tmp_path / "documents.parquet", tmp_path / "questions.parquet", tmp_path / "predicted.parquet"]
        tables.write(DOCUMENTS, paths[0], documents)
        tables.write(QUESTIONS, paths[1], rows)
        about = {"detector": "nli", "kind": "sentence_pair", "encoder": MINILM, "options": OPTIONS}
        near = {"similarity": 0.6, "cut_after_words": 300}
        vectors = str(tmp_path / "vectors")
        predict_in_folds(*paths[:2], "no prompt is read", [], paths[2], "mine", [about], vectors, **near)
        return tables.read(FOLD_PREDICTIONS, paths[2]).to_pylist()

    predicted.questions = questions
    return predicted


def area(rows):
    return roc_auc_score([one["question_id"].endswith("-1") for one in rows], [one["score"] for one in rows])


def test_what_was_planted_is_found_and_nothing_where_labels_are_exchanged_at_random(asked):
    rows = asked()
    assert {(one["question_id"], one["head"]) for one in rows} == {
        (one["question_id"], "logistic") for one in asked.questions[:-1]
    }
    assert len(rows) == 2 * DOCS and area(rows) > 0.95
    assert len({one["score"] for one in rows}) > DOCS
    draw = np.random.default_rng(2)
    labels = [*draw.permutation([one["intended"] for one in asked.questions[:-1]]).tolist(), "unlabelled"]
    assert 0.3 < area(asked(labels)) < 0.7


def test_near_duplicates_are_never_in_two_parts_and_each_question_is_tested_once(asked, monkeypatch):
    folds, learn = [], learning.learn
    monkeypatch.setattr(learning, "learn", lambda owner, data, *more: folds.append(data) or learn(owner, data, *more))
    rows = asked()
    pairs = np.arange(2 * DOCS) // 4  # two questions about each of two documents
    for data in folds:
        for pair in np.unique(pairs):
            assert len(set(data.parts[pairs == pair])) == 1 and len(set(data.clusters[pairs == pair])) == 1
    tested = np.sum([data.parts == "test" for data in folds], axis=0)
    assert (tested == 1).all() and len(folds) <= len(PARTS)
    assert {one["fold"] for one in rows} <= set(range(len(PARTS)))


def test_a_second_run_gives_the_same_bytes(asked, tmp_path):
    asked()
    first = (tmp_path / "predicted.parquet").read_bytes()
    asked()
    assert (tmp_path / "predicted.parquet").read_bytes() == first


def test_a_set_that_gives_no_ten_folds_is_refused_before_training(asked, monkeypatch):
    monkeypatch.setattr(learning, "learn", lambda *_: pytest.fail("it is trained"))
    kinds = ["in_scope", "out_of_scope"]
    few = [kinds[at % 2] if at < 2 else "unlabelled" for at in range(len(asked.questions))]
    for labels in (few, ["in_scope"] * len(few), ["unlabelled"] * len(few)):
        with pytest.raises(FoldsError, match=r"question set mine: found too few documents, .*; set detectors: false"):
            asked(labels)
