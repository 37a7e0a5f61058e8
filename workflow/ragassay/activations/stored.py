"""Hidden states of prompts, each computed once per model, layers and positions: what is stored is read.

States are kept like an encoder's vectors (see `ragassay.encoders.store`), under the hash of the prompt's tokens, as
float16, layers and positions one after another. Documents are taken in chunks, the prompts of one document together,
and what was computed is stored at the end of a chunk, which is what a kill can cost. A state is computed in other
company another time, where its last bits may differ; once stored, it never changes.
"""

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ragassay.activations.decoder import Decoder
from ragassay.activations.hooks import ActivationsError
from ragassay.atomic import write_text
from ragassay.encoders.store import Store
from ragassay.stage import log

CHUNK, SECONDS = 20_000, 60.0  # tokens after which it is looked whether to store, and how often that is done


class StoredStates:
    """A decoder and what it computed so far. `computed` counts the prompts that had no states."""

    def __init__(self, decoder: Decoder, folder, layers=(-1,), positions=(-1,)):
        self.decoder, self.layers, self.positions = decoder, list(layers), list(positions)
        self.computed, self._states = 0, None
        about = {**decoder.identity, "layers": self.layers, "positions": self.positions}
        digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:16]
        place = Path(folder, digest)
        self.store = Store(place)
        if not (place / "decoder.json").exists():
            write_text(place / "decoder.json", json.dumps(about, indent=1, sort_keys=True) + "\n")

    def of(self, prompts: Sequence[list[int]], owners: list, names: list | None = None) -> np.ndarray:
        """prompts x layers x positions x width, as float16; see `keys` and `read`."""
        return self.read(self.keys(prompts, owners, names))

    def keys(self, prompts: Sequence[list[int]], owners: list, names: list | None = None) -> list[bytes]:
        """What the states of prompts are stored under, once all have some. `owners` name the document of each prompt,
        `names` its question. A sequence may make its prompts when they are looked at: all are once before anything is
        computed, so that none is too long for the model, and those without states once more, a chunk at a time.
        """
        keys, lengths = [], np.zeros(len(prompts), np.int64)
        for number, prompt in enumerate(prompts):
            keys.append(_key(prompt))
            lengths[number] = len(prompt)
        self.store.refresh()  # another job may have come before us
        known = self.store.known(keys)
        missing = {key: number for number, (key, there) in enumerate(zip(keys, known, strict=True)) if not there}
        if missing:
            self._refuse_too_long(lengths, owners, names or range(len(prompts)))
            self._compute(prompts, owners, missing)
        return keys

    def read(self, keys: list[bytes]) -> np.ndarray:
        """prompts x layers x positions x width, as float16, of what is stored."""
        found, each = self.store.vectors(keys), len(self.layers) * len(self.positions)
        return found.reshape(len(keys), len(self.layers), len(self.positions), found.shape[1] // each)

    def _refuse_too_long(self, lengths, owners, names):
        from transformers import AutoConfig

        from ragassay.encoders.loading import LOCAL

        try:
            config = AutoConfig.from_pretrained(self.decoder.folder, **LOCAL)
        except (OSError, ValueError) as error:
            raise ActivationsError(f"model {self.decoder.name}: cannot read its configuration: {error}") from error
        most, worst = getattr(config, "max_position_embeddings", None), int(lengths.argmax())
        if most and lengths[worst] > most:
            raise ActivationsError(
                f"model {self.decoder.name}: found {(lengths > most).sum()} prompts that are too long, the longest of"
                f" {lengths[worst]} tokens for question {names[worst]} about document {owners[worst]}; expected at most"
                f" {most}, which is all that the model can read; shorten or leave out such documents, or name a model"
                " that reads more"
            )

    def _compute(self, prompts, owners, missing):
        if self._states is None:
            log.info("loading model %s", self.decoder.name)
            self._states = self.decoder.load()
            if not self._states.shares:
                log.info("model %s: prompts of one document cannot share it", self.decoder.name)
        groups = {}
        for key, number in missing.items():
            groups.setdefault(owners[number], []).append((key, number))
        done, since, held = [], time.monotonic(), []
        for chunk in _chunks(groups.values(), prompts):
            given = [prompt for group in chunk for _, prompt in group]
            ends = np.cumsum([len(group) for group in chunk]).tolist()
            places = [list(range(end - len(group), end)) for end, group in zip(ends, chunk, strict=True)]
            found = self._states.of(given, places, self.layers, self.positions)
            with np.errstate(over="ignore"):  # the store refuses what is not finite
                held.append(found.reshape(len(given), -1).astype(np.float16))
            done += [key for group in chunk for key, _ in group]
            if time.monotonic() - since > SECONDS:
                self.store.add(done, np.concatenate(held))
                done, held, since = [], [], time.monotonic()
        if done:
            self.store.add(done, np.concatenate(held))
        self.computed += len(missing)


def _chunks(groups, prompts):
    """Keys and prompts by document, some documents at a time."""
    chunk, tokens = [], 0
    for group in groups:
        chunk.append([(key, prompts[number]) for key, number in group])
        tokens += sum(len(prompt) for _, prompt in chunk[-1])
        if tokens >= CHUNK:
            yield chunk
            chunk, tokens = [], 0
    if chunk:
        yield chunk


def _key(prompt):
    """128 bits of a hash over a prompt's tokens."""
    return hashlib.sha256(np.array(prompt, "<i8").tobytes()).digest()[:16]
