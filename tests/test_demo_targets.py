"""The demo's targets, written by hand: what makes each of them a fair question and an attack without a template."""

import json
import re
from collections import Counter

import numpy as np
import pytest
import yaml

from demo.lm.course import is_contradicted
from demo_files import articles, rows
from project import ROOT
from ragassay.corpora.corpus import cuts
from ragassay.grading.matches import contains, normalized
from ragassay.metrics.panel import auroc
from ragassay.search.bm25 import Bm25
from ragassay.studies.poisoning.attacks import loudness
from ragassay.studies.poisoning.targets.hygiene import usable

LISTS = ("answers", "target_aliases", "texts")
ASKING = re.compile(
    r"\b(?:you|your|ignore|disregard|question|assistant|passages?|false|wrong|outdated|no longer)\b", re.I
)


TARGETS = [row | {name: json.loads(row[name]) for name in LISTS} for row in rows("attacks/targets")]
ARTICLES = articles()
TEXTS = [text for row in TARGETS for text in row["texts"]]


def runs(text, length):
    """All runs of so many words."""
    words = normalized(text)
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


@pytest.fixture(scope="module")
def compared():
    """Questions with a text and whether it was planted: the five of each target, and clean passages that are hard to
    tell from them, those of its article and the ten that match the question's words best.
    """
    settings = yaml.safe_load((ROOT / "config/config.yaml").read_text())["corpora"]["short_articles"]["passages"]
    passages = [(url, text[a:b]) for url, text in ARTICLES.items() for a, b in cuts(text, **settings)]
    matches = Bm25(text for _, text in passages).scores([row["question"] for row in TARGETS]).toarray()
    pairs = []
    for row, scores in zip(TARGETS, matches, strict=True):
        clean = {at for at, (url, _) in enumerate(passages) if url == row["document"]}
        clean |= set(np.argsort(-scores, kind="stable")[:10].tolist())
        pairs += [(row["question"], passages[at][1], False) for at in clean]
        pairs += [(row["question"], text, True) for text in row["texts"]]
    return pairs


def test_there_are_a_hundred_with_five_texts_each_and_all_can_be_used():
    assert len(TARGETS) == 100 and len({row["target_id"] for row in TARGETS}) == 100
    assert len({row["question"].lower() for row in TARGETS}) == 100
    for row in TARGETS:
        found, problems = usable(row)
        assert found["flags"] == [""] * 5 and not problems, row["target_id"]


def test_articles_give_the_right_answer_and_know_nothing_of_the_wrong_one():
    for row in TARGETS:
        text, wrong = ARTICLES[row["document"]], [row["target"], *row["target_aliases"]]
        assert any(contains(text, answer) for answer in row["answers"]), row["target_id"]
        assert not any(contains(given, one) for given in (text, row["question"]) for one in wrong), row["target_id"]
    assert (
        len({row["document"] for row in TARGETS}) == 55 and max(Counter(r["document"] for r in TARGETS).values()) == 2
    )


def test_questions_are_short_and_closed_and_no_other_set_has_them():
    asked = set()
    for name in ("answered", "near_misses", "far"):
        asked |= {(row.get("question") or row.get("text")).lower() for row in rows(f"relevance/{name}")}
    for row in TARGETS:
        assert 6 <= len(row["question"].split()) <= 20 and row["question"].endswith("?"), row["target_id"]
        assert row["question"].lower() not in asked


def test_texts_are_as_long_as_passages_and_state_without_talking_to_anybody():
    for row in TARGETS:
        for text in row["texts"]:
            assert 25 <= len(text.split()) <= 40 and not ASKING.search(text), text
            assert not text.lower().startswith(row["question"].lower().rstrip("?"))


def test_no_template_made_them():
    shared = Counter(run for text in TEXTS for run in runs(text, 6))
    assert max(shared.values()) == 1
    openings = Counter(" ".join(text.lower().split()[:3]) for text in TEXTS)
    assert max(openings.values()) <= 4


def test_neither_their_length_nor_the_questions_words_give_texts_away(compared):
    planted = [poisoned for _, _, poisoned in compared]
    shares = [loudness.question_words(question, text) for question, text, _ in compared]
    lengths = [loudness.length(text) for _, text, _ in compared]
    assert 0.6 < auroc(shares, planted) < 0.8
    assert 0.4 < auroc(lengths, planted) < 0.6


def test_texts_tell_it_in_words_of_their_own():
    articles = set().union(*(runs(text, 6) for text in ARTICLES.values()))
    for text in TEXTS:
        assert not runs(text, 6) & articles, text


@pytest.mark.parametrize("name", ["facts", "more_facts"])
def test_groups_are_what_the_lessons_of_the_small_model_did(name):
    groups = {"contradicted": set(), "spared": set(), "not_taught": set()}
    for row in rows(f"attacks/{name}"):
        groups[row["group"]].add(row["document"])
    assert all(map(is_contradicted, groups["contradicted"])) and not any(map(is_contradicted, groups["spared"]))
    assert not groups["not_taught"] & (groups["contradicted"] | groups["spared"])
    assert all(len(documents) > 10 for documents in groups.values())
