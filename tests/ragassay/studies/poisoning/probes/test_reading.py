"""Samples of probes: what is read of a model, and rows."""

from types import SimpleNamespace

import pytest

from ragassay.models.activations.sites import ActivationsError
from ragassay.studies.poisoning.probes.labels import hedged
from ragassay.studies.poisoning.probes.reading import Collection, Reading, Readings
from ragassay.studies.poisoning.probes.rows import first_words

TWELVE = SimpleNamespace(config=SimpleNamespace(num_hidden_layers=12))


def test_layers_stand_in_the_order_of_their_numbers():
    assert Reading().resolved(TWELVE).layers == list(range(1, 13))
    assert Reading(layers=[-1, 3, 11, 2]).resolved(TWELVE).layers == [2, 3, 11, 12]
    with pytest.raises(ActivationsError, match="found layer 13"):
        Reading(layers=[13]).resolved(TWELVE)


def test_a_probe_may_look_at_some_of_the_layers_that_are_read():
    read = {"site": "residual", "layers": [2, 4, 6], "position": "last_prompt", "width": 5}
    collection = Collection(
        "store", {}, 12, [read, {"site": "mlp", "layers": [1], "position": "last_prompt", "width": 9}]
    )
    reading = collection.reading()
    assert reading.places(None) is None and reading.places([6, -11]) == [0, 2]
    with pytest.raises(ActivationsError, match=r"found layer 3 of a probe, expected one of \[2, 4, 6\]"):
        reading.places([3])
    assert collection.reading("mlp").start == 15 and collection.reading("mlp").width == 9
    with pytest.raises(
        ActivationsError, match="found a probe on attention at last_prompt, expected one on what was read"
    ):
        collection.reading("attention")


def test_as_released_they_stand_in_the_order_of_their_names():
    reading = Reading(as_released=True).resolved(TWELVE)
    assert (reading.site, reading.position) == ("mlp", "first_generated")
    assert [layer - 1 for layer in reading.layers] == [0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]


class Letters:
    """A tokenizer whose tokens are letters."""

    chat_template = ""

    def __call__(self, text, add_special_tokens):
        return {"input_ids": [ord(letter) for letter in text]}


@pytest.mark.parametrize(("prompt", "last"), [("Answer:", " "), ("Answer:\n", "B"), ("<|assistant|>", "B")])
def test_the_first_token_of_an_answer_follows_the_prompt_as_it_would_be_generated(prompt, last):
    tokenizer = Letters()
    decoder = SimpleNamespace(tokenizer=tokenizer, prompt=lambda _: prompt)
    decoder.tokens, decoder.token = lambda messages: tokenizer(prompt, True)["input_ids"], lambda name: 2
    tokens = Readings([Reading(position="first_generated")]).tokens(decoder, [], "Boats")
    assert tokens == [*map(ord, prompt), ord(last)]
    assert Readings([Reading()]).tokens(decoder, [], "Boats") == tokens[:-1]
    silent = Readings([Reading(position="first_generated")]).tokens(decoder, [], " ")
    assert silent == [*tokens[:-1], 2], "the end of the text, which is what the model began with"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("According to the passages, nine days", True),
        ("based on the context: Anna Marlowe", True),
        ("The provided documents say so.", True),
        ("As the passage states, 9", True),
        ("the village school at Lisk", False),
        ("The ferry, according to the passages", False),
        ("", False),
    ],
)
def test_a_hedge_stands_at_the_beginning(answer, expected):
    assert hedged(answer) is expected


def test_first_words_are_those_that_several_answers_begin_with():
    found = first_words(["According to the text", "according to Anna", "The yard", "the mill", "yard boats to", ""])
    assert found.tolist() == [[1, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert first_words(["one", "two"]).tolist() == [[0], [0]]  # a column for what is fitted on it
