"""Which activations of a generation are read: of which token, at which site of which layers. A collection says what it
holds, so that others read it without the model."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ragassay.base.atomic import write_text
from ragassay.models.activations.sites import (
    FIRST_GENERATED,
    LAST_PROMPT,
    MLP,
    RESIDUAL,
    ActivationsError,
    first,
    numbers,
)
from ragassay.models.activations.state_store import Decoder, StoredStates


@dataclass(frozen=True)
class Reading:
    """`layers` are numbers as `ragassay.models.activations.sites` counts them; None is all. With `as_released` the
    other settings are those of the method's released code.
    """

    site: str = RESIDUAL
    layers: list[int] | None = None
    position: str = LAST_PROMPT
    as_released: bool = False

    def resolved(self, decoder: Decoder) -> "Reading":
        """The same with every layer named: in their order, as released in that of their names."""
        site, position = (MLP, FIRST_GENERATED) if self.as_released else (self.site, self.position)
        count = decoder.config.num_hidden_layers
        wanted = range(max(1, first(site)), count + 1) if self.layers is None else self.layers
        named = sorted(set(numbers(wanted, count, site)))
        if self.as_released:
            named.sort(key=lambda layer: str(layer - 1))  # the released code sorts strings, and counts blocks from 0
        return Reading(site, named, position, self.as_released)

    def store(self, decoder: Decoder, folder) -> StoredStates:
        """The states of a reading that is resolved."""
        return StoredStates(decoder, folder, self.layers, (-1,), self.site)

    def tokens(self, decoder: Decoder, messages: list[dict], answer: str | None) -> list[int]:
        """The tokens of a prompt, and the first one of its answer if that is the one to be read: of one without a word,
        the end of the text.
        """
        prompt = decoder.tokens(messages)
        if self.position == LAST_PROMPT:
            return prompt
        if not answer.strip():
            return [*prompt, decoder.token(None)]
        text = decoder.prompt(messages)
        begun = decoder.tokenizer(text + behind(text, answer), add_special_tokens=not decoder.tokenizer.chat_template)[
            "input_ids"
        ]
        return [*prompt, *begun[len(prompt) : len(prompt) + 1]]


def behind(prompt: str, answer: str) -> str:
    """An answer as it follows a prompt, with the gap that a tokenizer takes for the beginning of its first word."""
    return answer if prompt[-1:].isspace() or prompt[-1:] == ">" else f" {answer}"


@dataclass(frozen=True)
class Collection:
    """What a job collected, and from which model. Others read it without that model, on any machine: on one without the
    graphics processor of that job, the model has numbers of another format, and would have another store.
    """

    store: str  # its folder among embeddings
    identity: dict  # of the model
    blocks: int
    site: str
    layers: list[int]
    position: str

    @classmethod
    def of(cls, states: StoredStates, position: str) -> "Collection":
        decoder = states.decoder
        count = decoder.config.num_hidden_layers
        return cls(states.store.folder.name, decoder.identity, count, states.site, states.layers, position)

    @classmethod
    def load(cls, path) -> "Collection":
        return cls(**json.loads(Path(path).read_text()))

    def save(self, path) -> None:
        write_text(path, json.dumps(asdict(self), indent=1, sort_keys=True) + "\n")

    def places(self, layers: list[int] | None) -> list[int] | None:
        """Where some layers stand among those that were collected."""
        if layers is None:
            return None
        wanted = sorted(set(numbers(layers, self.blocks, self.site)))
        if missing := [layer for layer in wanted if layer not in self.layers]:
            raise ActivationsError(
                f"found layer {missing[0]} of a probe, expected one of {self.layers}; add it to"
                " revprag.activations.layers"
            )
        return [self.layers.index(layer) for layer in wanted]

    @property
    def reading(self) -> dict:
        """What a probe has to be used with."""
        return {"site": self.site, "layers": self.layers, "position": self.position}
