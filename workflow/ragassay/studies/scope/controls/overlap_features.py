"""What shared words and similarity alone tell about a question and its document, without understanding either.

Ten features (see `ragassay.schemas.scope_questions`), each higher when the question seems to be out of scope. They feed
the `overlap_control`, with which every judge and detector is compared: one that does no better has learned word
overlap. Also which names and numbers of a question the document has."""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragassay.models.encoders.unit import unit
from ragassay.text.names import names, numbers
from ragassay.text.sentences import sentences
from ragassay.text.words import content, stem, tokens, weight

DIGITS = 5  # of a similarity: further digits depend on the machine


@dataclass
class Document:
    """A document cut into sentences, with their vectors and that of the whole, all of length 1."""

    text: str
    vector: np.ndarray
    sentence_vectors: np.ndarray

    @cached_property
    def sentences(self) -> list[frozenset[str]]:
        """The stems of each sentence."""
        return [frozenset(map(stem, tokens(sentence))) for sentence in sentences(self.text)]

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset().union(*self.sentences)

    @cached_property
    def forms(self) -> frozenset[str]:
        return frozenset(word.lower() for word in tokens(self.text))


def entities(question: str) -> list[str]:
    """Names (also of months and weekdays) and numbers of a question."""
    return [*names(question), *numbers(question)]


def has(document: Document, entity: str) -> bool:
    """Whether the document has all content words of a name or number."""
    return all(stem(word) in document.stems for word in content(entity) or tokens(entity))


def features(question: str, vector: np.ndarray, document: Document) -> dict[str, float]:
    """The ten numbers of one question about its document."""
    words = content(question)
    stems, weights = [stem(word) for word in words], [weight(word) for word in words]
    missing = [word not in document.stems for word in stems]
    pairs = list(itertools.pairwise(stems))
    apart = [not any(one in own and other in own for own in document.sentences) for one, other in pairs]
    named = [not has(document, entity) for entity in entities(question)]
    together = max((sum(word in own for word in stems) for own in document.sentences), default=0)
    similarities = np.sort(document.sentence_vectors @ vector)[::-1]
    return {
        "missing_words": _share(missing),
        "missing_weight": float(np.average(missing, weights=weights)) if words else 0.0,
        "missing_forms": _share([word.lower() not in document.forms for word in words]),
        "missing_pairs": _share(apart),
        "missing_names": _share(named),
        "n_missing_names": float(sum(named)),
        "scattered": 1 - together / len(words) if words else 0.0,
        "unlike_sentence": 1 - _mean(similarities[:1]),
        "unlike_sentences": 1 - _mean(similarities[:3]),
        "unlike_document": 1 - float(document.vector @ vector),
    }


class Overlap:
    """Measures questions against their documents, of which it reads each once; `embedder` gives the vectors."""

    def __init__(self, embedder):
        self.embedder, self.documents = embedder, {}

    def measure(self, pairs: list[tuple[str, str]]) -> list[dict[str, float]]:
        """The ten numbers of each (question, text of its document), rounded."""
        cut = {text: sentences(text) for text in dict.fromkeys(text for _, text in pairs) if text not in self.documents}
        needed = [question for question, _ in pairs] + [part for text, own in cut.items() for part in (text, *own)]
        needed = list(dict.fromkeys(needed))
        vectors = dict(zip(needed, unit(self.embedder.embed(needed)), strict=True))
        for text, own in cut.items():
            self.documents[text] = Document(text, vectors[text], np.array([vectors[part] for part in own]))
        found = (features(question, vectors[question], self.documents[text]) for question, text in pairs)
        return [{name: round(value, DIGITS) for name, value in row.items()} for row in found]


def _share(found):
    return sum(found) / len(found) if found else 0.0


def _mean(values):
    return float(np.mean(values)) if len(values) else 0.0
