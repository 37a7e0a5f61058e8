"""Drift: each guess is compared with the first claim of its slot, with what stood there last, and with all claims."""

import numpy as np

from ragassay.studies.scope.strata import drift

VECTORS = {"a": np.array([1, 0]), "b": np.array([0, 1]), "c": np.array([0.6, 0.8])}


def test_each_guess_is_compared_with_first_last_and_nearest():
    claims = [{"slot": 1, "text": "a"}, {"slot": 2, "text": "b"}]
    guesses = [(1, 1, "c"), (2, 1, "b"), (2, 2, "b"), (3, 1, "b")]
    rows = [
        {"recovered_id": f"{turn}{slot}", "doc_id": "d", "round": turn, "slot": slot, "text": text}
        for turn, slot, text in guesses
    ]
    names = ("to_original", "to_previous", "to_nearest")
    found = {row["recovered_id"]: tuple(row[name] for name in names) for row in drift(claims, rows, VECTORS)}
    assert found == {"11": (0.6, 0.6, 0.8), "21": (0, 0.8, 1), "22": (1, 1, 1), "31": (0, 1, 1)}
