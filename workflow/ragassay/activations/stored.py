"""Hidden states of prompts, each computed once per model, layers and positions: what is stored is read.

States are kept like an encoder's vectors (see `ragassay.encoders.store`), under the hash of the prompt's tokens, as
float16, layers and positions one after another. Documents are taken in chunks, the prompts of one document together,
and what was computed is stored at the end of a chunk, which is what a kill can cost. A state is computed in other
company another time, where its last bits may differ; once stored, it never changes.
"""

import hashlib
import json
import time
from pathlib import Path

import numpy as np

from ragassay.activations.decoder import Decoder
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

    def of(self, prompts: list[list[int]], owners: list) -> np.ndarray:
        """prompts x layers x positions x width, as float16; `owners` name the document of each prompt."""
        keys = [_key(prompt) for prompt in prompts]
        self.store.refresh()  # another job may have come before us
        known = self.store.known(keys)
        missing = {key: number for number, (key, there) in enumerate(zip(keys, known, strict=True)) if not there}
        if missing:
            self._compute(prompts, owners, missing)
        found = self.store.vectors(keys)
        return found.reshape(len(prompts), len(self.layers), len(self.positions), -1)

    def _compute(self, prompts, owners, missing):
        if self._states is None:
            log.info("loading model %s", self.decoder.name)
            self._states = self.decoder.load()
            if not self._states.shares:
                log.info("model %s: prompts of one document cannot share it", self.decoder.name)
        groups = {}
        for key, number in missing.items():
            groups.setdefault(owners[number], []).append((key, prompts[number]))
        done, since, held = [], time.monotonic(), []
        for chunk in _chunks(groups.values()):
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


def _chunks(groups):
    chunk, tokens = [], 0
    for group in groups:
        chunk.append(group)
        tokens += sum(len(prompt) for _, prompt in group)
        if tokens >= CHUNK:
            yield chunk
            chunk, tokens = [], 0
    if chunk:
        yield chunk


def _key(prompt):
    """128 bits of a hash over a prompt's tokens."""
    return hashlib.sha256(np.array(prompt, "<i8").tobytes()).digest()[:16]
