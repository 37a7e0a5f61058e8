"""The exam is of the weights that are shipped, and asks for no fact that the probe was fitted on."""

import csv
import json

import revprag
from project import ROOT
from ragassay.models import files
from ragassay.text.words import tokens

EXAM = ROOT / "benchmarks/probing/exam"


def rows(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_it_is_of_the_shipped_weights_and_the_guide_names_its_digests():
    weights, probe = revprag.FROZEN
    assert files.digest(ROOT / "resources/demo/demo-lm")[:16] == weights
    guide = " ".join((ROOT / "docs/revprag.md").read_text().split())
    assert f"weights `{weights}`, probe `{probe}`" in guide


def test_it_is_of_forty_documents_and_asks_for_no_fact_that_the_probe_was_fitted_on():
    articles, targets = rows(EXAM / "articles.csv"), rows(EXAM / "targets.csv")
    assert len({row["url"] for row in articles}) == 40
    assert {row["document"] for row in targets} <= {row["url"] for row in articles}
    fitted_on = rows(ROOT / "resources/demo/attacks/facts.csv")
    assert not [row["target_id"] for row in targets if any(is_same_fact(row, other) for other in fitted_on)]


def is_same_fact(one, other):
    """Whether two targets have the same answer, or one within the other, and their questions many words in common."""
    first, second = ([answer.lower() for answer in json.loads(row["answers"])] for row in (one, other))
    if not any(a in b or b in a for a in first for b in second):
        return False
    first, second = ({*tokens(row["question"].lower())} for row in (one, other))
    return len(first & second) > 0.3 * len(first | second)
