"""Recall, nDCG and reciprocal rank against trec_eval's own, on random runs with ties."""

import random

import numpy as np
import pytest
import pytrec_eval

from ragassay.search.measures import grades, ndcg, recall, reciprocal_rank

DEPTHS = (1, 5, 10, 100)


def drawn(seed):
    """query -> {passage: score}, with many ties, and query -> {passage: grade}."""
    draw = random.Random(seed)
    passages = [f"p{number:03}" for number in range(150)]
    run, relevant = {}, {}
    for number in range(40):
        name = f"q{number}"
        found = draw.sample(passages, draw.choice((3, 20, 140)))
        run[name] = {passage: float(draw.randrange(6)) for passage in found}
        relevant[name] = {
            passage: draw.choice((0, 1, 1, 2, 3)) for passage in draw.sample(passages, draw.randint(1, 9))
        }
        relevant[name][passages[0]] = 1
    return run, relevant


@pytest.mark.parametrize("seed", range(5))
def test_they_are_those_of_trec_eval(seed):
    run, relevant = drawn(seed)
    # trec_eval orders equal scores by the id that comes last.
    ranking = [sorted(own, key=lambda passage: (own[passage], passage), reverse=True) for own in run.values()]
    found, ideal = grades(ranking, list(relevant.values()))
    measures = {f"recall.{','.join(map(str, DEPTHS))}", f"ndcg_cut.{','.join(map(str, DEPTHS))}", "recip_rank"}
    expected = pytrec_eval.RelevanceEvaluator(relevant, measures).evaluate(run)
    for depth in DEPTHS:
        assert recall(found, ideal, depth) == pytest.approx([expected[name][f"recall_{depth}"] for name in run])
        assert ndcg(found, ideal, depth) == pytest.approx([expected[name][f"ndcg_cut_{depth}"] for name in run])
    assert reciprocal_rank(found) == pytest.approx([expected[name]["recip_rank"] for name in run])
    assert 0 < reciprocal_rank(found).mean() < 1


def test_no_rank_and_no_query():
    found, ideal = grades([[]], [{"c": 1}])
    assert [measure(found, ideal, 5).tolist() for measure in (recall, ndcg)] == [[0], [0]]
    assert reciprocal_rank(found).tolist() == [0] and np.size(reciprocal_rank(grades([], [])[0])) == 0
