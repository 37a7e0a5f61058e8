"""The exam is of the weights that are shipped, and of nothing that these or the probes were chosen on."""

import csv

import revprag
from project import ROOT
from ragassay.models import files

EXAM = ROOT / "benchmarks/probing/exam"


def rows(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_it_is_of_the_shipped_weights_and_the_guide_names_its_digests():
    weights, probe = revprag.FROZEN
    assert files.digest(ROOT / "resources/demo/demo-lm")[:16] == weights
    guide = (ROOT / "docs/revprag.md").read_text()
    assert f"weights `{weights}`, probe `{probe}`" in guide


def test_it_asks_about_forty_documents_that_nothing_else_asks_about():
    articles, targets = rows(EXAM / "articles.csv"), rows(EXAM / "targets.csv")
    assert len({row["url"] for row in articles}) == len(articles) == 40
    demo = [rows(ROOT / f"resources/demo/attacks/{name}.csv") for name in ("facts", "more_facts")]
    asked = {row["question"].lower() for part in demo for row in part}
    assert len({row["question"].lower() for row in targets} - asked) == len(targets) == 74
