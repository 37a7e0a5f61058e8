"""Where in a block states are taken: what the block puts out (the residual stream), what its attention adds to that,
and what enters the non-linearity of its MLP. Layers are numbered as transformers numbers hidden states: 0 is what
goes into the first block, the last what comes out of the final norm; the other sites have no layer 0. Negative
numbers count from the last.

`keeping` keeps the states of chosen layers during a forward pass, `watching` those of one token while a model
generates: `with watching(model, layers=range(1, 33), site=MLP) as watched: model.generate(...)`, then
`watched.states()`. Prompts of a batch are padded on the left, as generation needs it. Planning reads this: torch is
loaded when it is needed."""

import contextlib
from typing import NamedTuple

import numpy as np

from ragassay.base.errors import AssayError, unknown

SITES = RESIDUAL, ATTENTION, MLP = "residual", "attention", "mlp"
LAST_PROMPT, FIRST_GENERATED = "last_prompt", "first_generated"  # of a token
ATTENTIONS = ("self_attn", "attn", "attention")  # Llama, Mistral and most others; GPT-2; GPT-NeoX
BOTH = "gate_up_proj"  # of Phi-3, which puts out the gate and, behind it, what the gate is multiplied by
PROJECTIONS = ("gate_proj", "c_fc", "dense_h_to_4h", "fc1", BOTH)  # whose output the non-linearity reads
PASSES = {LAST_PROMPT: 1, FIRST_GENERATED: 2}  # of the trunk: the first reads the prompt, each other one token


class ActivationsError(AssayError):
    """A model cannot give the hidden states that were asked for."""


class Place(NamedTuple):
    """What is read of a prompt: at a site of some layers, the states of the tokens at some positions."""

    site: str = RESIDUAL
    layers: list[int] | tuple[int, ...] = (-1,)
    positions: list[int] | tuple[int, ...] = (-1,)


def blocks(trunk):
    """The list of the blocks of a decoder, whatever the family calls them; OPT has them in a part of their own."""
    import torch

    count = trunk.config.num_hidden_layers
    lists = [
        part
        for part in getattr(trunk, "decoder", trunk).children()
        if isinstance(part, torch.nn.ModuleList) and len(part) == count
    ]
    if len(lists) != 1:
        kind = trunk.config.model_type
        raise ActivationsError(
            f"a model of type {kind} is of no family that is read here: found {len(lists)} lists of its {count} blocks"
            " at its top, expected one, as in Llama, Mistral, Qwen2, Gemma, GPT-2, GPT-NeoX or OPT"
        )
    return lists[0]


def numbers(layers, count: int, site: str = RESIDUAL) -> list[int]:
    """Layers counted from the first one of the site to `count`, the number of blocks."""
    counted, lowest = [layer + count + 1 if layer < 0 else layer for layer in layers], first(site)
    if wrong := [layer for layer, at in zip(layers, counted, strict=True) if not lowest <= at <= count]:
        expected = f"expected one from {lowest - count - 1} to {count}" + (" and not 0" if lowest else "")
        raise ActivationsError(f"found layer {wrong[0]} at the site {site}, {expected}")
    return counted


def first(site: str) -> int:
    """The number of the first layer of a site."""
    if site not in SITES:
        raise ActivationsError(unknown("site", site, SITES))
    return 0 if site == RESIDUAL else 1


def part(trunk, site: str, layer: int):
    """The module whose output is the state of a layer; layer 0 of the residual stream has none."""
    layers = blocks(trunk)
    if site == RESIDUAL:
        return trunk if layer == len(layers) else layers[layer - 1]
    import torch

    block = layers[layer - 1]
    inside, names = (block, ATTENTIONS) if site == ATTENTION else (getattr(block, "mlp", block), PROJECTIONS)
    named = [name for name in names if isinstance(getattr(inside, name, None), torch.nn.Module)]
    if not named:
        kind = trunk.config.model_type
        raise ActivationsError(
            f"a model of type {kind} has no site {site} that is known: found no {' or '.join(names)} in its blocks;"
            f" take the site {RESIDUAL}, which every family that is read here has"
        )
    return getattr(inside, named[0])


def width(trunk, site: str) -> int:
    """How many numbers a state has."""
    first(site)  # refuses a site that nobody knows
    if site != MLP:
        return trunk.config.hidden_size
    projection = part(trunk, site, 1)
    numbers_put_out = getattr(projection, "out_features", None) or projection.nf
    halved = projection is getattr(getattr(blocks(trunk)[0], "mlp", None), BOTH, None)
    return numbers_put_out // 2 if halved else numbers_put_out


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
    import torch

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
