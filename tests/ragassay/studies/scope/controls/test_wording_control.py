"""The question-alone control learns how questions are worded, from other documents only."""

import numpy as np

from ragassay.metrics.auroc import auroc
from ragassay.studies.scope import controls

NAMES = ["harbour", "council", "tram", "museum", "bridge", "roof", "ferry", "orchard", "mayor", "choir"]


def rows(count, beginnings, seed=0):
    """Questions, four per document; those out of scope, every other one, begin with the second of two beginnings."""
    draw = np.random.default_rng(seed)
    for at in range(count):
        words = " ".join(draw.choice(NAMES, 4))
        yield {"cluster_id": f"c-{at // 4}", "text": f"{beginnings[at % 2]} the {words}?"}


def area(given):
    labels = np.arange(len(given)) % 2 == 1
    return auroc(controls.wording_scores(given, labels), labels)


def test_it_learns_a_template_and_finds_nothing_where_there_is_none():
    assert area(list(rows(400, ["When did", "Why was it that"]))) > 0.99
    assert 0.4 < area(list(rows(400, ["When did", "When did"]))) < 0.6


def test_a_score_never_depends_on_its_own_document():
    given = list(rows(200, ["When did", "Why was it that"]))
    labels = np.arange(200) % 2 == 1
    own = np.array([row["cluster_id"] == "c-7" for row in given])
    before = controls.wording_scores(given, labels)
    after = controls.wording_scores(given, labels ^ own)
    assert [score for score, mine in zip(before, own, strict=True) if mine] == [
        score for score, mine in zip(after, own, strict=True) if mine
    ]


def test_of_one_kind_or_of_nothing_there_is_no_score():
    given = list(rows(20, ["When did", "When did"]))
    assert controls.wording_scores(given, [True] * 20) == [None] * 20 and controls.wording_scores([], []) == []
