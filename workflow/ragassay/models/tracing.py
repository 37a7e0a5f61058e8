"""Keep the embeddings of tokens while a frozen model runs, so that gradients can be taken by them. Weights get none."""

import contextlib
from collections.abc import Iterator

import numpy as np
import torch

from ragassay.models.encoders.encoder import Kind


@contextlib.contextmanager
def embeddings(module) -> Iterator[list[torch.Tensor]]:
    """What `module`, which embeds tokens, puts out while this is open: rows x longest x width, one for each run."""
    kept = []

    def begin(_module, _given, output):
        kept.append(output.detach().requires_grad_())
        return kept[-1]

    with module.register_forward_hook(begin), torch.enable_grad():
        yield kept


def traced(kind: Kind, tokens: np.ndarray, mask: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """A vector for each row of padded tokens, and the embeddings of the tokens, rows x longest x width: gradients of
    anything made of the first can be taken by the second. The vectors are those that the encoder gives otherwise, up to
    rounding; its library computes them, since what runs it faster keeps nothing to go back by.
    """
    with embeddings(kind.words) as kept:
        vectors = kind.tensors(tokens, mask)
    return vectors, kept[0]
