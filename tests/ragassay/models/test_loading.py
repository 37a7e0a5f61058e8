"""Batches of texts, tensors of files, and vectors by the processor alone."""

import shutil

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense
from transformers.pytorch_utils import Conv1D

from models import MINILM, SMALL_BERT, WORDS, save_decoder, save_tokenizer
from ragassay.models.batches import batches, padded
from ragassay.models.encoders.encoder import Encoder, EncoderError
from ragassay.models.files import WeightsError
from ragassay.models.processor import quicken
from ragassay.studies.poisoning.attacks._hotflip import traced


@given(st.lists(st.integers(0, 300), max_size=80), st.integers(1, 600))
def test_every_text_is_in_one_batch_within_the_budget(lengths, budget):
    found = list(batches(lengths, budget))
    assert sorted(position for batch in found for position in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(lengths[position] for position in batch) <= budget


def test_texts_of_like_length_are_together():
    assert list(batches([3, 9, 3, 9, 3], 18)) == [[1, 3], [0, 2, 4]]


def test_padding_is_marked():
    tokens, mask = padded([np.array([5, 6]), np.array([7])], 9)
    assert tokens.tolist() == [[5, 6], [7, 9]] and mask.tolist() == [[1, 1], [1, 0]]


def test_enough_tokens_are_not_padded_for_a_shorter_text():
    assert list(batches([32, 31, 16, 16], 1000, 64)) == [[0, 1], [2, 3]]
    assert list(batches([32, 31, 16, 16], 1000, 100)) == [[0, 1, 2, 3]]


class Own(torch.nn.Linear):
    """A module that does more than its class says."""

    def forward(self, states):
        return super().forward(states) * 2


@pytest.mark.parametrize("module", [torch.nn.Linear(6, 9), torch.nn.Linear(6, 9, bias=False), Conv1D(9, 6), Own(6, 9)])
def test_values_and_gradients_are_those_of_the_module(module, monkeypatch):
    states, count = torch.randn(4, 5, 6), []
    wanted = module(states)
    product = torch.ops.mkldnn._linear_pointwise
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", lambda *own: count.append(1) or product(*own))
    quicken(torch.nn.Sequential(module))
    with torch.inference_mode():
        assert torch.allclose(module(states), wanted, atol=1e-6) and module(states[:0]).shape == (0, 5, 9)
        assert torch.allclose(module(states.transpose(0, 1)), wanted.transpose(0, 1), atol=1e-6)
    assert len(count) == (0 if isinstance(module, Own) or not torch.backends.mkldnn.is_available() else 2)
    module(states).sum().backward()
    assert module.weight.grad.abs().sum() > 0 and len(count) <= 2


KINDS = ("sentence_transformers", "transformers")
QUERY = "encoder.layer.3.attention.self.query.weight"


@pytest.fixture
def copied(minilm, tmp_path):
    """The encoder on a copy of its files, whose tensors are changed by a function."""

    def copy(kind, change=lambda tensors: None, **options):
        folder = tmp_path / "model"
        shutil.copytree(minilm().local.folder, folder)
        tensors = load_file(folder / "model.safetensors")
        change(tensors)
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
        return Encoder("m", kind, str(folder), {"device": "cpu", **options})

    return copy


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda tensors: tensors.pop(QUERY), rf"encoder m: .*lack the tensor {QUERY} \(1 in all\)"),
        (lambda tensors: tensors.update({QUERY: torch.zeros(3, 384)}), rf"{QUERY} has the shape \(3, 384\), expected"),
    ],
)
def test_a_tensor_that_is_missing_or_has_another_shape_is_told(copied, kind, change, told):
    with pytest.raises(WeightsError, match=told):
        copied(kind, change).load()


@pytest.mark.parametrize("kind", KINDS)
def test_a_pooler_is_not_missed(copied, kind):
    copied(kind, lambda tensors: [tensors.pop(key) for key in [*tensors] if key.startswith("pooler.")]).load()


@pytest.mark.parametrize("kind", KINDS)
def test_texts_are_not_cut_behind_the_models_last_position(minilm, kind):
    assert len(minilm(kind, max_tokens=512).load().tokens(["ferry " * 800])[0]) == 512
    with pytest.raises(EncoderError, match=r"encoder minilm: found max_tokens 513, expected at most 512"):
        minilm(kind, max_tokens=513).load()


TEXTS = ["ferry quay", "storm harbour orchard lighthouse census", "bridge"]
MODELS = {
    "BertModel": {"pooling": "mean", "normalize": True},
    "RobertaModel": {"pooling": "cls"},
    "NomicBertModel": {"pooling": "mean"},
    "DPRContextEncoder": {"pooling": "pooler"},
    "decoder": {"pooling": "last"},
    "minilm": {},
    "layers": {},  # of its own, behind the pooling
}


@pytest.fixture
def load(tmp_path):
    def load(name):
        kind = "sentence_transformers" if name in ("minilm", "layers") else "transformers"
        torch.manual_seed(0)
        if name == "layers":
            model = SentenceTransformer(str(Encoder("e", kind, MINILM).local.folder), device="cpu")
            model.append(Dense(384, 16))
            model.save(str(tmp_path))
        elif name == "decoder":
            save_decoder(tmp_path, TEXTS * 5, 60, 64)
        elif name != "minilm":
            model = getattr(transformers, name)
            model(model.config_class(**SMALL_BERT)).save_pretrained(tmp_path)
            save_tokenizer(tmp_path, WORDS)
        place = MINILM if name == "minilm" else str(tmp_path)
        return Encoder("e", kind, place, {"device": "cpu"} | MODELS[name]).load()

    return load


@pytest.mark.parametrize("name", MODELS)
def test_vectors_are_the_encoders_and_gradients_say_how_they_change(load, name):
    kind = load(name)
    tokens, mask = padded([np.array(row) for row in kind.tokens(TEXTS)], kind.pad)
    own = kind.vectors(tokens, mask)
    vectors, embeddings = traced(kind, tokens, mask)
    assert np.abs(vectors.detach().numpy() - own).max() < 1e-5 * max(1.0, np.abs(own).max())
    assert embeddings.shape[:2] == tokens.shape
    direction = torch.randn(vectors.shape[1])
    [gradient] = torch.autograd.grad((vectors @ direction).sum(), embeddings)
    assert (gradient[torch.from_numpy(mask) == 0] == 0).all()  # padding changes nothing
    step = torch.randn(embeddings.shape) * embeddings.detach().std()
    for at in ((0, 1), (1, 2)):  # the change of one token's embedding, beside what really follows
        move = torch.zeros_like(step)
        move[at] = step[at] * 0.01
        follows = [_moved(kind, tokens, mask, sign * move) @ direction for sign in (1, -1)]
        found, expected = float(follows[0].sum() - follows[1].sum()) / 2, float((gradient * move).sum())
        assert found == pytest.approx(expected, rel=0.05, abs=2e-5 * float(follows[0].abs().sum()))


def _moved(kind, tokens, mask, move):
    handle = kind.words.register_forward_hook(lambda _module, _given, embeddings: embeddings + move)
    with torch.inference_mode():
        vectors = kind.tensors(tokens, mask)
    handle.remove()
    return vectors


def test_weights_get_no_gradients_and_nothing_stays_behind(load):
    kind = load("BertModel")
    vectors, _ = traced(kind, *padded([np.array(row) for row in kind.tokens(TEXTS)], kind.pad))
    vectors.sum().backward()
    assert all(values.grad is None for values in kind.model.parameters()) and not kind.words._forward_hooks
