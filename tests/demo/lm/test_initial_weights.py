"""Initial weights: what followed a word once is predicted to follow it again, before any training."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from demo.lm import training

TOKENS, LENGTH = 1000, 40


def predicted(model):
    """How often a text of random tokens, given twice, is predicted the second time."""
    chance = torch.Generator().manual_seed(1)
    once = torch.randint(TOKENS, (8, LENGTH), generator=chance)
    between = torch.randint(TOKENS, (8, 7), generator=chance)
    tokens = torch.cat([once, between, once], 1)
    with torch.inference_mode():
        guesses = model(tokens).logits[:, LENGTH + 7 : -1].argmax(-1)
    return float((guesses == once[:, 1:]).float().mean())


@pytest.fixture
def model():
    config = LlamaConfig(
        vocab_size=TOKENS,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
    )
    torch.manual_seed(0)
    return LlamaForCausalLM(config).eval()


def test_a_fresh_model_looks_back_for_what_followed(model):
    assert predicted(model) < 0.05
    training.lay_initial_weights(model, 0)
    assert predicted(model) > 0.6


def test_the_second_block_needs_what_the_first_hands_on(model):
    training.lay_initial_weights(model, 0)
    model.model.layers[0].self_attn.o_proj.weight.data.zero_()
    assert predicted(model) < 0.05


def test_one_seed_gives_the_same_weights(model):
    training.lay_initial_weights(model, 3)
    first = [own.clone() for own in model.parameters()]
    training.lay_initial_weights(model, 3)
    assert all(map(torch.equal, first, model.parameters()))
    training.lay_initial_weights(model, 4)
    assert not all(map(torch.equal, first, model.parameters()))
