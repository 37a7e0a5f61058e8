"""Vectors of length 1, whose products are cosines."""

import numpy as np


def unit(vectors) -> np.ndarray:
    """Vectors of length 1 as float32; an empty input gives an empty output."""
    vectors = np.array(vectors, np.float32)
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    vectors /= np.where(lengths == 0, 1, lengths)
    return vectors
