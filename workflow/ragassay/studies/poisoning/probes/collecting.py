"""Activations of answered prompts and what log-probabilities say of the answers, each computed once: by the model, or
out of a recording of it. A prompt that is longer than the model reads has neither; the others go on."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ragassay.models.activations.sites import FIRST_GENERATED, MLP
from ragassay.models.activations.state_store import Decoder
from ragassay.models.recording import ABSENT, FORM, Recording
from ragassay.models.store import Store
from ragassay.models.store import key as text_key
from ragassay.studies.poisoning.probes.reading import Collection, Reading, Readings, behind
from ragassay.studies.poisoning.probes.rows import CERTAINTIES

AT_ONCE = 256  # answers whose log-probabilities are computed together


class Asked(NamedTuple):
    """A prompt with its answer, and what names it where something is wrong."""

    messages: Callable[[], list[dict]]
    answer: str
    name: str  # of its question
    owner: str  # of this prompt alone


class Collected(NamedTuple):
    """Of each prompt: the key of its states, its tokens, what log-probabilities say; None where there is nothing."""

    keys: list[bytes | None]
    tokens: list[int]
    certainties: list[list[float | None]]


class TokenSequences(Sequence):
    """Prompts as tokens. Each is split once, however often it is looked at, and then takes four bytes a token."""

    def __init__(self, asked: list[Asked], readings: Readings, decoder: Decoder):
        self.asked, self.readings, self.decoder, self.kept = asked, readings, decoder, {}

    def __len__(self):
        return len(self.asked)

    def __getitem__(self, number):
        if number not in self.kept:
            prompt = self.asked[number]
            self.kept[number] = np.array(self.readings.tokens(self.decoder, prompt.messages(), prompt.answer), np.int32)
        return self.kept[number].tolist()


class Collector:
    """A model and what is read of it; what is stored is not computed. Weights stay loaded until they are released."""

    def __init__(self, decoder: Decoder, readings: list[dict], embeddings):
        self.decoder, self.readings, self.embeddings = decoder, Readings.resolved(readings, decoder), embeddings
        self.states = self.readings.store(decoder, embeddings)

    @property
    def collection(self) -> Collection:
        return Collection.of(self.states, self.readings)

    def collect(self, asked: list[Asked]) -> Collected:
        keys, tokens = self.states_of(asked)
        self.release()
        certain = self.certainties_of(asked)
        self.release()
        return Collected(keys, tokens, certain)

    def states_of(self, asked: list[Asked]) -> tuple[list[bytes | None], list[int]]:
        """The keys of the states, once they are stored, and how many tokens each prompt has."""
        tokens = TokenSequences(asked, self.readings, self.decoder)
        keys = self.states.keys(tokens, [prompt.owner for prompt in asked], [prompt.name for prompt in asked])
        return keys, list(map(len, tokens))

    def certainties_of(self, asked: list[Asked]) -> list[list[float | None]]:
        texts = [self.decoder.prompt(prompt.messages()) for prompt in asked]
        return self.certainties(texts, [prompt.answer for prompt in asked])

    def release(self) -> None:
        """Forget weights: the trunk and the whole model are never loaded at once."""
        self.states.release()
        self.__dict__.pop("scorer", None)

    @cached_property
    def scorer(self):
        from ragassay.models.likelihood import Scorer  # and with it torch

        return Scorer(self.decoder)

    def certainties(self, texts: list[str], answers: list[str]) -> list[list[float | None]]:
        """What log-probabilities say of each answer that the model can read behind its prompt. They are stored as
        activations are, each number as the sum of two of 16 bits.
        """
        lengths = {text: len(self.decoder.tokenizer(text)["input_ids"]) for text in dict.fromkeys(texts)}
        given = dict.fromkeys(zip(texts, answers, strict=True))
        pairs = [(text, answer) for text, answer in given if answer.strip() and lengths[text] < self.decoder.longest]
        store = Store.of(self.embeddings, {"certainties": 1} | self.decoder.identity, "decoder")
        keys = [text_key("\0".join(pair)) for pair in pairs]

        def compute(missing):
            for start in range(0, len(missing), AT_ONCE):
                some = missing[start : start + AT_ONCE]
                values = self.scorer.certainties([behind(*pairs[at]) for at in some], [pairs[at][0] for at in some])
                with np.errstate(over="ignore"):  # what is too large is refused by the store
                    upper = values.astype(np.float16)
                yield some, np.concatenate([upper, values - upper], axis=1)

        store.fill(keys, compute)
        halves = store.vectors(keys).astype(float).reshape(len(keys), 2, len(CERTAINTIES))
        certain = dict(zip(pairs, np.round(halves.sum(axis=1), 6).tolist(), strict=True))
        return [certain.get(pair, [None] * len(CERTAINTIES)) for pair in zip(texts, answers, strict=True)]


def recorded(path, asked: list[Asked], readings: list[dict], embeddings) -> tuple[Collected, Collection]:
    """The same out of a recording, whose states go into a store of their own."""
    recording, base = Recording.open(path), Reading(**readings[0])
    first, wanted = recording.card["readings"][0], (base.site, base.position)
    if base.as_released:
        wanted = MLP, FIRST_GENERATED
    if (first["site"], first["position"]) != wanted:
        problem = (
            f"found {first['site']} at {first['position']}, expected {' at '.join(wanted)}, as revprag.activations"
        )
        raise FORM.refusal(path, problem)
    rows, arrays = [recording.row(prompt.messages()) for prompt in asked], recording.arrays
    places = arrays["places"][rows]
    keys = [arrays["keys"][row].tobytes() if place != ABSENT else None for row, place in zip(rows, places, strict=True)]
    store = Store.of(embeddings, {"recording": recording.digest}, "recording")
    stored = np.flatnonzero(places != ABSENT)
    store.fill([keys[at] for at in stored], lambda missing: [(missing, arrays["states"][places[stored[missing]]])])
    facts = recording.card
    collection = Collection(store.folder.name, facts["identity"], facts["blocks"], facts["readings"])
    certain = [recording.certainties(row) for row in rows]
    return Collected(keys, arrays["tokens"][rows].tolist(), certain), collection
