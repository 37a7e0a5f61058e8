"""A causal language model on this machine, such as `gpt2`. It was trained elsewhere and has read whatever it has read:
name no model that was trained on this very corpus."""

from collections.abc import Iterable, Iterator
from itertools import islice

from ragassay.models.local import LocalModel
from ragassay.studies.poisoning.defences.scorer import SurpriseScorer, TokenScores

CHUNK = 4096  # texts at once


class Kind(SurpriseScorer):
    SETTINGS = {"max_tokens": 1024}

    def __init__(self, name: str, entry: dict, max_tokens: int):
        from ragassay.models.likelihood import Scorer  # imports torch, which planning does without

        self.model = Scorer(LocalModel(name, entry), max_tokens)

    @property
    def identity(self) -> dict:
        local = self.model.local
        files = {"files": local.digest, "revision": local.commit}
        return files | {"dtype": local.dtype, "max_tokens": self.model.longest}

    def scored(self, texts: Iterable[str], halves: Iterable[int]) -> Iterator[TokenScores]:
        texts = iter(texts)
        while chunk := list(islice(texts, CHUNK)):
            for text in self.model.of(chunk):
                yield TokenScores(-text.values, text.ends, text.cut > 0)
