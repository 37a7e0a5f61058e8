"""The replies of the demo's generator: each is about one article, true of it or rightly beyond it, and neither their
wording nor the words that they share with the article say which questions are out of scope.
"""

import hashlib
import json
from functools import cache

import numpy as np
import pytest
import yaml
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import demo_files
from demo_files import DEMO
from ragassay.calls.providers.script import guess, plain, read_replies
from ragassay.documents.documents import clean, cut
from ragassay.grading.matches import contains
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.search.nearest import unit
from ragassay.studies.scope import controls
from ragassay.studies.scope.controls import Overlap
from ragassay.studies.scope.model_answers import flaw
from ragassay.text.sentences import sentences
from ragassay.text.words import content, numbers, stem, tokens
from study import MINILM

FEWEST, MOST, WORDS = 13, 18, 300  # of a question; of a document, as config/config.yaml cuts it
QUESTION_ALONE, OVERLAP = 0.75, 0.80  # the highest AUROC that each may have
REPLIES = {path.stem: path for path in sorted(DEMO.glob("replies/*/*.yaml"))}
THIS_YEAR = {"2026"}  # which articles leave out
COPIES = {"sport-cup-semi-final-echo", "travel-storm-ottoline-ferries", "business-storm-ottoline-harbour"}


@cache
def article(name):
    [path] = DEMO.glob(f"articles/*/{name}.md")
    return cut(clean(path.read_text().split("\n---\n", 1)[1]), WORDS)


@cache
def reply(name):
    replies, _ = read_replies("test", REPLIES[name].parent)
    [found] = [reply for reply in replies.documents if " ".join(article(name).split()).startswith(reply.begins)]
    return found


def stems(words):
    return {stem(word) for word in words}


def questions(name):
    """(question, whether it is out of scope) for each of a reply."""
    asked = [(question, True) for question in reply(name).guesses.values() if question]
    return asked + [(question, False) for question in reply(name).in_scope]


def test_every_article_has_a_reply():
    names = {path.stem for path in DEMO.glob("articles/*/*.md")}
    assert set(REPLIES) == names - COPIES
    for name in COPIES:  # begin as the articles whose copies they are
        text = " ".join(article(name).split())
        assert any(text.startswith(yaml.safe_load(path.read_text())["begins"]) for path in REPLIES.values())


def test_there_are_enough_questions_of_both_kinds_and_half_of_those_out_of_scope_are_near_misses():
    entries = [entry for name in REPLIES for entry in reply(name).claims]
    near = sum("near_miss" in entry for entry in entries)
    out = near + sum("question" in entry for entry in entries)
    assert out >= 160 and near >= out / 2
    assert sum(len(reply(name).in_scope) for name in REPLIES) >= 160


def test_questions_have_the_form_that_the_study_asks_for():
    for name in REPLIES:
        texts = [question for question, _ in questions(name)]
        assert {text: flaw(text, FEWEST, MOST) for text in texts if flaw(text, FEWEST, MOST)} == {}, name
        assert len(set(texts)) == len(texts), name


def test_numbers_of_claims_are_those_of_the_article_and_a_guess_goes_beyond_it():
    for name in REPLIES:
        allowed = set(numbers(article(name))) | THIS_YEAR
        for entry in reply(name).claims:
            assert set(numbers(entry["claim"])) <= allowed, (name, entry["claim"])
            if "restated" in entry:
                assert set(numbers(entry["restated"])) <= allowed, (name, entry["restated"])
            else:
                words = stems(content(guess(entry)))
                repeated = [text for text in sentences(article(name)) if words <= stems(tokens(text))]
                assert not repeated, (name, guess(entry))


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Each question with its overlap with the article and its vector, and whether it is out of scope."""
    embedder = Embedder(Encoder(**MINILM), tmp_path_factory.mktemp("vectors"))
    rows, labels = [], []
    for name in REPLIES:
        cluster = hashlib.sha256(name.encode()).hexdigest()
        for text, out in questions(name):
            rows.append({"text": text, "cluster_id": cluster, "article": article(name)})
            labels.append(out)
    features = Overlap(embedder).measure([(row["text"], row["article"]) for row in rows])
    vectors = unit(embedder.embed([row["text"] for row in rows]))
    return [row | found for row, found in zip(rows, features, strict=True)], vectors, np.array(labels)


def test_the_question_alone_does_not_tell_which_are_out_of_scope(rows):
    rows, vectors, labels = rows
    assert roc_auc_score(labels, controls.wording_scores(rows, labels)) <= QUESTION_ALONE
    folds = np.array([controls.fold(row["cluster_id"]) for row in rows])
    scores = np.empty(len(labels))
    for number in range(controls.FOLDS):
        model = LogisticRegression(max_iter=1000).fit(vectors[folds != number], labels[folds != number])
        scores[folds == number] = model.predict_proba(vectors[folds == number])[:, 1]
    assert roc_auc_score(labels, scores) <= QUESTION_ALONE


def test_word_overlap_does_not_tell_which_are_out_of_scope(rows):
    rows, _, labels = rows
    assert roc_auc_score(labels, controls.overlap_scores(rows, labels)) <= OVERLAP


def test_texts_for_targets_state_the_wrong_answer_and_not_the_right_one():
    targets = {(plain(row["question"]), plain(row["target"])): row for row in demo_files.rows("attacks/targets")}
    written = read_replies("test", DEMO / "replies")[0].targets
    assert written.keys() == targets.keys()
    for key, texts in written.items():
        assert len(texts) == 2
        for text in texts:
            assert contains(text, targets[key]["target"]) and text not in targets[key]["texts"], key
            assert not any(contains(text, answer) for answer in json.loads(targets[key]["answers"])), key
