"""Parts follow from keys alone, have about the sizes that they should, and are independent of each other."""

import numpy as np
import pytest

from ragassay.studies.relevance import searched_queries, trials

KEYS = [f"document {number}" for number in range(6000)]


def test_a_key_keeps_its_part_whatever_else_is_there():
    few, many = KEYS[:50], KEYS[::-1]
    for function in (searched_queries.fits, lambda keys: trials.calibrates(keys, 3)):
        assert (
            dict(zip(few, function(few), strict=True)).items() <= dict(zip(many, function(many), strict=True)).items()
        )
    numbers = searched_queries.fractions("a", ["x", "y"])
    assert numbers.tolist() == searched_queries.fractions("a", ["y", "x"])[::-1].tolist()
    assert ((numbers >= 0) & (numbers < 1)).all()


def test_parts_have_their_sizes_and_runs_divide_anew():
    fits, runs = searched_queries.fits(KEYS), [trials.calibrates(KEYS, run) for run in range(3)]
    assert fits.mean() == pytest.approx(1 / 3, abs=0.02)
    for one in runs:
        assert one.mean() == pytest.approx(1 / 2, abs=0.02) and one[fits].mean() == pytest.approx(1 / 2, abs=0.04)
    assert (runs[0] == runs[1]).mean() == pytest.approx(1 / 2, abs=0.02)
    held_out = searched_queries.fractions("held out", KEYS) < 0.5
    assert held_out[fits].mean() == pytest.approx(1 / 2, abs=0.04)


def test_a_sample_takes_candidates_only():
    candidates = np.arange(100) % 2 == 0
    chosen = trials.sample(candidates, 20, 0, KEYS[:100])
    assert chosen.sum() == 20 and not chosen[~candidates].any()
    assert (trials.sample(candidates, 99, 0, KEYS[:100]) == candidates).all()
    assert (chosen != trials.sample(candidates, 20, 1, KEYS[:100])).any()
