"""How surprising passages are, as a scorer said: see the table passage_scores."""

import numpy as np

NLL, PPL = "nll", "ppl"
SETTINGS = {"scorer": "ngram", "scale": NLL}


def column(passages: list[dict], name: str, settings: dict) -> np.ndarray:
    """One number for each passage, NaN where it has none: the mean of -log p, or e to that."""
    values = np.array([passage["scores"][name] for passage in passages], float)
    return np.exp(values) if settings["scale"] == PPL else values
