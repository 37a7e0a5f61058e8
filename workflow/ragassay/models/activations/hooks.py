"""Keep a few rows of what layers put out, and release everything else at once."""

import contextlib

import torch

from ragassay.models.activations.sites import RESIDUAL, blocks, part


@contextlib.contextmanager
def keeping(trunk, layers: list[int], pick, site: str = RESIDUAL):
    """While the block lasts, a forward pass of `trunk` fills the dictionary that is given: layer -> pick(states)."""
    kept, handles = {}, []

    def keep(layer):
        def hook(_module, _inputs, output):
            kept[layer] = pick(_states(output))

        return hook

    def keep_input(_module, args, kwargs):
        kept[0] = pick(args[0] if args else kwargs["hidden_states"])

    try:
        for layer in set(layers):
            if layer == 0:
                handles.append(blocks(trunk)[0].register_forward_pre_hook(keep_input, with_kwargs=True))
            else:
                handles.append(part(trunk, site, layer).register_forward_hook(keep(layer)))
        yield kept
    finally:
        for handle in handles:
            handle.remove()


def _states(output):
    if isinstance(output, torch.Tensor):
        return output
    return output.last_hidden_state if hasattr(output, "last_hidden_state") else output[0]
