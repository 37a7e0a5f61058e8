"""A trained detector of out-of-scope questions in a service: can this document answer that question?

    from ragassay import Detector

    detector = Detector.load("results/detectors/sbert_nli/minilm/authors/careful")
    detector("When does the ferry leave?", document).out_of_scope

It loads the model that its card names, from where the run that trained it had it, and refuses one with other files.
"""

from dataclasses import dataclass
from pathlib import Path

from ragassay.base.errors import unknown
from ragassay.base.pipeline import matching
from ragassay.base.variants import VariantError
from ragassay.models.heads import heads_file, scores
from ragassay.studies.scope.detectors.detector import DetectorError, DetectorQuestion, Kind, kind, too_long

PROMPT = "resources/prompts/detect_scope.yaml"


@dataclass(frozen=True)
class ScopeVerdict:
    """What a detector says of a question."""

    score: float  # higher = more probably out of scope; 0 is undecided
    probability: float  # after the temperature of the validation part
    out_of_scope: bool


@dataclass(frozen=True)
class Detector:
    """`load` opens one; `card` is what it was trained on."""

    card: dict
    features: Kind
    head: dict
    temperature: float

    @classmethod
    def load(cls, folder, head: str | None = None, seed: int = 0, prompt=None, embeddings="embeddings") -> "Detector":
        """One of the heads in a folder, the first of its kind unless another is named. Vectors are kept in the
        folder `embeddings`; `prompt` is for detectors that read hidden states.
        """
        folder, prompt = Path(folder), prompt or matching(PROMPT)[Path(PROMPT).name]
        heads, card = heads_file.read(folder / "heads.safetensors", folder / "card.json")
        try:
            features = kind(card["detector"], embeddings, prompt)
            name = head or features.heads[0]
            temperature = card["heads"].get(f"{name}.{seed}", {}).get("temperature")
        except (KeyError, TypeError, AttributeError, VariantError) as error:
            raise DetectorError(f"{folder}: cannot use its card ({error!r}); train it again") from error
        if (name, seed) not in heads or temperature is None:
            trained = [f"{one}.{number}" for one, number in sorted(heads)]
            raise DetectorError(f"{folder}: {unknown('head', f'{name}.{seed}', trained)}")
        heads_file.check(folder / "card.json", card.get("identity", {}), features.identity())
        return cls(card, features, heads[name, seed], temperature)

    def __call__(self, question: str, document: str) -> ScopeVerdict | None:
        """Nothing where the model cannot read question and document at once."""
        return self.judge([question], [document])[0]

    def judge(self, questions: list[str], documents: list[str]) -> list[ScopeVerdict | None]:
        """One verdict for each question and its document."""
        if isinstance(questions, str) or isinstance(documents, str) or len(questions) != len(documents):
            raise DetectorError(f"found {questions!r:.60} and {documents!r:.60}, expected a list with a document each")
        if wrong := next((text for text in [*questions, *documents] if not isinstance(text, str)), None):
            raise DetectorError(f"found {wrong!r:.60}, expected a text")
        pairs = enumerate(zip(questions, documents, strict=True))
        asked = [DetectorQuestion(str(number), document, question, document) for number, (question, document) in pairs]
        rows = self.features.features(asked)
        scored = scores.scores(self.head, rows)
        columns = scored.tolist(), scores.probabilities(scored, self.temperature).tolist(), too_long(rows).tolist()
        return [
            None if is_unread else ScopeVerdict(score, probability, score > 0)
            for score, probability, is_unread in zip(*columns, strict=True)
        ]
