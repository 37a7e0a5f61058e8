"""Stored states: each computed once, the same whoever asks, and never of another model."""

import weakref
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from models import save_decoder
from ragassay.models.activations import state_store as module
from ragassay.models.activations.sites import ActivationsError, Place
from ragassay.models.activations.state_store import Decoder, StoredStates

PROMPTS = [[5, 6, 7, 8, 9], [5, 6, 7, 10], [11, 12], [5, 6, 7, 8, 9]]
OWNERS = ["a", "a", "b", "a"]


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A function that saves a little random decoder with this seed and returns it as an entry names it."""

    def save(seed=0):
        folder = tmp_path_factory.mktemp("decoder")
        save_decoder(folder, ["ferry quay harbour"], 300, 128, seed)
        return Decoder("model little", {"model": str(folder), "options": {"device": "cpu"}})

    return save


def test_states_are_computed_once_and_are_those_of_the_model(saved, tmp_path):
    decoder = saved()
    first = StoredStates(decoder, tmp_path, layers=[1, -1])
    found = first.of(PROMPTS, OWNERS)
    assert first.computed == 3 and found.shape == (4, 2, 1, 16) and (found[0] == found[3]).all()
    model = LlamaForCausalLM.from_pretrained(decoder.folder)
    for prompt, own in zip(PROMPTS, found, strict=True):
        states = model(input_ids=torch.tensor([prompt]), output_hidden_states=True).hidden_states
        assert np.abs(own[0, 0] - states[1][0, -1].detach().numpy()).max() < 1e-2
        assert np.abs(own[1, 0] - states[2][0, -1].detach().numpy()).max() < 1e-2
    again = StoredStates(decoder, tmp_path, layers=[1, -1])
    assert (again.of(PROMPTS[::-1], OWNERS[::-1])[::-1] == found).all() and again.computed == 0


def test_several_places_are_read_in_one_pass_and_lie_side_by_side(saved, tmp_path):
    decoder, inside = saved(), Place("mlp", [1, 2], [-2])
    both = StoredStates(decoder, tmp_path, [1, -1], beside=[inside])
    rows = both.store.vectors(both.keys(PROMPTS, OWNERS))
    assert both.computed == 3 and both.widths == [16, 32] and rows.shape == (4, 2 * 16 + 2 * 32)
    alone = StoredStates(decoder, tmp_path, [1, -1]), StoredStates(decoder, tmp_path, *inside[1:], "mlp")
    expected = np.concatenate([states.of(PROMPTS, OWNERS).reshape(4, -1) for states in alone], axis=1)
    assert (rows == expected).all()


def test_no_prompts_have_no_states_of_the_same_form(saved, tmp_path):
    states = StoredStates(saved(), tmp_path, layers=[0, -1])
    assert states.of([], []).shape == (0, 2, 1, 0)
    states.of(PROMPTS, OWNERS)
    assert states.of([], []).shape == (0, 2, 1, 16)


class Live(list):
    """A prompt that can be counted as long as it is there."""

    __hash__ = object.__hash__


class Made(Sequence):
    """Three prompts each of thirty documents, made when they are looked at."""

    def __init__(self):
        self.there, self.most = weakref.WeakSet(), 0

    def __len__(self):
        return 90

    def __getitem__(self, number):
        if not 0 <= number < 90:
            raise IndexError(number)
        prompt = Live([5, 6, 7 + number // 3, 50 + number, 8])
        self.there.add(prompt)
        self.most = max(self.most, len(self.there))
        return prompt


def test_only_the_prompts_of_a_chunk_are_there_at_a_time(saved, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 30)  # tokens, those of two documents
    prompts, states = Made(), StoredStates(saved(), tmp_path)
    found = states.of(prompts, [number // 3 for number in range(90)])
    assert states.computed == 90 and prompts.most <= 2 * 6 + 1  # a chunk, and the one that is made next
    assert (found == StoredStates(states.decoder, tmp_path).of(list(Made()), ["one"] * 90)).all()


def test_states_of_a_chunk_are_limited_by_bytes_even_of_one_document(saved, tmp_path, monkeypatch):
    decoder, prompts = saved(), [[5, 6, 7 + number] for number in range(10)]
    whole = StoredStates(decoder, tmp_path / "whole", [0, -1]).of(prompts, ["a"] * 10)
    monkeypatch.setattr(module, "CHUNK_BYTES", 3 * 2 * 16 * 4)  # three prompts of two layers of 16 numbers
    states, sizes = StoredStates(decoder, tmp_path / "pieces", [0, -1]), []
    states._states = decoder.load()
    compute = states._states.of
    states._states.of = lambda chunk, *more: sizes.append(len(chunk)) or compute(chunk, *more)
    found = states.of(prompts, ["a"] * 6 + ["b", "b", "c", "d"])
    assert sizes == [3, 3, 3, 1] and np.abs(found.astype(np.float32) - whole).max() < 1e-2


def test_prompts_that_are_all_too_long_are_told_before_anything_is_computed(saved, tmp_path, monkeypatch):
    monkeypatch.setattr(Decoder, "trunk", None)  # nothing is loaded
    states = StoredStates(saved(), tmp_path)
    with pytest.raises(
        ActivationsError, match=r"little: found 2 of 2 .* 200 tokens for question q-3 about document c; .* 128"
    ):
        states.of([[5] * 129, [6] * 200], ["a", "c"], ["q-1", "q-3"])


def test_a_prompt_that_is_too_long_has_no_states_and_its_neighbours_have_theirs(saved, tmp_path):
    states = StoredStates(saved(), tmp_path / "some")
    asked = [[5] * 129, *PROMPTS, [6] * 200]
    keys = states.keys(asked, ["a", *OWNERS, "c"])
    assert [key is None for key in keys] == [True, False, False, False, False, True] and states.computed == 3
    rows, alone = states.read(keys), StoredStates(states.decoder, tmp_path / "alone").of(PROMPTS, OWNERS)
    assert np.isnan(rows[[0, 5]]).all() and np.abs(rows[1:5].astype(np.float32) - alone).max() < 1e-2


def test_a_gpu_computes_in_bfloat16_unless_told_otherwise():
    numbers = {"cuda:1": "bfloat16", "cuda": "bfloat16", "cpu": "float32"}
    for device, dtype in numbers.items():
        assert Decoder("m", {"model": "m", "options": {"device": device}}).dtype == dtype
    assert Decoder("m", {"model": "m", "options": {"device": "cuda", "dtype": "float32"}}).dtype == "float32"


@pytest.mark.parametrize("change", ["weights", "layers", "positions"])
def test_another_model_layer_or_position_has_states_of_its_own(saved, tmp_path, change):
    first = StoredStates(saved(), tmp_path).of(PROMPTS, OWNERS)
    decoder = saved(seed=1) if change == "weights" else saved()
    other = StoredStates(decoder, tmp_path, [0] if change == "layers" else [-1], [0] if change == "positions" else [-1])
    assert np.abs(other.of(PROMPTS, OWNERS) - first).max() > 1e-2 and other.computed == 3


def test_tokens_are_found_by_name_or_told_to_be_missing(saved):
    decoder = saved()
    assert decoder.token("<|unused_0|>") == 3 and decoder.token(None) == decoder.tokenizer.eos_token_id
    with pytest.raises(ActivationsError, match="has no token '<nothing>'; name one that it reserves"):
        decoder.token("<nothing>")


def test_a_prompt_is_rendered_as_the_provider_does(saved):
    messages = [{"role": "system", "content": "x"}, {"role": "user", "content": "ferry"}]
    tokens = saved().tokens(messages)
    assert saved().tokenizer.decode(tokens) == "<|begin|>ferry\nAnswer:"


def test_the_chat_template_and_its_date_are_part_of_the_identity(saved):
    decoder = saved()
    path, seen = decoder.folder / "chat_template.jinja", [decoder.identity]
    for template in ("{{ messages[0].content }}", "{{ messages[0].content }}{{ strftime_now('%d %b') }}"):
        path.write_text(template)
        seen.append(Decoder("model little", decoder.entry).identity)
    assert len({identity["files"] for identity in seen}) == 3
    assert [identity.get("date") for identity in seen] == [None, None, "2024-07-26"]
