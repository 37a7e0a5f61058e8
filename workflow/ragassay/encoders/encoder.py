"""What an encoder is: an entry of the configuration, weights on this machine, and a kind that knows how to run them.

A kind is one module `ragassay.encoders.kinds.<name>` with a class `Kind`: it cuts texts into tokens and turns padded
tokens into vectors, and nothing else. Sorting, batching, storing and resuming are done once, in
`ragassay.encoders.embed`. Nothing is fetched from anywhere: see `ragassay.encoders.weights`. Words are counted, not
embedded, in `ragassay.encoders.bm25`, which needs the whole corpus and hence is no kind.
"""

import abc
import hashlib
import importlib
import json
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ragassay.encoders import weights
from ragassay.errors import AssayError

FORMAT = 1  # of stored vectors; a new one starts new stores
SAME_VECTORS = frozenset({"device", "batch_tokens"})  # options that change vectors by rounding at most


class EncoderError(AssayError):
    """An encoder cannot be used as it is configured."""


@dataclass(frozen=True)
class Encoder:
    """An entry `encoders.<name>` of the configuration.

    `model` is a folder, `package:<package>/<folder inside it>`, or the hub's name of a model that is already in the
    hub's cache. `options`: device, batch_tokens, dtype (float32, bfloat16, float16), max_tokens, revision, prefixes
    (what stands before a text in a role, such as query or passage) and those of the kind.
    """

    name: str
    kind: str
    model: str
    options: dict = field(default_factory=dict)

    @cached_property
    def folder(self):
        return weights.folder(f"encoder {self.name}", self.model, self.options.get("revision"))

    @cached_property
    def identity(self) -> dict:
        """Everything that can change a vector by more than rounding. Prefixes are part of the texts instead."""
        options = {
            key: value for key, value in self.options.items() if key not in SAME_VECTORS | {"prefixes", "revision"}
        }
        return {"format": FORMAT, "kind": self.kind, "files": weights.digest(self.folder), "options": options}

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.identity, sort_keys=True).encode()).hexdigest()[:16]

    def cut(self, positions: int | None) -> int | None:
        """After how many tokens the configuration cuts texts, if it says so; `positions` are what the model has."""
        wanted = self.options.get("max_tokens")
        if wanted and positions and wanted > positions:
            raise EncoderError(
                f"encoder {self.name}: found max_tokens {wanted}, expected at most {positions}, which the model reads"
            )
        return wanted

    def prefix(self, role: str | None) -> str:
        """What the encoder wants before a text in this role; nothing, unless the configuration or the model says so."""
        own = weights.prompts(self.folder) | self.options.get("prefixes", {})
        return own.get(role, "") if role else ""

    def load(self) -> "Kind":
        """The weights, ready to run; seconds, so call it when there is something to embed."""
        unknown = f"encoder {self.name}: found kind {self.kind!r}, expected a module of ragassay.encoders.kinds"
        if not self.kind.isidentifier():
            raise EncoderError(unknown)
        name = f"ragassay.encoders.kinds.{self.kind}"
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise EncoderError(f"encoder {self.name}: kind {self.kind} needs the package {error.name}") from error
            raise EncoderError(unknown) from error
        try:
            return module.Kind(self)
        except (OSError, ValueError, KeyError) as error:
            told = str(error).strip().split("\n")[0]
            raise EncoderError(f"encoder {self.name}: cannot load {self.folder}: {told}") from error


class Kind(abc.ABC):
    """What a kind of encoder has to offer; one file each."""

    dimensions: int
    batch_tokens: int  # padded tokens that one batch may hold
    pad: int  # the token that fills short texts up

    @abc.abstractmethod
    def tokens(self, texts: list[str]) -> list[list[int]]:
        """The tokens of each text, special ones included, cut where the encoder stops reading."""

    @abc.abstractmethod
    def vectors(self, tokens: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """One vector per row of padded tokens, as float32; `mask` is 1 where a row has tokens."""
