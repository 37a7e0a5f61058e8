"""A trained detector of out-of-scope questions in a service: can this document answer that question?

    from ragassay import Detector

    detector = Detector.load("results/detectors/sbert_nli/minilm/authors/careful")
    detector("When does the ferry leave?", document).out_of_scope

It loads the model that its card names, from where the run that trained it had it, and refuses one with other files.
Threads may share it.
"""

import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from ragassay.base import card, fitted_files, variants
from ragassay.base.errors import unknown
from ragassay.base.pipeline import matching
from ragassay.models.heads import heads_file, scores
from ragassay.studies.scope.detectors.detector import KINDS, DetectorError, DetectorQuestion, Kind, kind, too_long

PROMPT = "resources/prompts/detect_scope.yaml"
COLDEST, HOTTEST = 0.99 * scores.COOLEST, 1.01 * scores.HOTTEST
OPTIONS = {"appended": (str, type(None)), "layer": (int,)}


def _is_detector(value) -> bool:
    if not isinstance(value, dict) or value.keys() != {"detector", "encoder", "kind", "options"}:
        return False
    encoder, options = value["encoder"], value["options"]
    if not isinstance(value["detector"], str) or value["kind"] not in variants.names(KINDS):
        return False
    if not isinstance(encoder, dict) or not all(isinstance(encoder.get(name), str) for name in ("name", "model")):
        return False
    return isinstance(options, dict) and all(
        name in OPTIONS and type(option) in OPTIONS[name] for name, option in options.items()
    )


def _are_heads(value) -> bool:
    return isinstance(value, dict) and all(
        isinstance(part, dict) and card.is_number(part.get("temperature")) and COLDEST < part["temperature"] < HOTTEST
        for part in value.values()
    )


FORM = heads_file.FORM._replace(
    parts={
        "detector": card.expected("a kind of detector with its encoder and options", _is_detector),
        "heads": card.expected(f"heads, each with a temperature from {COLDEST:g} to {HOTTEST:g}", _are_heads),
        "identity": dict,
    },
    error=DetectorError,
)


@dataclass(frozen=True)
class ScopeVerdict:
    """What a detector says of a question."""

    score: float  # higher = more probably out of scope; 0 is undecided
    probability: float  # after the temperature of the validation part
    out_of_scope: bool


@dataclass(frozen=True)
class Detector:
    """`load` opens one; `card` is what it was trained on."""

    card: dict[str, Any]
    features: Kind
    head: dict[str, np.ndarray]
    temperature: float
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def load(
        cls,
        folder: str | Path,
        head: str | None = None,
        seed: int = 0,
        prompt: str | Path | None = None,
        embeddings: str | Path = "embeddings",
    ) -> Self:
        """One of the heads in a folder, the first of its kind unless another is named. Vectors are kept in the
        folder `embeddings`; `prompt` is for detectors that read hidden states.
        """
        folder, prompt = Path(folder), prompt or matching(PROMPT).get(Path(PROMPT).name, PROMPT)
        path, weights = folder / "card.json", folder / "heads.safetensors"
        heads, about = heads_file.read(weights, path)
        card.check_parts(path, FORM, about)
        refusal = functools.partial(FORM.refusal, path)
        with fitted_files.reading(refusal):
            features = kind(about["detector"], str(embeddings), str(prompt))
        name = head or features.heads[0]
        if (name, seed) not in heads or f"{name}.{seed}" not in about["heads"]:
            trained = [f"{kind}.{number}" for kind, number in sorted(heads)]
            raise DetectorError(f"{folder}: {unknown('head', f'{name}.{seed}', trained)}")
        with fitted_files.reading(functools.partial(FORM.refusal, weights)):
            heads_file.check_head(heads[name, seed])
        with fitted_files.reading(refusal):
            heads_file.check(path, about["identity"], features.identity())
        return cls(about, features, heads[name, seed], about["heads"][f"{name}.{seed}"]["temperature"])

    def warm_up(self) -> Self:
        """Load what the first question needs, such as the encoder's weights, before anybody waits for it."""
        self.judge(["Is anybody there?"], ["Nobody."])
        return self

    def __call__(self, question: str, document: str) -> ScopeVerdict | None:
        """Nothing where the model cannot read question and document at once."""
        return self.judge([question], [document])[0]

    def judge(self, questions: Sequence[str], documents: Sequence[str]) -> list[ScopeVerdict | None]:
        """One verdict for each question and its document."""
        if isinstance(questions, str) or isinstance(documents, str) or len(questions) != len(documents):
            raise DetectorError(f"found {questions!r:.60} and {documents!r:.60}, expected a list with a document each")
        if wrong := next((text for text in [*questions, *documents] if not isinstance(text, str)), None):
            raise DetectorError(f"found {wrong!r:.60}, expected a text")
        pairs = enumerate(zip(questions, documents, strict=True))
        asked = [DetectorQuestion(str(number), document, question, document) for number, (question, document) in pairs]
        with self._lock:
            rows = self.features.features(asked)
        if len(rows):
            self._check_width(rows.shape[1])
        scored = scores.scores(self.head, rows)
        columns = scored.tolist(), scores.probabilities(scored, self.temperature).tolist(), too_long(rows).tolist()
        return [
            None if is_unread else ScopeVerdict(score, probability, score > 0)
            for score, probability, is_unread in zip(*columns, strict=True)
        ]

    def _check_width(self, width):
        try:
            heads_file.check_head(self.head, width)
        except ValueError as error:
            raise DetectorError(f"detector {self.card['detector']['detector']}: {error}; train it again") from error
