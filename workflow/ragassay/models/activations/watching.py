"""Keep the states of chosen layers while a decoder runs: `keeping` for each forward pass, `watching` those of one
token while a model generates: `with watching(model, layers=range(1, 33), site=MLP) as watched: model.generate(...)`,
then `watched.states()`. Prompts of a batch are padded on the left, as generation needs it."""

import contextlib

import numpy as np
import torch

from ragassay.models.activations.sites import (
    FIRST_GENERATED,
    LAST_PROMPT,
    RESIDUAL,
    ActivationsError,
    blocks,
    numbers,
    part,
    width,
)

PASSES = {LAST_PROMPT: 1, FIRST_GENERATED: 2}  # of the trunk: the first reads the prompt, each other one token


@contextlib.contextmanager
def keeping(trunk, layers: list[int], pick, site: str = RESIDUAL):
    """While the block lasts, a forward pass of `trunk` fills the dictionary that is given: layer -> pick(states)."""
    kept, shape = {}, []
    wide = width(trunk, site) if layers else 0

    def keep(layer):
        def hook(_module, _inputs, output):
            states = _states(output)[..., :wide]
            kept[layer] = pick(states.reshape(*shape, wide))  # OPT's MLP has the tokens of all prompts in one row

        return hook

    def enter(_module, args, kwargs):
        entering = args[0] if args else kwargs["hidden_states"]
        shape[:] = entering.shape[:2]
        if 0 in layers:
            kept[0] = pick(entering)

    with contextlib.ExitStack() as handles:
        if layers:
            handles.enter_context(blocks(trunk)[0].register_forward_pre_hook(enter, with_kwargs=True))
        for layer in {*layers} - {0}:
            handles.enter_context(part(trunk, site, layer).register_forward_hook(keep(layer)))
        yield kept


def _states(output):
    if isinstance(output, torch.Tensor):
        return output
    return output.last_hidden_state if hasattr(output, "last_hidden_state") else output[0]


class Watched:
    """What was seen of one generation."""

    def __init__(self, layers: list[int], position: str):
        self._layers, self._position, self._passes, self._kept = layers, position, 0, None

    def states(self) -> np.ndarray:
        """prompts x layers x width, as float16."""
        if self._kept is None:
            raise ActivationsError(
                f"found {self._passes} passes of the model, expected at least {PASSES[self._position]} for the position"
                f" {self._position}; generate once inside the block, and read the states after that"
            )
        return np.stack([self._kept[layer].numpy() for layer in self._layers], axis=1).astype(np.float16)


@contextlib.contextmanager
def watching(model, layers, site: str = RESIDUAL, position: str = LAST_PROMPT):
    """`model` is one with an output layer, as `generate` needs it."""
    trunk = model.base_model
    wanted = numbers(layers, len(blocks(trunk)), site)
    watched = Watched(wanted, position)
    with keeping(trunk, wanted, lambda states: states[:, -1].detach().float().cpu(), site) as kept:

        def count(*_):
            watched._passes += 1
            if watched._passes == PASSES[position]:
                watched._kept = dict(kept)

        with trunk.register_forward_hook(count):
            yield watched
