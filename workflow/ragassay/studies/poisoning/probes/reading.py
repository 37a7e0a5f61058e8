"""Which activations of a generation are read: of which token, at which site of which layers. Several readings come from
one pass. A collection says what it holds, so that others read it without the model."""

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
    Place,
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


@dataclass(frozen=True)
class Readings:
    """Readings that are resolved, of which none is twice at one site and position."""

    of: list[Reading]

    @classmethod
    def resolved(cls, readings: list[dict], decoder: Decoder) -> "Readings":
        return cls([Reading(**reading).resolved(decoder) for reading in readings])

    @property
    def begun(self) -> bool:
        """Whether the first token of the answer is read, too."""
        return any(reading.position == FIRST_GENERATED for reading in self.of)

    def store(self, decoder: Decoder, folder) -> StoredStates:
        behind_last = {FIRST_GENERATED: -1, LAST_PROMPT: -2 if self.begun else -1}
        base, *beside = [Place(each.site, each.layers, [behind_last[each.position]]) for each in self.of]
        return StoredStates(decoder, folder, base.layers, base.positions, base.site, beside)

    def tokens(self, decoder: Decoder, messages: list[dict], answer: str | None) -> list[int]:
        """The tokens of a prompt, and the first one of its answer if that is read: of one without a word, the end of
        the text.
        """
        prompt = decoder.tokens(messages)
        if not self.begun:
            return prompt
        if not answer.strip():
            return [*prompt, decoder.token(None)]
        text, special = decoder.prompt(messages), not decoder.tokenizer.chat_template
        begun = decoder.tokenizer(text + behind(text, answer), add_special_tokens=special)["input_ids"]
        return [*prompt, *(begun[len(prompt) : len(prompt) + 1] or [decoder.token(None)])]


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
    readings: list[dict]  # site, layers, position and width of each, as they lie side by side in a stored vector

    @classmethod
    def of(cls, states: StoredStates, readings: Readings) -> "Collection":
        decoder = states.decoder
        read = [
            {"site": each.site, "layers": each.layers, "position": each.position, "width": width}
            for each, width in zip(readings.of, states.widths, strict=True)
        ]
        return cls(states.store.folder.name, decoder.identity, decoder.config.num_hidden_layers, read)

    @classmethod
    def load(cls, path) -> "Collection":
        return cls(**json.loads(Path(path).read_text()))

    def save(self, path) -> None:
        write_text(path, json.dumps(asdict(self), indent=1, sort_keys=True) + "\n")

    def reading(self, site: str | None = None, position: str | None = None) -> "CollectedReading":
        """The one at a site and position, of which None is that of the first reading."""
        where = site or self.readings[0]["site"], position or self.readings[0]["position"]
        start = 0
        for each in self.readings:
            numbers_read = len(each["layers"]) * each["width"]
            if (each["site"], each["position"]) == where:
                return CollectedReading(self.blocks, start, **each | {"layers": tuple(each["layers"])})
            start += numbers_read
        names = ", ".join(f"{each['site']} at {each['position']}" for each in self.readings)
        raise ActivationsError(f"found a probe on {where[0]} at {where[1]}, expected one on what was read: {names}")


@dataclass(frozen=True)
class CollectedReading:
    """One of the readings of a collection; `start` is where its numbers begin in a stored vector."""

    blocks: int
    start: int
    site: str
    layers: tuple[int, ...]
    position: str
    width: int

    def places(self, layers: list[int] | None) -> list[int] | None:
        """Where some layers stand among those that were collected."""
        if layers is None:
            return None
        wanted = sorted(set(numbers(layers, self.blocks, self.site)))
        if missing := [layer for layer in wanted if layer not in self.layers]:
            raise ActivationsError(
                f"found layer {missing[0]} of a probe, expected one of {list(self.layers)}; add it to"
                " revprag.activations.layers"
            )
        return [self.layers.index(layer) for layer in wanted]

    @property
    def has_last(self) -> bool:
        """Whether it has what the last block puts out, which the output layer reads."""
        return self.site == RESIDUAL and self.blocks in self.layers

    @property
    def card(self) -> dict:
        """What a probe has to be used with."""
        return {"site": self.site, "layers": list(self.layers), "position": self.position}
