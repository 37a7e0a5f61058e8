"""Vectors of an encoder with what they follow from: how a similarity would change with each token of a text.

The vectors are those that the encoder gives otherwise, up to rounding; its library computes them, since what runs it
faster keeps nothing to go back by. Weights get no gradients: only the embeddings of tokens do.
"""

import numpy as np
import torch

from ragassay.models.encoders.encoder import Kind
from ragassay.models.tracing import embeddings


def traced(kind: Kind, tokens: np.ndarray, mask: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """A vector for each row of padded tokens, and the embeddings of the tokens, rows x longest x width: gradients of
    anything made of the first can be taken by the second.
    """
    with embeddings(kind.words) as kept:
        vectors = kind.tensors(tokens, mask)
    return vectors, kept[0]
