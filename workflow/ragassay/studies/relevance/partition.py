"""Which queries fit and choose, which calibrate, and which are tested: by a hash of the cluster of near-duplicate
documents that a query is about, so that no document is on two sides and adding queries moves no old one.

The fitting part is the same in all runs. The others are calibrated with or tested, in each run in another division.
"""

import functools
import hashlib

import numpy as np

FITTING = 1 / 3  # the share of clusters in the fitting part
CALIBRATING = 1 / 2  # of the others


def fractions(purpose: str, keys) -> np.ndarray:
    """A number from 0 to 1 for each key, which depends on the purpose and on nothing else."""
    numbers = np.fromiter((_number(str(key)) for key in keys), np.uint64, len(keys)) ^ np.uint64(_number(purpose))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # the last steps of splitmix64
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return (numbers ^ (numbers >> np.uint64(31))) / 2.0**64


@functools.lru_cache(maxsize=100_000)
def _number(text):
    return int.from_bytes(hashlib.sha256(f"relevance {text}".encode()).digest()[:8], "big")


def fits(keys) -> np.ndarray:
    """Whether queries with these keys are in the fitting part."""
    return fractions("fitting", keys) < FITTING


def calibrates(keys, run: int) -> np.ndarray:
    """Whether queries calibrate in a run, if they are not in the fitting part; else they are tested."""
    return fractions(f"run {run}", keys) < CALIBRATING


def sample(candidates: np.ndarray, size: int, run: int, names) -> np.ndarray:
    """A mask of at most `size` of the candidates, those whose names come first by a hash."""
    places = np.flatnonzero(candidates)
    order = np.argsort(fractions(f"sample {run}", np.asarray(names)[places]), kind="stable")
    chosen = np.zeros(len(candidates), bool)
    chosen[places[order[:size]]] = True
    return chosen
