"""How two vectors are compared: by their product, for a cosine after they were brought to length 1.

Vectors are stored as they were computed, so that one store serves both.
"""

import numpy as np

from ragassay.models.encoders.embed import unit

COSINE, DOT = "cosine", "dot"


def comparable(vectors, similarity: str) -> np.ndarray:
    """Vectors as float32 whose products are their similarities."""
    return unit(vectors) if similarity == COSINE else np.asarray(vectors, np.float32)
