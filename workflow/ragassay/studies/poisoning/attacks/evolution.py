"""NSGA-II: a population that gets better at several things at once. What an individual is, is the caller's affair; it
has one row of numbers, all of which should be small.
"""

from collections.abc import Callable

import numpy as np


def ranked(values: np.ndarray) -> np.ndarray:
    """Places of the individuals, the best first: by front, and inside a front those first that stand alone."""
    fronts = np.empty(len(values), int)
    left, number = np.arange(len(values)), 0
    while len(left):
        own = values[left]
        as_good = (own[:, None, :] <= own[None, :, :]).all(2)  # [a, b]: a is nowhere worse than b
        beaten = (as_good & ~as_good.T).any(0)
        fronts[left[~beaten]] = number
        left, number = left[beaten], number + 1
    crowding = np.zeros(len(values))
    for front in range(number):
        members = np.flatnonzero(fronts == front)
        crowding[members] = _distances(values[members])
    return np.lexsort((np.arange(len(values)), -crowding, fronts))


def front(values: np.ndarray) -> np.ndarray:
    """Places of the individuals that no other beats."""
    as_good = (values[:, None, :] <= values[None, :, :]).all(2)
    return np.flatnonzero(~(as_good & ~as_good.T).any(0))


def _distances(values):
    """How far each individual of a front is from its neighbours, over all numbers; infinite at the ends."""
    total = np.zeros(len(values))
    for column in values.T:
        order = np.argsort(column, kind="stable")
        gaps = np.full(len(values), np.inf)
        width = column[order[-1]] - column[order[0]]
        gaps[1:-1] = (column[order[2:]] - column[order[:-2]]) / (width or 1)
        total[order] += gaps
    return total


def evolved(
    population: list,
    measured: Callable[[list], np.ndarray],
    bred: Callable[[list], list],
    generations: int,
    parents: int,
    is_enough: Callable[[list, np.ndarray], bool],
) -> tuple[list, np.ndarray]:
    """The population after so many generations, or as soon as it is enough, and its numbers. The best `parents` have
    children; of all, as many stay as there were.
    """
    values = measured(population)
    for _ in range(generations):
        if is_enough(population, values):
            break
        chosen = [population[at] for at in ranked(values)[:parents]]
        children = bred(chosen)
        together, numbers = population + children, np.concatenate([values, measured(children)])
        best = ranked(numbers)[: len(population)]
        population, values = [together[at] for at in best], numbers[best]
    return population, values
