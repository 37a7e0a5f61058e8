"""The demo's natural questions: half are answered by their article, half by none, and nothing but the article tells."""

import json
import re
from collections import Counter

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from demo_files import articles, rows
from ragassay.schemas.hardness import FEATURES
from ragassay.studies.scope import controls

QUESTION_ALONE, OVERLAP = 0.65, 0.75  # the highest AUROC that each may have; benchmarks/scope.py adds vectors
DRAWS = range(5)


ANSWERED, NEAR, FAR, OTHER = (rows(f"relevance/{name}") for name in ("answered", "near_misses", "far", "other_types"))
ASKED = [row["question"] for row in [*ANSWERED, *NEAR]]
MISSES = np.array([False] * len(ANSWERED) + [True] * len(NEAR))
ABOUT = np.array([row["document"] for row in [*ANSWERED, *NEAR]])


TEXTS = articles()


def given_away(features, classifier):
    """The mean AUROC over draws of ten folds, none of which shares a document with another."""
    found = []
    for draw in DRAWS:
        documents = np.random.default_rng(draw).permutation(np.unique(ABOUT))
        folds = np.array([list(documents).index(one) % 10 for one in ABOUT])
        scores = np.zeros(len(ABOUT))
        for fold in range(10):
            fitted = classifier().fit(features[folds != fold], MISSES[folds != fold])
            scores[folds == fold] = fitted.predict_proba(features[folds == fold])[:, 1]
        found.append(roc_auc_score(MISSES, scores))
    return np.mean(found)


def logistic():
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000))


def test_eighty_of_each_kind_two_hundred_others_and_none_twice():
    assert (len(ANSWERED), len(NEAR), len(FAR)) == (80, 80, 200)
    texts = [*ASKED, *(row["text"] for row in FAR)]
    assert len({text.lower() for text in texts}) == 360 and all(text.endswith("?") for text in texts)
    ids = [row["question_id"] for row in [*ANSWERED, *NEAR]] + [row["id"] for row in FAR]
    assert len(set(ids)) == 360


def test_each_is_about_an_article_and_labelled_twice():
    assert set(ABOUT) <= TEXTS.keys() and len(set(ABOUT)) == 55
    for kind, label, found in ((ANSWERED, "false in_scope", 80), (NEAR, "true out_of_scope", 80)):
        labels = Counter(f"{row['out_of_scope']} {row['first_label']}" for row in kind)
        assert labels == {label: found}
        assert all(row["first_label"] == row["second_label"] for row in kind)


def test_five_types_of_out_of_scope_question_are_labelled_twice_and_none_is_asked_elsewhere():
    types = Counter(row["question_type"] for row in [*NEAR, *OTHER])
    assert types == {"near_miss": 80, "false_premise": 12, "underspecified": 11, "other_month": 12, "far_away": 12}
    assert {row["document"] for row in OTHER} <= TEXTS.keys()
    for row in OTHER:
        assert [row[name] for name in ("out_of_scope", "first_label", "second_label")] == [
            "true",
            *["out_of_scope"] * 2,
        ]
    texts = [row["question"].lower() for row in OTHER]
    assert len({*texts}) == 47 and not {*texts} & {one.lower() for one in [*ASKED, *(row["text"] for row in FAR)]}
    assert all(8 <= len(text.split()) <= 18 and text.endswith("?") for text in texts)


def test_answers_are_short_and_among_their_options():
    for row in ANSWERED:
        options = json.loads(row["options"] or "[]")
        assert 1 <= len(row["answer"].split()) <= 15, row
        assert not options or any(row["answer"].startswith(option) or option in row["answer"] for option in options)


def test_numbers_of_answers_stand_in_their_articles():
    for row in ANSWERED:
        for number in re.findall(r"\d[\d,.]*\d|\d", row["answer"]):
            assert number in TEXTS[row["document"]], row


def test_the_question_alone_does_not_give_the_label_away():
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, token_pattern=r"\w+").fit_transform(ASKED)
    assert given_away(words, lambda: LogisticRegression(max_iter=1000)) < QUESTION_ALONE
    lengths = [len(question.split()) for question in ASKED]
    assert 0.4 < roc_auc_score(MISSES, lengths) < 0.6


def test_word_overlap_does_not_give_the_label_away():
    nothing = np.zeros(1), np.zeros((1, 1))  # in the place of vectors: the words alone are compared
    documents = {url: controls.Document(TEXTS[url], *nothing) for url in set(ABOUT)}
    features = [
        list(controls.features(text, nothing[0], documents[url]).values())
        for text, url in zip(ASKED, ABOUT, strict=True)
    ]
    assert len(features[0]) == len(FEATURES)
    assert given_away(np.array(features), logistic) < OVERLAP
