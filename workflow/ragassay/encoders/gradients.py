"""Vectors of an encoder with what they follow from: how a similarity would change with each token of a text.

The vectors are those that the encoder gives otherwise, up to rounding; its library computes them, since what runs it
faster keeps nothing to go back by. Weights get no gradients: only the embeddings of tokens do.
"""

import numpy as np
import torch

from ragassay.encoders.encoder import Kind


def traced(kind: Kind, tokens: np.ndarray, mask: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """A vector for each row of padded tokens, and the embeddings of the tokens, rows x longest x width: gradients of
    anything made of the first can be taken by the second.
    """
    kept = []

    def begin(_module, _given, embeddings):
        kept.append(embeddings.detach().requires_grad_())
        return kept[0]

    handle = kind.words.register_forward_hook(begin)
    try:
        with torch.enable_grad():
            vectors = kind.tensors(tokens, mask)
    finally:
        handle.remove()
    return vectors, kept[0]
