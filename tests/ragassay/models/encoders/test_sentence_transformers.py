"""Models of sentence-transformers: the numbers are the library's, which is asked only where there are other modules."""

import json
import shutil

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense

from models import MINILM
from ragassay.models.batches import padded
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.encoders.kinds.sentence_transformers import Modules
from ragassay.models.encoders.kinds.transformers import Kind as Plain

TEXTS = ["The ferry sails at nine.", "Storm", "The census counted every lighthouse of the harbour twice. " * 40]


@pytest.fixture
def folder(tmp_path):
    """A copy of the encoder's folder, whose settings a test may change."""
    return shutil.copytree(Encoder("minilm", "sentence_transformers", MINILM).local.folder, tmp_path / "model")


def change(path, **settings):
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def vectors(folder, **options):
    kind = Encoder("m", "sentence_transformers", str(folder), {"device": "cpu", **options}).load()
    tokens = [np.array(row) for row in kind.tokens(TEXTS)]
    return kind, kind.vectors(*padded(tokens, kind.pad))


def pooled(mode):
    modes = {"pooling_mode_mean_tokens": False, f"pooling_mode_{mode}": True}
    return lambda folder: change(folder / "1_Pooling/config.json", **modes)


def not_normalized(folder):
    modules = folder / "modules.json"
    modules.write_text(json.dumps(json.loads(modules.read_text())[:2]))


def with_a_further_layer(folder):
    model = SentenceTransformer(str(folder), device="cpu")
    model.append(Dense(384, 16))
    model.save(str(folder))


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        *((pooled(mode), Plain) for mode in ("mean_tokens", "cls_token", "lasttoken")),
        *((pooled(mode), Modules) for mode in ("max_tokens", "mean_sqrt_len_tokens")),
        (not_normalized, Plain),
        (with_a_further_layer, Modules),
        (lambda folder: SentenceTransformer(str(folder), device="cpu").save(str(folder)), Plain),  # as it does today
        (lambda folder: change(folder / "sentence_bert_config.json", do_lower_case=True), Modules),
    ],
)
def test_vectors_are_the_librarys_which_runs_only_models_of_other_modules(folder, changed, kind):
    changed(folder)
    encoder, embedded = vectors(folder)
    expected = SentenceTransformer(str(folder), device="cpu").encode(TEXTS)
    assert type(encoder) is kind and embedded.shape == expected.shape and np.abs(embedded - expected).max() < 1e-5


@pytest.mark.parametrize("longest", [128, 12])
def test_texts_are_cut_where_the_model_says_unless_options_say_otherwise(folder, longest):
    change(folder / "sentence_bert_config.json", max_seq_length=longest)
    assert vectors(folder)[0].longest == longest
    assert vectors(folder, max_tokens=20)[0].longest == 20
