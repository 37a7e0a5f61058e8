"""Keep the embeddings of tokens while a frozen model runs, so that gradients can be taken by them. Weights get none."""

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def embeddings(module) -> Iterator[list[torch.Tensor]]:
    """What `module`, which embeds tokens, puts out while this is open: rows x longest x width, one for each run."""
    kept = []

    def begin(_module, _given, output):
        kept.append(output.detach().requires_grad_())
        return kept[-1]

    handle = module.register_forward_hook(begin)
    try:
        with torch.enable_grad():
            yield kept
    finally:
        handle.remove()
