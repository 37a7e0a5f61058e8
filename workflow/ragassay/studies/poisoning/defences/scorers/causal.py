"""A causal language model on this machine, such as `gpt2`. It was trained elsewhere and has read whatever it has read:
name no model that was trained on this very corpus.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from ragassay.models.local import LocalModel
from ragassay.studies.poisoning.defences.scorer import Scored

SETTINGS = {"max_tokens": 1024}
CHUNK = 4096  # texts at once


class Scorer:
    def __init__(self, name: str, entry: dict, max_tokens: int):
        from ragassay.models.likelihood.scorer import Scorer as Likelihood  # imports torch, which planning does without

        self.model = Likelihood(LocalModel(name, entry), max_tokens)

    @property
    def identity(self) -> dict:
        local = self.model.local
        own = {"files": local.digest, "dtype": local.dtype, "max_tokens": self.model.longest}
        return own | {"revision": local.commit}

    def scored(self, texts: Iterable[str], halves: Iterable[int]) -> Iterator[Scored]:
        texts = iter(texts)
        while chunk := list(islice(texts, CHUNK)):
            for own in self.model.of(chunk):
                yield Scored(-own.values, own.ends, own.cut > 0)
