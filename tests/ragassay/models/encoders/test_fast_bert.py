"""The faster way through encoders of BERT's shape: their library's states, and no way at all for others."""

import numpy as np
import pytest
import torch
import transformers

from ragassay.models.batches import padded
from ragassay.models.encoders.fast_bert import lean

SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4}
SMALL |= {"vocab_size": 97, "max_position_embeddings": 64}
LENGTHS = (13, 13, 12, 7, 7, 7, 1)


def model(family="Bert", dtype=torch.float32, **options):
    """Random, with biases that are not 0, which they are when a model is new."""
    torch.manual_seed(0)
    config = getattr(transformers, f"{family}Config")(**SMALL | options)
    made = transformers.AutoModel.from_config(config).eval()
    with torch.no_grad():
        for values in made.parameters():
            values.add_(0.1 * torch.randn_like(values))
    return made.to(dtype)


@pytest.fixture
def batch():
    draw = np.random.default_rng(0)
    return padded([draw.integers(5, 97, length) for length in LENGTHS], 1)


@pytest.mark.parametrize("family", ["Bert", "Roberta", "XLMRoberta", "Camembert"])
def test_states_are_those_of_the_library(family, batch):
    own = model(family)
    with torch.inference_mode():
        tokens, mask = map(torch.from_numpy, batch)
        wanted = own(input_ids=tokens, attention_mask=mask).last_hidden_state * mask[:, :, None]
        found = lean(own)(*batch)
        assert (found - wanted).abs().max() < 1e-5
        after = own(input_ids=tokens, attention_mask=mask).last_hidden_state * mask[:, :, None]
    assert (after - wanted).abs().max() < 1e-5  # the library's way still works


@torch.inference_mode()
def test_the_order_and_company_of_texts_change_no_more_than_rounding(batch):
    own = lean(model())
    tokens, mask = batch
    shuffled = np.random.default_rng(1).permutation(len(tokens))
    found = own(tokens, mask)
    assert (own(tokens[shuffled], mask[shuffled]) - found[torch.from_numpy(shuffled)]).abs().max() < 1e-5
    assert (own(tokens[2:3, :12], mask[2:3, :12])[0] - found[2, :12]).abs().max() < 1e-5


def test_weights_are_not_kept_twice():
    made = model()
    own = lean(made).layers[1]
    assert own.query.data_ptr() == made.encoder.layer[1].attention.self.query.weight.data_ptr()


@pytest.mark.parametrize(
    ("family", "options"),
    [
        ("Bert", {"hidden_act": "relu"}),
        ("Bert", {"is_decoder": True}),
        ("Bert", {"dtype": torch.bfloat16}),
        ("Llama", {}),
    ],
)
def test_another_shape_is_left_to_its_library(family, options):
    assert lean(model(family, **options)) is None


def test_a_model_whose_states_differ_is_left_to_its_library():
    made = model()
    made.encoder.layer[0].attention.self.register_forward_hook(lambda module, given, found: (found[0] * 2, *found[1:]))
    assert lean(made) is None


@pytest.mark.parametrize("kind", ["sentence_transformers", "transformers"])
def test_the_encoder_that_comes_as_a_package_takes_it(minilm, kind):
    assert minilm(kind).load().lean is not None
