"""A frozen decoder as an entry of the configuration names it, for its hidden states. Generates nothing.

Its files are found and digested like an encoder's: nothing is fetched, weights are safetensors, code that comes with a
model is never run. The trunk is loaded without its output layer.
"""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property

from ragassay.activations.hooks import ActivationsError
from ragassay.encoders import weights
from ragassay.llm import chat

FORMAT = 1  # of stored states; a new one starts new stores
CPU_TOKENS, GPU_TOKENS = 1024, 16_384  # of one batch


@dataclass(frozen=True)
class Decoder:
    """A model of provider `transformers`. `options`: device, dtype (float32, bfloat16, float16; bfloat16 on a GPU),
    batch_tokens, revision.
    """

    name: str
    model: str
    options: dict = field(default_factory=dict)

    @cached_property
    def folder(self):
        return weights.folder(f"model {self.name}", self.model, self.options.get("revision"))

    @cached_property
    def device(self) -> str:
        import torch

        return self.options.get("device") or ("cuda" if torch.cuda.is_available() else "cpu")

    @cached_property
    def dtype(self) -> str:
        return self.options.get("dtype") or ("float32" if self.device == "cpu" else "bfloat16")

    @cached_property
    def identity(self) -> dict:
        """Everything that can change a state by more than rounding."""
        files = weights.digest(self.folder, weights.CHAT_TEMPLATES)
        return {"format": FORMAT, "files": files, "dtype": self.dtype} | chat.date(self.tokenizer)

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.identity, sort_keys=True).encode()).hexdigest()[:16]

    @cached_property
    def tokenizer(self):
        from ragassay.encoders import loading

        try:
            return loading.tokenizer(self.folder)
        except (OSError, ValueError) as error:
            raise self._cannot_load("tokenizer", error) from error

    def _reserved(self):
        """Tokens that may never have been trained: special ones without a task, else what has their form."""
        named = set(self.tokenizer.all_special_tokens)
        special = {token.content for token in self.tokenizer.added_tokens_decoder.values() if token.special} - named
        formed = {token for token in self.tokenizer.get_vocab() if token[:1] in "<[" and token[-1:] in ">]"}
        return special or formed - named

    def token(self, name: str | None) -> int:
        """The number of a token by its name; None is the end-of-text token."""
        if name is None:
            if self.tokenizer.eos_token_id is None:
                raise ActivationsError(f"model {self.name}: its tokenizer names no end-of-text token, expected one")
            return self.tokenizer.eos_token_id
        found = self.tokenizer.get_vocab().get(name)
        if found is None:
            shown = ", ".join(sorted(self._reserved())[:5]) or "none"
            raise ActivationsError(
                f"model {self.name}: its tokenizer has no token {name!r}; name one that it reserves"
                f" (tokens of that kind: {shown})"
            )
        return found

    def tokens(self, messages: list[dict]) -> list[int]:
        """A prompt as the provider would render it, as tokens."""
        text = chat.rendered(self.name, self.tokenizer, messages)
        return self.tokenizer(text, add_special_tokens=not self.tokenizer.chat_template)["input_ids"]

    def load(self):
        """The trunk, ready to run; seconds or minutes, so call it when there is something to compute."""
        from transformers import AutoModel

        from ragassay.activations.states import States
        from ragassay.encoders.device import DTYPES, place
        from ragassay.encoders.loading import loaded

        if self.dtype not in DTYPES:
            raise ActivationsError(f"model {self.name}: found dtype {self.dtype!r}, expected {', '.join(DTYPES)}")
        try:
            device = place({"device": self.device})
            trunk = loaded(AutoModel, self.folder, device, dtype=DTYPES[self.dtype])
        except (OSError, ValueError) as error:
            raise self._cannot_load("weights", error) from error
        budget = self.options.get("batch_tokens") or (CPU_TOKENS if self.device == "cpu" else GPU_TOKENS)
        return States(trunk, budget, self.tokenizer.pad_token_id or 0)

    def _cannot_load(self, what, error):
        told = str(error).strip().split("\n")[0]
        return ActivationsError(f"model {self.name}: cannot load the {what} of {self.folder}: {told}")
