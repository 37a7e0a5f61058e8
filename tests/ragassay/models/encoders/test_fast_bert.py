"""The faster way through encoders of the shape of BERT: the states of their library, and no way at all for others. A
plain BERT is read without the library, with the same tokens and vectors, bit for bit.
"""

import random
import subprocess
import sys

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertModel

from models import MINILM, SMALL_BERT, WORDS, change, random_weights, save_tokenizer
from project import ROOT
from ragassay.models.batches import padded
from ragassay.models.encoders import fast_bert
from ragassay.models.encoders.embed import tokenized, vectors
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.encoders.fast_bert import lean
from ragassay.models.local import LocalModel
from ragassay.text.characters import pair

SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4}
SMALL |= {"vocab_size": 97, "max_position_embeddings": 64}
LENGTHS = (13, 13, 12, 7, 7, 7, 1)


def model(family="Bert", dtype=torch.float32, **options):
    torch.manual_seed(0)
    config = getattr(transformers, f"{family}Config")(**SMALL | options)
    return random_weights(transformers.AutoModel.from_config(config), 0.1).to(dtype)


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


LETTERS = [*map(chr, (*range(0x20, 0x250), *range(0x3B1, 0x3D0), *range(0x4E00, 0x4E20), 0xAD, 0x301, 0x200B, 0x1F600))]
LOADS = """
import sys
from ragassay.models.encoders.encoder import Encoder
Encoder("minilm", "sentence_transformers", sys.argv[1], {"device": "cpu"}).load()
assert not {"transformers", "sentence_transformers", "sklearn"} & sys.modules.keys()
"""


@pytest.fixture
def folder(tmp_path):
    """A small one as the library saves it today."""
    torch.manual_seed(0)
    save_tokenizer(tmp_path / "bert", [*WORDS, "##s", "b"])
    BertModel(BertConfig(**SMALL_BERT)).save_pretrained(tmp_path / "bert")
    return tmp_path / "bert"


@pytest.fixture(scope="module")
def strange():
    draw = random.Random(0)
    made = ["".join(draw.choices(LETTERS, k=draw.randrange(60))) for _ in range(60)]
    made += [" ".join(draw.choices(WORDS, k=5)) + "s [SEP] bs[MASK]" for _ in range(20)]
    made += ["", "  ", "ferry " * 400, "a" * 150]
    return made + [pair(*draw.choices(made, k=2)) for _ in range(20)]


def all_of(encoder, texts):
    """The encoder's kind, and all tokens and numbers that it gives."""
    kind = encoder.load()
    tokens = tokenized(kind, texts)
    found = [values for _, values in vectors(kind, tokens)]
    return kind, [row.tolist() for row in tokens], kind.lengths(texts), np.concatenate(found).tobytes()


@pytest.mark.parametrize("lower", [True, False, None])
def test_tokens_and_vectors_are_those_of_the_library(folder, strange, monkeypatch, lower):
    if lower is not None:
        change(folder / "tokenizer_config.json", do_lower_case=lower)
    encoder = Encoder("m", "transformers", MINILM if lower is None else str(folder), {"device": "cpu"})
    kind, *found = all_of(encoder, strange)
    assert isinstance(kind.tokenizer, fast_bert.WordPieces) and "model" not in vars(kind)
    monkeypatch.setattr(fast_bert, "read", lambda local: None)
    kind, *expected = all_of(encoder, strange)
    assert isinstance(kind.model, BertModel) and found == expected


def test_no_library_is_imported():
    subprocess.run([sys.executable, "-c", LOADS, MINILM], check=True, cwd=ROOT)


def without_a_tensor(folder):
    tensors = load_file(folder / "model.safetensors")
    del tensors["encoder.layer.1.output.dense.bias"]
    save_file(tensors, folder / "model.safetensors")


def in_half_precision(folder):
    tensors = load_file(folder / "model.safetensors")
    save_file({name: values.half() for name, values in tensors.items()}, folder / "model.safetensors")


def cut_on_the_left(folder):
    truncation = {"max_length": 32, "strategy": "LongestFirst", "stride": 0, "direction": "Left"}
    change(folder / "tokenizer.json", truncation=truncation)


UNKNOWN = {
    "another activation": lambda folder: change(folder / "config.json", hidden_act="relu"),
    "another family": lambda folder: change(folder / "config.json", model_type="roberta"),
    "other heads": lambda folder: change(folder / "config.json", architectures=["BertForMaskedLM"]),
    "more layers than tensors": lambda folder: change(folder / "config.json", num_hidden_layers=3),
    "fewer layers than tensors": lambda folder: change(folder / "config.json", num_hidden_layers=1),
    "another width": lambda folder: change(folder / "config.json", hidden_size=8),
    "a missing tensor": without_a_tensor,
    "half precision": in_half_precision,
    "damaged weights": lambda folder: (folder / "model.safetensors").write_bytes(b"{}"),
    "another tokenizer": lambda folder: change(folder / "tokenizer_config.json", tokenizer_class="BertweetTokenizer"),
    "another token": lambda folder: change(folder / "tokenizer_config.json", pad_token="[MASK]"),
    "another setting": lambda folder: change(folder / "tokenizer_config.json", split_special_tokens=True),
    "more tokens": lambda folder: change(folder / "tokenizer.json", added_tokens=[{"content": "[NEW]", "id": 9}]),
    "cuts on the left": cut_on_the_left,
    "damaged tokenizer": lambda folder: (folder / "tokenizer.json").write_text("{"),
    "no tokenizer": lambda folder: (folder / "tokenizer.json").unlink(),
}


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_what_is_not_plain_is_left_to_the_library(folder, unknown):
    def read():
        return fast_bert.read(LocalModel("m", {"model": str(folder), "options": {"device": "cpu"}}))

    assert read()
    UNKNOWN[unknown](folder)
    assert read() is None


@pytest.mark.parametrize("options", [{"device": "meta"}, {"dtype": "bfloat16"}])
def test_so_are_other_devices_and_numbers(folder, options):
    options = {"device": "cpu"} | options
    assert fast_bert.read(LocalModel("m", {"model": str(folder), "options": options})) is None
