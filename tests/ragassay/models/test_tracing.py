"""Vectors that gradients can be taken of: the encoder's own, and gradients that say how they change."""

import numpy as np
import pytest
import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense

from models import MINILM, SMALL_BERT, WORDS, save_decoder, save_tokenizer
from ragassay.models.batches import padded
from ragassay.models.encoders.encoder import Encoder
from ragassay.studies.poisoning.attacks._hotflip import traced

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
