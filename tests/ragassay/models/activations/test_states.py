"""States of prompts: packed into rows, and computed; and the sites that they are read at."""

import random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ragassay.models.activations.sites import (
    ATTENTION,
    FIRST_GENERATED,
    LAST_PROMPT,
    MLP,
    RESIDUAL,
    ActivationsError,
    Place,
    numbers,
    watching,
    width,
)
from ragassay.models.activations.states import PADDING, States, pieces, rows

TOKENS = st.lists(st.integers(1, 3), min_size=1, max_size=12)


@given(st.lists(TOKENS, min_size=1, max_size=8), st.lists(st.integers(1, 3), max_size=6), st.integers(1, 40))
def test_rows_hold_every_prompt_once(tails, document, budget):
    prompts = [document + tail for tail in tails]
    group = list(range(len(prompts)))
    found = rows(prompts, group, budget)
    assert sorted(number for row in found for number in row.prompts) == group
    for row in found:
        assert [row.beginning + piece for piece in row.pieces] == [prompts[number] for number in row.prompts]
        assert all(row.pieces) and (len(row.pieces) == 1 or len(row) <= max(budget, 2 * len(row.beginning)))


def test_places_are_counted_from_the_end_of_the_beginning():
    (row,) = rows([[1, 2, 3, 4], [1, 2, 5]], [0, 1], 100)
    assert row.beginning == [1, 2] and row.pieces == [[3, 4], [5]]
    assert [row.places(position) for position in (0, 2, -1, -2)] == [[-2, -2], [0, 2], [1, 2], [0, -1]]


def test_pieces_lie_side_by_side_and_count_on_from_their_beginning():
    packed = [*rows([[1, 2, 3, 4], [1, 2, 5]], [0, 1], 100), *rows([[7]], [0], 100)]
    tokens, positions, owners = pieces(packed, 9)
    assert tokens.tolist() == [[3, 4, 5], [7, 9, 9]]
    assert positions.tolist() == [[2, 3, 2], [0, 0, 0]]
    assert owners.tolist() == [[0, 0, 1], [0, PADDING, PADDING]]


def test_a_prompt_that_others_begin_with_keeps_a_token_of_its_own():
    (row,) = rows([[1, 2], [1, 2, 3], [1, 2]], [0, 1, 2], 100)
    assert row.beginning == [1] and row.pieces == [[2], [2, 3], [2]]


SHARING = ("llama", "mistral_window", "qwen2", "qwen2_mixed", "gemma3_mixed", "gpt_neox", "gpt2", "llama_dynamic")
SHARING += ("phi3", "opt")
ALONE = ("phi3_longrope", "llama4_chunked", "mamba")  # by positions, by what layers see, by having no attention
POSITIONS = (-1, 2, -2, 8)


@pytest.fixture(scope="module")
def prompts():
    """Three documents with some questions each; one question is the beginning of another."""
    draw = random.Random(0)
    made, groups = [], []
    for length, count in ((40, 5), (9, 3), (25, 1)):
        document = [draw.randrange(1, 97) for _ in range(length)]
        own = [document + [draw.randrange(1, 97) for _ in range(draw.randint(2, 9))] for _ in range(count)]
        groups.append(list(range(len(made), len(made) + count)))
        made += own
    groups[0].append(len(made))
    return [*made, [*made[0], 5]], groups


def expected(trunk, given, layers, positions=POSITIONS):
    """One prompt at a time, without padding, from transformers' own hidden states."""
    found = []
    for prompt in given:
        with torch.inference_mode():
            states = trunk(input_ids=torch.tensor([prompt]), output_hidden_states=True, use_cache=False).hidden_states
        found.append([[states[layer][0, position].numpy() for position in positions] for layer in layers])
    return np.array(found)


@pytest.mark.filterwarnings("ignore")  # Mamba's kernels for GPUs are missed aloud
@pytest.mark.parametrize("family", SHARING + ALONE)
@pytest.mark.parametrize("budget", [20, 60, 1000])
def test_states_are_those_of_each_prompt_alone(decoder, prompts, family, budget):
    trunk, layers = decoder(family), (-1,) if family == "mamba" else (0, 1, 3)
    states = States(trunk, budget)
    [found] = states.of(*prompts, Place(RESIDUAL, layers, POSITIONS))
    assert states.shares == (family in SHARING)
    assert np.abs(found - expected(trunk, prompts[0], layers)).max() < 1e-4


def test_attention_that_takes_masks_of_numbers_gives_the_same(decoder, prompts):
    trunk = decoder("mistral_window", attn_implementation="eager")
    states = States(trunk, 60)
    assert states.shares
    assert np.abs(states.of(*prompts, Place(positions=POSITIONS))[0] - expected(trunk, prompts[0], (-1,))).max() < 1e-4


def test_what_padding_holds_does_not_matter(decoder, prompts):
    trunk = decoder("llama")
    found = [States(trunk, 1000, pad).of(*prompts, Place())[0] for pad in (0, 50)]
    assert (found[0] == found[1]).all()


def test_sharing_runs_each_beginning_once(decoder, prompts, monkeypatch):
    trunk, seen = decoder("llama"), []
    states = States(trunk, 1000)
    trunk.register_forward_pre_hook(lambda _, args, kwargs: seen.append(kwargs["input_ids"].shape), with_kwargs=True)
    states.of([prompts[0][number] for number in prompts[1][0]], [list(range(6))], Place())
    alone = sum(len(prompts[0][number]) for number in prompts[1][0])
    assert sum(rows * width for rows, width in seen) <= 40 + (alone - 6 * 40)


def test_the_last_block_gives_a_beginning_its_keys_and_no_more(decoder, prompts):
    trunk, seen = decoder("llama"), []
    states = States(trunk, 1000)
    trunk.layers[-1].mlp.register_forward_pre_hook(lambda _, given: seen.append(given[0].shape[1]))
    states.of([prompts[0][number] for number in prompts[1][0]], [list(range(6))], Place())
    assert len(seen) == 1 and seen[0] <= 6 * 10  # the pieces; the beginning has 40 tokens


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_numbers_of_16_bits_give_the_same_but_for_rounding(decoder, prompts, family):
    [wanted] = States(decoder(family), 60).of(*prompts, Place(positions=POSITIONS))
    coarse = States(decoder(family).to(torch.bfloat16), 60)
    assert coarse.shares and np.abs(coarse.of(*prompts, Place(positions=POSITIONS))[0] - wanted).max() < 0.1


def test_of_nothing_is_nothing(decoder):
    assert States(decoder("llama"), 100).of([], [], Place())[0].shape == (0, 1, 1, 32)


@pytest.mark.parametrize(
    ("given", "layers", "told"),
    [
        ([[1] * 200], (-1,), "found a prompt of 200 tokens, expected at most 128"),
        ([[]], (-1,), "found a prompt without tokens"),
        ([[1, 2]], (4,), "found layer 4 at the site residual, expected one from -4 to 3"),
        ([[1, 2]], (-5,), "found layer -5 at the site residual, expected one from -4 to 3"),
    ],
)
def test_what_cannot_be_computed_is_told(decoder, given, layers, told):
    with pytest.raises(ActivationsError, match=told):
        States(decoder("llama"), 100).of(given, [[0]], Place(layers=layers))


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
