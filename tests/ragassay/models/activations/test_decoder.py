"""A decoder as the configuration names it: loaded whole or not at all."""

import pytest
from safetensors.torch import load_file, save_file

from models import save_decoder
from ragassay.models.activations.state_store import Decoder
from ragassay.models.files import WeightsError


def named(folder, device="cpu"):
    return Decoder("model little", {"model": str(folder), "options": {"device": device}})


@pytest.fixture
def decoder(tmp_path):
    """A little random decoder with a folder of its own."""
    save_decoder(tmp_path, ["ferry quay harbour"], 300, 128)
    return named(tmp_path)


def test_a_tensor_that_lacks_is_told_with_its_model(decoder):
    path = decoder.folder / "model.safetensors"
    tensors = load_file(path)
    tensors.pop("model.layers.1.mlp.up_proj.weight")
    save_file(tensors, path, metadata={"format": "pt"})
    with pytest.raises(WeightsError, match=r"model little: .* lack the tensor .*layers\.1\.mlp\.up_proj\.weight"):
        decoder.load()


def test_a_file_that_was_copied_in_part_is_told(decoder):
    path = decoder.folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(WeightsError, match=r"model little: .*damaged or was copied in part"):
        decoder.load()


def test_a_device_that_is_not_there_is_told(decoder):
    elsewhere = named(decoder.folder, "xpu:7")
    with pytest.raises(WeightsError, match=r"model little: .* found device 'xpu:7', which cannot be used here"):
        elsewhere.load()


def test_the_chat_template_and_its_date_are_part_of_the_identity(decoder):
    path, seen = decoder.folder / "chat_template.jinja", [decoder.identity]
    for template in ("{{ messages[0].content }}", "{{ messages[0].content }}{{ strftime_now('%d %b') }}"):
        path.write_text(template)
        seen.append(named(decoder.folder).identity)
    assert len({identity["files"] for identity in seen}) == 3
    assert [identity.get("date") for identity in seen] == [None, None, "2024-07-26"]


def test_a_template_sees_no_today_and_may_refuse_system_messages(decoder):
    refuses = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}"
    (decoder.folder / "chat_template.jinja").write_text(refuses + "{{ strftime_now('%Y') }}{{ messages[0].content }}")
    tokens = decoder.tokens([{"role": "system", "content": "quay"}, {"role": "user", "content": "ferry"}])
    assert decoder.tokenizer.decode(tokens) == "2024quay\n\nferry"
