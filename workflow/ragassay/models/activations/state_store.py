"""Hidden states of prompts by a frozen decoder, each computed once per model, layers and positions, and stored under
the hash of the prompt's tokens, as float16 (see `ragassay.models.store`). The trunk is loaded without its output
layer. In another batch the last bits of a state may differ; once stored, it never changes."""

import hashlib
from collections.abc import Sequence

import numpy as np

from ragassay.base.stage import log
from ragassay.models.activations.sites import MLP, RESIDUAL, ActivationsError, Place, width
from ragassay.models.local import LocalModel
from ragassay.models.store import Store

FORMAT = 1  # of stored states; a new one starts new stores
CPU_TOKENS, GPU_TOKENS = 1024, 16_384  # of one batch
LARGEST = float(np.finfo(np.float16).max)
CHUNK, CHUNK_BYTES = 20_000, 256 << 20  # tokens of prompts, and bytes of their states, that are computed together


class Decoder(LocalModel):
    """An entry of `models` with provider `transformers`."""

    @property
    def identity(self) -> dict:
        """Everything that can change a state by more than rounding."""
        return {"format": FORMAT} | super().identity

    @property
    def longest(self) -> float:
        """How many tokens it reads at most."""
        return getattr(self.config, "max_position_embeddings", None) or float("inf")

    def _reserved(self):
        """Tokens that may never have been trained: special ones without a task, otherwise tokens of their form."""
        named = set(self.tokenizer.all_special_tokens)
        special = {token.content for token in self.tokenizer.added_tokens_decoder.values() if token.special} - named
        formed = {token for token in self.tokenizer.get_vocab() if token[:1] in "<[" and token[-1:] in ">]"}
        return special or formed - named

    def token(self, name: str | None) -> int:
        """The number of a token by its name; None is the end-of-text token."""
        if name is None:
            if self.tokenizer.eos_token_id is None:
                raise ActivationsError(f"{self.name}: its tokenizer names no end-of-text token, expected one")
            return self.tokenizer.eos_token_id
        number = self.tokenizer.get_vocab().get(name)
        if number is None:
            shown = ", ".join(sorted(self._reserved())[:5]) or "none"
            raise ActivationsError(
                f"{self.name}: its tokenizer has no token {name!r}; name one that it reserves"
                f" (tokens of that kind: {shown})"
            )
        return number

    def tokens(self, messages: list[dict]) -> list[int]:
        """A prompt as the provider would render it, as tokens."""
        special = not self.tokenizer.chat_template
        return self.tokenizer(self.prompt(messages), add_special_tokens=special)["input_ids"]

    def output(self):
        """The output layer, tokens x width: logits of what the last layer puts out. As slow to load as the trunk."""
        return self.causal().get_output_embeddings().weight.detach().float().cpu().numpy()

    def load(self):
        """The trunk, ready to run and to give states."""
        from ragassay.models.activations.states import States

        budget = self.batch_tokens(CPU_TOKENS, GPU_TOKENS)
        return States(self.trunk(), budget, self.tokenizer.pad_token_id or 0)


class StoredStates:
    """A decoder and what it computed so far. `computed` counts the prompts that had no states. What is read `beside`
    the first place is computed in the same pass and stored behind it.
    """

    def __init__(self, decoder: Decoder, folder, layers=(-1,), positions=(-1,), site=RESIDUAL, beside=()):
        self.decoder, self.computed, self._states = decoder, 0, None
        self.places = [Place(site, list(layers), list(positions)), *beside]
        first, *others = [place._asdict() for place in self.places]
        identity = {**decoder.identity, **first} | ({"beside": others} if others else {})
        self.store = Store.of(folder, identity, "decoder")

    @property
    def widths(self) -> list[int]:
        """How many numbers a state has at each place, of a store that holds some: only those of MLPs are not known."""
        usual = self.decoder.config.hidden_size
        counts = [len(place.layers) * len(place.positions) for place in self.places]
        inside = [count for count, place in zip(counts, self.places, strict=True) if place.site == MLP]
        left = (self.store.dimensions or 0) - usual * (sum(counts) - sum(inside))
        return [left // sum(inside) if place.site == MLP else usual for place in self.places]

    def release(self) -> None:
        """Forget the weights, which are loaded again when something is to be computed."""
        self._states = None

    def of(self, prompts: Sequence[list[int]], owners: list, names: list | None = None) -> np.ndarray:
        """prompts x layers x positions x width, as float16; see `keys` and `read`."""
        return self.read(self.keys(prompts, owners, names))

    def keys(self, prompts: Sequence[list[int]], owners: list, names: list | None = None) -> list[bytes | None]:
        """What the states of prompts are stored under, once all have some; None for a prompt that is longer than the
        model reads. `owners` name the document of each prompt, `names` its question. A sequence may make its prompts
        when they are looked at: all are once before anything is computed, and those without states once more, a chunk
        at a time.
        """
        keys, lengths, names = [], np.zeros(len(prompts), np.int64), names or range(len(prompts))
        for number, prompt in enumerate(prompts):
            keys.append(hashlib.sha256(np.array(prompt, "<i8").tobytes()).digest()[:16])
            lengths[number] = len(prompt)
        fitting = np.flatnonzero(lengths <= self.decoder.longest)
        if len(prompts) and not len(fitting):
            self._refuse_too_long(lengths, owners, names)
        self.computed += self.store.fill(
            [keys[at] for at in fitting],
            lambda missing: self._compute(prompts, lengths, owners, names, fitting, missing),
        )
        return [key if length <= self.decoder.longest else None for key, length in zip(keys, lengths, strict=True)]

    def read(self, keys: list[bytes | None]) -> np.ndarray:
        """prompts x layers x positions x width of the only place, as float16; NaN where there is no key."""
        states = self.store.vectors([key for key in keys if key])
        if len(states) < len(keys):
            rows = np.full((len(keys), states.shape[1]), np.nan, states.dtype)
            rows[[at for at, key in enumerate(keys) if key]] = states
            states = rows
        [place] = self.places
        shape = len(place.layers), len(place.positions)
        return states.reshape(len(keys), *shape, states.shape[1] // (shape[0] * shape[1]))

    def _refuse_too_long(self, lengths, owners, names):
        worst = int(lengths.argmax())
        raise ActivationsError(
            f"{self.decoder.name}: found {len(lengths)} of {len(lengths)} prompts that are too long, the longest of"
            f" {lengths[worst]} tokens for question {names[worst]} about document {owners[worst]}; expected at most"
            f" {self.decoder.longest}, which is all that the model can read; shorten such documents, or name a model"
            " that reads more"
        )

    def _compute(self, prompts, lengths, owners, names, fitting, missing):
        """Positions of prompts among those that fit, with their states, a chunk at a time."""
        if self._states is None:
            log.info("loading %s", self.decoder.name)
            self._states = self.decoder.load()
            if not self._states.shares:
                log.info("%s: prompts of one document cannot share it", self.decoder.name)
        groups = {}
        for at in fitting[missing].tolist():
            groups.setdefault(owners[at], []).append(at)
        numbers = sum(
            len(place.layers) * len(place.positions) * width(self._states.trunk, place.site) for place in self.places
        )
        each = numbers * np.dtype(np.float32).itemsize
        for chunk in _chunks(groups.values(), lengths, max(1, CHUNK_BYTES // each)):
            together = [at for group in chunk for at in group]
            ends = np.cumsum([len(group) for group in chunk]).tolist()
            places = [list(range(end - len(group), end)) for end, group in zip(ends, chunk, strict=True)]
            states = self._states.of([prompts[at] for at in together], places, *self.places)
            for place, of_place in zip(self.places, states, strict=True):
                self._refuse_too_large(of_place, place.site, [(names[at], owners[at]) for at in together])
            flat = [of_place.reshape(len(of_place), -1) for of_place in states]
            rows = flat[0] if len(flat) == 1 else np.concatenate(flat, axis=1)
            yield np.searchsorted(fitting, together).tolist(), rows
            # Else they would be held while the next ones are computed.
            del states, flat, rows

    def _refuse_too_large(self, states, site, asked):
        rows = states.reshape(len(states), -1)
        largest = np.maximum(rows.max(axis=1), -rows.min(axis=1))
        if wrong := np.flatnonzero(~(largest <= LARGEST)).tolist():
            name, owner = asked[wrong[0]]
            raise ActivationsError(
                f"{self.decoder.name}: found states at the site {site} that are no finite numbers in float16 for"
                f" {len(wrong)} of {len(states)} prompts, first for question {name} about document {owner}; expected"
                f" numbers up to {LARGEST:.0f}; choose another site or other layers, or see whether the model is sound"
            )


def _chunks(groups, lengths, most):
    """Prompts by document, some documents at a time, at most so many prompts."""
    chunk, tokens, count = [], 0, 0
    for group in groups:
        for start in range(0, len(group), most):
            piece = group[start : start + most]
            if chunk and count + len(piece) > most:
                yield chunk
                chunk, tokens, count = [], 0, 0
            chunk.append(piece)
            tokens, count = tokens + int(lengths[piece].sum()), count + len(piece)
            if tokens >= CHUNK:
                yield chunk
                chunk, tokens, count = [], 0, 0
    if chunk:
        yield chunk
