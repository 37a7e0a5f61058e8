"""NSGA-II: fronts as by definition, ends before what is crowded, and a population that gets better."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.studies.poisoning.attacks.kinds.garag import evolved, front, ranked

VALUES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12)


def beats(one, other):
    return all(a <= b for a, b in zip(one, other, strict=True)) and one != other


@given(VALUES)
def test_fronts_are_those_of_the_definition(values):
    unbeaten = [at for at, one in enumerate(values) if not any(beats(other, one) for other in values)]
    assert front(np.array(values, float)).tolist() == unbeaten
    order = ranked(np.array(values, float)).tolist()
    assert sorted(order) == list(range(len(values))) and sorted(order[: len(unbeaten)]) == unbeaten
    for place, at in enumerate(order):  # nothing comes before what beats it
        assert not any(beats(values[later], values[at]) for later in order[place:])


def test_of_one_front_the_ends_come_first_and_then_what_stands_alone():
    values = np.array([[0, 10], [1, 9], [2, 8], [5, 4], [10, 0]], float)
    order = ranked(values).tolist()
    assert set(order[:2]) == {0, 4} and order[2] == 3 and set(order[3:]) == {1, 2}


def test_the_best_are_bred_until_it_is_enough():
    asked = []

    def measured(numbers):
        asked.append(len(numbers))
        return np.array([[abs(number - 7), abs(number - 7)] for number in numbers], float)

    def bred(parents):
        return [number + step for number in parents for step in (-1, 1)]

    population, values = evolved([0, 20], measured, bred, 50, 1, lambda _, values: values.min() == 0)
    assert 7 in population and len(population) == 2 and values.min() == 0
    assert sum(asked) == pytest.approx(2 + 2 * 7)


def test_without_generations_the_first_population_stays():
    population, _ = evolved([3], lambda ones: np.ones((len(ones), 2)), None, 0, 1, lambda values: False)
    assert population == [3]
