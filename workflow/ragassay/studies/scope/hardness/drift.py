"""How far recovered claims drift from the claims of their document, round by round."""

from collections.abc import Iterator

import numpy as np

from ragassay.studies.scope.hardness.strata import DIGITS, similarity


def drift(claims: list[dict], guesses: list[dict], vectors: dict[str, np.ndarray]) -> Iterator[dict]:
    """The similarities of each guess of one document. Guesses come round by round, vectors of length 1 by text."""
    first = {row["slot"]: vectors[row["text"]] for row in claims}
    whole, current = np.array(list(first.values())), dict(first)
    for row in guesses:
        slot, vector = row["slot"], vectors[row["text"]]
        found = {"to_original": vector @ first[slot], "to_previous": vector @ current[slot]}
        found = {name: round(float(value), DIGITS) for name, value in found.items()}
        same = {name: row[name] for name in ("recovered_id", "doc_id", "round", "slot")}
        yield {**same, **found, "to_nearest": similarity(vector, whole)[0]}
        current[slot] = vector
