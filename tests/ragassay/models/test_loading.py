"""Models are loaded whole, or the error says which tensor of their files is wrong."""

import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from ragassay.models.encoders.encoder import Encoder, EncoderError
from ragassay.models.files import WeightsError

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
