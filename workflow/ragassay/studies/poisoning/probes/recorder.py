"""Record a model for a study: ask it each prompt with passages and each question alone, read its activations and
log-probabilities, and write all of it into one file (see `ragassay.models.recording`). Answers lie in a ledger and
states in a store before the file is written, so that after a kill the same call goes on where it was."""

import functools
import gc
import json
import time
from collections.abc import Iterator
from importlib import metadata
from typing import NamedTuple

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log
from ragassay.base.terminal import clock
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import PromptPair
from ragassay.models import recording
from ragassay.models.activations.sites import MLP
from ragassay.models.activations.state_store import Decoder
from ragassay.models.recording import ABSENT, ANSWER, NONE, WORDS, message_key, questions_digest
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.probes import PROMPT_PAIRS
from ragassay.studies.poisoning.probes.collecting import Asked, Collector
from ragassay.studies.poisoning.probes.kinds.lens import likeliest
from ragassay.studies.poisoning.probes.samples import Layers, Stored

PORTION = 128  # prompts between two lines that say how far it is, which is what a kill can cost
COUNT = 2000  # tokens whose rows of the output layer are kept, as many as the kinds certainty and lens read
LIBRARIES = ("torch", "transformers", "tokenizers", "numpy")
ROW_BYTES = 400  # of a prompt beside its states, about


class Recorder(NamedTuple):
    """What is recorded, and how it is asked; `readings` are as in the rule collect_activations."""

    name: str
    entry: dict  # model and options, as in `models`
    prompts: PromptPair
    sampling: dict
    readings: list[dict]
    embeddings: str
    ledger: str

    def record(self, path, cells: list[tuple]) -> None:
        """`cells` are files of targets and prompt_pairs."""
        shown, questions = prompts_of(cells)
        decoder = Decoder(f"model {self.name}", self.entry)
        collector = Collector(decoder, self.readings, self.embeddings)
        count = sum(1 for _, passages in shown if passages)
        size = self.megabytes(collector, count)
        if size * 1e6 > recording.LARGEST:
            raise recording.RecordingError(
                f"{path}: the file would have about {size / 1e3:.1f} GB, expected at most"
                f" {recording.LARGEST / 1e9:.1f} GB; name fewer layers (--layer) or sites (--site)"
            )
        log.info("%d prompts, %d of them with passages: a file of about %.1f MB", len(shown), count, size)
        answers = self._answers(shown)
        asked = [
            Asked(functools.partial(self.prompts.messages, *pair), answer.text or "", pair[0], str(number))
            for number, (pair, answer) in enumerate(zip(shown, answers, strict=True))
        ]
        read = [at for at, (_, passages) in enumerate(shown) if passages]
        collected = self._collected(collector, [asked[at] for at in read])
        arrays = self._arrays(collector, asked, answers, dict(zip(read, zip(*collected, strict=True), strict=True)))
        facts = {
            "model": self.entry["model"], "revision": decoder.commit or decoder.options.get("revision") or "",
            "identity": decoder.identity, "blocks": decoder.config.num_hidden_layers,
            "readings": collector.collection.readings, "sampling": self.sampling,
            "prompts": sorted({self.prompts.digest([]), self.prompts.digest([""])}),
            "questions": questions, "versions": {name: metadata.version(name) for name in LIBRARIES},
        }  # fmt: skip
        recording.write(path, facts, arrays)

    def megabytes(self, collector: Collector, count: int) -> float:
        """About how large the file will be, of so many prompts with passages."""
        config = collector.decoder.config
        names = ("intermediate_size", "ffn_dim", "n_inner")
        inside = next((size for name in names if (size := getattr(config, name, None))), 4 * config.hidden_size)
        numbers = sum(
            len(each.layers) * (inside if each.site == MLP else config.hidden_size) for each in collector.readings.of
        )
        return (count * (2 * numbers + ROW_BYTES) + 2 * COUNT * config.hidden_size) / 1e6

    def _answers(self, shown):
        model = Model(
            self.name, "transformers", self.entry["model"], options=self.entry["options"],
            concurrency=64, price={"input": 0, "output": 0},
        )  # fmt: skip

        def request(pair):
            return Request(self.prompts.messages(*pair), self.sampling)

        answers = [answer for [answer] in complete(Requests(shown, request), model, self.ledger)]
        gc.collect()  # the provider's weights, which its tasks may still refer to
        return answers

    def _collected(self, collector, asked):
        """Keys, tokens and certainties of all, a portion at a time."""
        keys, tokens, certain = [], [], []
        for portion in _portions(asked, "activations"):
            keys_of_portion, tokens_of_portion = collector.states_of(portion)
            keys += keys_of_portion
            tokens += tokens_of_portion
        collector.release()
        for portion in _portions(asked, "log-probabilities"):
            certain += collector.certainties_of(portion)
        collector.release()
        return keys, tokens, certain

    def _arrays(self, collector, asked, answers, collected):
        """`collected` has key, tokens and certainties of each prompt that has states."""
        keys = list(dict.fromkeys(key for key, _, _ in collected.values() if key))
        places = {key: at for at, key in enumerate(keys)}
        arrays = {
            "keys": np.array([list(message_key(prompt.messages())) for prompt in asked], np.uint8).reshape(-1, 16),
            "tokens": np.zeros(len(asked), np.int32),
            "certainties": np.full((len(asked), 3), NONE, np.float32),
            "places": np.full(len(asked), ABSENT, np.int32),
            "states": collector.states.store.vectors(keys).astype(np.float16),
        }
        for number, (key, tokens, certain) in collected.items():
            arrays["tokens"][number] = tokens
            arrays["places"][number] = places.get(key, ABSENT)
            arrays["certainties"][number] = [NONE if value is None else value for value in certain]
        rows = [[getattr(answer, name) for name in ANSWER] for answer in answers]
        arrays["answers"] = np.frombuffer(json.dumps(rows).encode(), np.uint8)
        return arrays | self._words(collector, keys)

    def _words(self, collector, keys):
        """Rows of the output layer, if a reading has what that reads."""
        collection = collector.collection
        readings = [collection.reading(each["site"], each["position"]) for each in collection.readings]
        for reading in (each for each in readings if each.has_last):
            stored = Stored(collection, self.embeddings, [key.hex() for key in keys], reading)
            last = Layers(stored, reading.places([collection.blocks]))[range(len(keys))][:, 0]
            return {WORDS: likeliest(last, collector.decoder.output(), COUNT).astype(np.float16)}
        return {}


def _portions(asked: list[Asked], what: str) -> Iterator[list[Asked]]:
    """Some prompts at a time; after each portion a line says how far it is and how long the rest takes."""
    begin = time.monotonic()
    for start in range(0, len(asked), PORTION):
        yield asked[start : start + PORTION]
        done = min(start + PORTION, len(asked))
        left = (time.monotonic() - begin) / done * (len(asked) - done)
        log.info("%s of %d of %d prompts, %s left", what, done, len(asked), clock(left))


def prompts_of(cells: list[tuple]) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Question and passages of each prompt once, and the digest of each set of questions."""
    shown, digests = {}, []
    for targets, prompt_pairs in cells:
        rows = tables.read(TARGETS, targets, ["target_id", "question"]).to_pylist()
        questions = {row["target_id"]: row["question"] for row in rows}
        digests.append(questions_digest(questions.values()))
        for row in tables.read(PROMPT_PAIRS, prompt_pairs, ["target_id", "passages"]).to_pylist():
            question = questions[row["target_id"]]
            shown[question, ()] = shown[question, tuple(row["passages"])] = True
    return [(question, list(passages)) for question, passages in shown], sorted({*digests})
