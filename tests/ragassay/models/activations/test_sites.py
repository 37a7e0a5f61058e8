"""Sites of states within blocks, compared with the blocks' parts called one by one."""

import numpy as np
import pytest
import torch

from ragassay.models.activations.sites import (
    ATTENTION,
    FIRST_GENERATED,
    LAST_PROMPT,
    MLP,
    RESIDUAL,
    ActivationsError,
    Place,
    numbers,
    width,
)
from ragassay.models.activations.states import States
from ragassay.models.activations.watching import watching

PROMPTS = [[5, 9, 3, 7, 11], [5, 9, 3, 8, 2, 40], [61, 2, 17]]


def parts(family, block):
    """Normalisation before the MLP, what enters its non-linearity, and what the MLP adds, of a block."""
    if family == "gpt2":
        return block.ln_2, block.mlp.c_fc, lambda inner: block.mlp.c_proj(block.mlp.act(inner))
    if family == "opt":
        return block.final_layer_norm, block.fc1, lambda inner: block.fc2(block.activation_fn(inner))
    if family == "phi3":
        gate = torch.nn.Linear(32, 64, bias=False)
        gate.weight = torch.nn.Parameter(block.mlp.gate_up_proj.weight[:64])
        return block.post_attention_layernorm, gate, None
    return block.post_attention_layernorm, block.mlp.gate_proj, None


@torch.inference_mode()
@pytest.mark.parametrize("family", ["gpt2", "llama", "llama3", "mistral_window", "opt", "phi3"])
def test_all_sites_come_from_one_pass_and_are_what_stands_between_the_states_before_and_behind_a_block(decoder, family):
    trunk, passes = decoder(family), []
    trunk.register_forward_pre_hook(lambda *_: passes.append(1))
    states = States(trunk, 1000)
    passes.clear()
    places = Place(ATTENTION, (1, 2)), Place(MLP, (1, 2)), Place(RESIDUAL, (2, 1), (-2, -1))
    attention, inside, residual = states.of(PROMPTS, [[0], [1], [2]], *places)
    assert len(passes) == 1
    blocks = getattr(getattr(trunk, "decoder", trunk), "layers", None) or trunk.h
    for number, prompt in enumerate(PROMPTS):
        states = trunk(torch.tensor([prompt]), output_hidden_states=True, use_cache=False).hidden_states
        for at in (0, 1):
            before, behind = (states[layer][0, -1] for layer in (at, at + 1))
            norm, projection, added = parts(family, blocks[at])
            between = before + torch.from_numpy(attention[number, at, 0])
            inner, normed = projection(norm(between)), norm(between)
            assert np.abs(inner.numpy() - inside[number, at, 0]).max() < 1e-4
            more = added(inner) if added else blocks[at].mlp(normed)
            assert torch.abs(between + more - behind).max() < 1e-4
            assert np.abs(behind.numpy() - residual[number, 1 - at, 1]).max() < 1e-4
            assert np.abs(states[at + 1][0, -2].numpy() - residual[number, 1 - at, 0]).max() < 1e-4
    assert width(trunk, MLP) == inside.shape[-1] != width(trunk, RESIDUAL) == attention.shape[-1]


def test_layers_within_blocks_are_counted_from_one():
    assert numbers((1, -1, 12, 2), 12, MLP) == [1, 12, 12, 2]
    with pytest.raises(ActivationsError, match="layer 0 at the site mlp, expected one from -12 to 12 and not 0"):
        numbers((0,), 12, MLP)
    with pytest.raises(ActivationsError, match="layer -13"):
        numbers((-13,), 12, ATTENTION)
    assert numbers((0, -13), 12) == [0, 0]


def test_a_site_that_a_model_lacks_or_nobody_knows_is_refused_in_one_line(decoder):
    with pytest.raises(ActivationsError, match="type llama4_text has no site mlp that is known"):
        States(decoder("llama4_chunked"), 60).of(PROMPTS, [[0]], Place(MLP))
    with pytest.raises(ActivationsError, match="found the site 'mpl'"):
        States(decoder("llama"), 60).of(PROMPTS, [[0]], Place("mpl"))


@pytest.mark.parametrize(("position", "place"), [(LAST_PROMPT, -2), (FIRST_GENERATED, -1)])
def test_watching_a_generation_gives_what_another_pass_would(causal, position, place):
    prompt = torch.tensor([PROMPTS[1]])
    with watching(causal, [2, 1], MLP, position) as watched:
        made = causal.generate(prompt, max_new_tokens=3, do_sample=False)
    again = made[0, : prompt.shape[1] + 1].tolist()
    expected = States(causal.base_model, 60).of([again], [[0]], Place(MLP, (2, 1), (place,)))[0][:, :, 0]
    assert np.abs(watched.states() - expected).max() < 1e-3
    assert not any(part._forward_hooks for part in causal.modules())


def test_states_of_a_generation_that_did_not_come_so_far_are_refused(causal):
    with watching(causal, [1], position=FIRST_GENERATED) as watched:
        causal.generate(torch.tensor([PROMPTS[0]]), max_new_tokens=1, do_sample=False)
    with pytest.raises(ActivationsError, match="found 1 passes of the model, expected at least 2"):
        watched.states()
