"""The demo's targets, written by hand: what makes each of them a fair question and an attack without a template."""

import csv
import json
import re
from collections import Counter

import yaml

from project import ROOT
from ragassay.attacks.hygiene import usable
from ragassay.text.answer_match import contains, normalized

DEMO = ROOT / "resources/demo"
LISTS = ("answers", "target_aliases", "texts")
ASKING = re.compile(
    r"\b(?:you|your|ignore|disregard|question|assistant|passages?|false|wrong|outdated|no longer)\b", re.I
)


def _targets():
    with (DEMO / "attacks/targets.csv").open(newline="") as lines:
        return [row | {name: json.loads(row[name]) for name in LISTS} for row in csv.DictReader(lines)]


def _articles():
    found = {}
    for path in DEMO.glob("articles/*/*.md"):
        header, text = path.read_text().removeprefix("---\n").split("\n---\n\n")
        found[yaml.safe_load(header)["url"]] = text
    return found


TARGETS, ARTICLES = _targets(), _articles()
TEXTS = [text for row in TARGETS for text in row["texts"]]


def runs(text, length):
    """All runs of so many words."""
    words = normalized(text)
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


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
        with (DEMO / f"relevance/{name}.csv").open(newline="") as lines:
            asked |= {(row.get("question") or row.get("text")).lower() for row in csv.DictReader(lines)}
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
