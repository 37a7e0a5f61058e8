"""Keep a few rows of the outputs of layers, and release everything else at once.

Layers are numbered as transformers numbers hidden states: 0 is what goes into the first block, i what comes out of the
i-th, and the last one what comes out of the final norm. Negative numbers count from the last.
"""

import contextlib

import torch

from ragassay.errors import AssayError


class ActivationsError(AssayError):
    """A model cannot give the hidden states that were asked for."""


def blocks(trunk) -> torch.nn.ModuleList:
    """The blocks of a decoder, whatever the family calls them."""
    count = trunk.config.num_hidden_layers
    found = [part for part in trunk.children() if isinstance(part, torch.nn.ModuleList) and len(part) == count]
    if len(found) != 1:
        kind = trunk.config.model_type
        raise ActivationsError(f"found {len(found)} lists of {count} blocks in a model of type {kind}, expected one")
    return found[0]


def numbers(layers, count: int) -> list[int]:
    """Layers counted from 0 to `count`, the number of blocks."""
    found = [layer + count + 1 if layer < 0 else layer for layer in layers]
    if wrong := [layer for layer, at in zip(layers, found, strict=True) if not 0 <= at <= count]:
        raise ActivationsError(f"found layer {wrong[0]}, expected one from {-count - 1} to {count}")
    return found


@contextlib.contextmanager
def keeping(trunk, layers: list[int], pick):
    """While the block lasts, a forward pass of `trunk` fills the dictionary that is given: layer -> pick(states)."""
    kept, handles, own = {}, [], blocks(trunk)

    def keep(layer):
        def hook(_module, _inputs, output):
            kept[layer] = pick(_states(output))

        return hook

    def keep_input(_module, args, kwargs):
        kept[0] = pick(args[0] if args else kwargs["hidden_states"])

    try:
        for layer in set(layers):
            if layer == 0:
                handles.append(own[0].register_forward_pre_hook(keep_input, with_kwargs=True))
            else:
                part = trunk if layer == len(own) else own[layer - 1]
                handles.append(part.register_forward_hook(keep(layer)))
        yield kept
    finally:
        for handle in handles:
            handle.remove()


def _states(output):
    if isinstance(output, torch.Tensor):
        return output
    return output.last_hidden_state if hasattr(output, "last_hidden_state") else output[0]
