"""What a question's words give away about whether it is out of scope: the two controls with which every judge and
detector is compared. The overlap control is a logistic regression on ten features of shared words and similarity; the
question-alone control sees the question's words only. A score comes from a fit that saw neither the question nor
near-duplicates of its document."""

import itertools
from array import array
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from ragassay.base import chance
from ragassay.models.heads import regression
from ragassay.schemas.hardness import FEATURES
from ragassay.search.nearest import unit
from ragassay.text.sentences import sentences
from ragassay.text.words import content, names, numbers, stem, tokens

DIGITS = 5  # of a similarity: further digits depend on the machine
SCORE_DIGITS = 6  # of a score, for the same reason
FOLDS = 5
FIRST_WORDS = 3  # what the question-alone control takes for the beginning of a question


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
    stems = [stem(word) for word in words]
    weights = [len(word) for word in words]  # rare words tend to be long, and tell more
    missing = [word not in document.stems for word in stems]
    pairs = list(itertools.pairwise(stems))
    apart = [not any({*pair} <= sentence for sentence in document.sentences) for pair in pairs]
    named = [not has(document, entity) for entity in entities(question)]
    together = max((sum(word in sentence for word in stems) for sentence in document.sentences), default=0)
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
        needed = [question for question, _ in pairs] + [part for text, parts in cut.items() for part in (text, *parts)]
        needed = list(dict.fromkeys(needed))
        vectors = dict(zip(needed, unit(self.embedder.embed(needed)), strict=True))
        for text, parts in cut.items():
            self.documents[text] = Document(text, vectors[text], np.array([vectors[part] for part in parts]))
        measured = (features(question, vectors[question], self.documents[text]) for question, text in pairs)
        return [{name: round(value, DIGITS) for name, value in row.items()} for row in measured]


def _share(flags):
    return sum(flags) / len(flags) if flags else 0.0


def _mean(values):
    return float(np.mean(values)) if len(values) else 0.0


def overlap_scores(rows: list[dict], out_of_scope, usable=None) -> list[float | None]:
    """How probably each question is out of scope by its overlap; `rows` have the ten features and a cluster_id. None
    where the other documents have too few questions or one kind alone. Only `usable` rows are fitted on.
    """
    return _out_of_fold(rows, matrix(rows), out_of_scope, _overlap, usable)


def wording_scores(rows: list[dict], out_of_scope, usable=None) -> list[float | None]:
    """How probably each question is out of scope by its words alone; `rows` have a text and a cluster_id."""
    texts = [row["text"] for row in rows]
    return _out_of_fold(rows, texts, out_of_scope, _Wording(texts).fit, usable)


class Controls:
    """Both controls, fitted on some questions; they score others. `features` has a row of the ten for each question."""

    def __init__(self, folds, features: np.ndarray, texts: list[str], out_of_scope: np.ndarray):
        fitted = ((features, _overlap), (texts, _Wording(texts).fit))
        self.models = [regression.fits(range(FOLDS), folds, inputs, out_of_scope, fit) for inputs, fit in fitted]

    def scores(self, folds, features: np.ndarray, texts: list[str]) -> list[list[float | None]]:
        """What the overlap control says, and the question-alone control."""
        inputs = zip(self.models, (features, texts), strict=True)
        return [regression.scored(models, folds, rows, _probabilities) for models, rows in inputs]


def fold(cluster_id: str) -> int:
    return chance.number(None, cluster_id, width=4) % FOLDS


def matrix(rows: list[dict]) -> np.ndarray:
    """questions x ten features."""
    return np.array([[row[name] for name in FEATURES] for row in rows], float).reshape(len(rows), len(FEATURES))


def _out_of_fold(rows, inputs, out_of_scope, fit, usable):
    folds, labels = [fold(row["cluster_id"]) for row in rows], np.asarray(out_of_scope, bool)
    return regression.out_of_fold(folds, inputs, labels, fit, _probabilities, usable)


def _probabilities(model, inputs):
    return model.predict_proba(inputs)[:, 1].round(SCORE_DIGITS).tolist()


def _overlap(features, out_of_scope):
    from sklearn.preprocessing import StandardScaler

    return regression.fit(features, out_of_scope, StandardScaler(), balanced=True, iterations=1000)


class _Wording:
    """Fits the question-alone control on some of its texts, of which it reads each once."""

    def __init__(self, texts):
        self.places = {text: at for at, text in enumerate(dict.fromkeys(texts))}
        self.anywhere = _Grams(self.places, ngram_range=(1, 3))
        self.beginning = _Grams(self.places, ngram_range=(1, FIRST_WORDS), preprocessor=_beginning)

    def fit(self, texts, out_of_scope):
        from scipy.sparse import hstack
        from sklearn.pipeline import make_pipeline, make_union

        rows = [self.places[text] for text in texts]
        parts = self.anywhere.weighted(rows, 2 if len(rows) > 50 else 1), self.beginning.weighted(rows, 1)
        vectorizers, weights = zip(*parts, strict=True)
        model = regression.fit(hstack(weights).tocsr(), out_of_scope, balanced=True, iterations=1000)
        return make_pipeline(make_union(*vectorizers), model)


class _Grams:
    """How often each text has each n-gram. What it makes of some texts is to the bit what TfidfVectorizer makes of
    them, which adds up the n-grams of a text in the order in which they first occur.
    """

    def __init__(self, texts, **how):
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.make = partial(TfidfVectorizer, token_pattern=r"(?u)\b\w+\b", sublinear_tf=True, **how)
        analyze, columns = self.make().build_analyzer(), {}
        places, counts, ends = array("i"), array("i"), [0]
        for grams in map(Counter, map(analyze, texts)):
            places.extend([columns.setdefault(gram, len(columns)) for gram in grams])
            counts.extend(grams.values())
            ends.append(len(places))
        self.grams, shape = np.array([*columns], object), (len(texts), len(columns))
        self.counts = csr_matrix((np.array(counts, float), np.array(places), np.array(ends)), shape)

    def weighted(self, rows, fewest: int):
        """A vectorizer of the n-grams that at least so many of these texts have, and texts x n-grams: their weights."""
        from sklearn.feature_extraction.text import TfidfTransformer

        counts = self.counts[rows]
        columns, first, texts = np.unique(counts.indices, return_index=True, return_counts=True)
        columns = columns[np.argsort(first)][texts[np.argsort(first)] >= fewest]
        counts = counts[:, columns]
        counts.sort_indices()
        by_name = np.argsort(self.grams[columns])
        counts.indices = np.argsort(by_name).astype(counts.indices.dtype)[counts.indices]
        weights = TfidfTransformer(sublinear_tf=True).fit(counts)
        vectorizer = self.make(vocabulary=self.grams[columns[by_name]])
        vectorizer.idf_ = weights.idf_
        return vectorizer, weights.transform(counts)


def _beginning(text):
    return " ".join(text.lower().split()[:FIRST_WORDS])
