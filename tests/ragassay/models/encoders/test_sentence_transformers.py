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


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token", "max_tokens", "lasttoken", "mean_sqrt_len_tokens"])
def test_every_pooling_is_the_librarys(folder, pooling):
    assert_same(folder, pooling)


def test_so_is_one_that_is_not_normalized(folder):
    shown = folder / "modules.json"
    shown.write_text(json.dumps(json.loads(shown.read_text())[:2]))
    assert_same(folder, "mean_tokens")


def assert_same(folder, pooling):
    change(folder / "1_Pooling/config.json", **{"pooling_mode_mean_tokens": False, f"pooling_mode_{pooling}": True})
    kind, found = vectors(folder)
    assert np.abs(found - SentenceTransformer(str(folder), device="cpu").encode(TEXTS)).max() < 1e-5
    assert type(kind) is (Plain if pooling in ("mean_tokens", "cls_token", "lasttoken") else Modules)


def test_further_layers_are_run_by_the_library(folder):
    model = SentenceTransformer(str(folder), device="cpu")
    model.append(Dense(384, 16))
    model.save(str(folder))
    kind, found = vectors(folder)
    assert isinstance(kind, Modules) and found.shape == (3, 16)
    assert np.abs(found - SentenceTransformer(str(folder), device="cpu").encode(TEXTS)).max() < 1e-5


def test_what_the_library_saves_today_is_read_without_it(folder):
    SentenceTransformer(str(folder), device="cpu").save(str(folder))
    kind, found = vectors(folder)
    assert isinstance(kind, Plain)
    assert np.abs(found - SentenceTransformer(str(folder), device="cpu").encode(TEXTS)).max() < 1e-5


@pytest.mark.parametrize("longest", [128, 12])
def test_texts_are_cut_where_the_model_says_unless_options_say_otherwise(folder, longest):
    change(folder / "sentence_bert_config.json", max_seq_length=longest)
    assert vectors(folder)[0].longest == longest
    assert vectors(folder, max_tokens=20)[0].longest == 20


def test_a_model_that_reads_small_letters_only_is_left_to_the_library(folder):
    change(folder / "sentence_bert_config.json", do_lower_case=True)
    kind, found = vectors(folder)
    assert isinstance(kind, Modules)
    assert np.abs(found - SentenceTransformer(str(folder), device="cpu").encode(TEXTS)).max() < 1e-5
