"""Which activations of a generation are read: of which token, at which site of which layers."""

from dataclasses import dataclass

from ragassay.activations.decoder import Decoder
from ragassay.activations.sites import FIRST_GENERATED, LAST_PROMPT, MLP, RESIDUAL, ActivationsError, first, numbers
from ragassay.activations.state_store import StoredStates

RELEASED = {"site": MLP, "position": FIRST_GENERATED}  # as in the released code, which also sorts layers as strings


@dataclass(frozen=True)
class Reading:
    """`layers` are numbers as `ragassay.activations.sites` counts them; None is all. With `as_released` the other
    settings are those of the method's released code.
    """

    site: str = RESIDUAL
    layers: list[int] | None = None
    position: str = LAST_PROMPT
    as_released: bool = False

    def resolved(self, decoder: Decoder) -> "Reading":
        """The same with every layer named: in their order, as released in that of their names."""
        own = RELEASED if self.as_released else {"site": self.site, "position": self.position}
        site = own["site"]
        count = decoder.config.num_hidden_layers
        wanted = range(max(1, first(site)), count + 1) if self.layers is None else self.layers
        named = sorted(set(numbers(wanted, count, site)))
        if self.as_released:
            named.sort(key=lambda layer: str(layer - 1))  # the code counts blocks from 0
        return Reading(site, named, own["position"], self.as_released)

    def places(self, layers: list[int] | None, count: int) -> list[int] | None:
        """Where some layers stand among those of a reading that is resolved; `count` is the number of blocks."""
        if layers is None:
            return None
        wanted = sorted(set(numbers(layers, count, self.site)))
        if missing := [layer for layer in wanted if layer not in self.layers]:
            raise ActivationsError(
                f"found layer {missing[0]} of a probe, expected one of {self.layers}; add it to"
                " revprag.activations.layers"
            )
        return [self.layers.index(layer) for layer in wanted]

    def store(self, decoder: Decoder, folder) -> StoredStates:
        """The states of a reading that is resolved."""
        return StoredStates(decoder, folder, self.layers, (-1,), self.site)

    def tokens(self, decoder: Decoder, messages: list[dict], answer: str) -> list[int]:
        """The tokens of a prompt, and the first one of its answer if that is the one to be read."""
        prompt = decoder.tokens(messages)
        if self.position == LAST_PROMPT:
            return prompt
        text = decoder.prompt(messages)
        gap = "" if text[-1:].isspace() or text[-1:] == ">" else " "  # what a tokenizer takes for the word's beginning
        begun = decoder.tokenizer(f"{text}{gap}{answer}", add_special_tokens=not decoder.tokenizer.chat_template)[
            "input_ids"
        ]
        return [*prompt, *begun[len(prompt) : len(prompt) + 1]]

    @property
    def about(self) -> dict:
        """What a probe has to be used with."""
        return {"site": self.site, "layers": self.layers, "position": self.position}
