"""The overlap control as a detector: the ten features of `ragassay.hardness.overlap_features`, and no more.

One that does no better may have learned only word overlap. Texts are embedded without roles, as they are for hardness,
since the features have to be the same.
"""

import numpy as np

from ragassay.detectors import detector
from ragassay.encoders.embed import Embedder
from ragassay.encoders.encoder import Encoder
from ragassay.encoders.unit import unit
from ragassay.hardness import overlap_features
from ragassay.hardness.strata import DIGITS
from ragassay.heads.recipe import LOGISTIC
from ragassay.schemas.hardness import FEATURES
from ragassay.text.sentences import sentences


class Kind(detector.Kind):
    heads, balanced = (LOGISTIC,), True

    def __init__(self, settings, embeddings, prompt):
        self.embedder = Embedder(Encoder(**settings["encoder"]), embeddings)

    def identity(self):
        return self.embedder.encoder.identity | {"features": list(FEATURES)}

    def cut(self, asked):
        """Of whole documents, whose vector is behind one of the ten features."""
        return self.embedder.longer(list(dict.fromkeys(one.document for one in asked)))

    def features(self, asked):
        cut = {text: sentences(text) for text in dict.fromkeys(one.document for one in asked)}
        needed = [one.question for one in asked] + [part for text, own in cut.items() for part in (text, *own)]
        needed = list(dict.fromkeys(needed))
        vectors = dict(zip(needed, unit(self.embedder.embed(needed)), strict=True))
        documents = {
            text: overlap_features.Document(text, vectors[text], np.array([vectors[part] for part in own]))
            for text, own in cut.items()
        }
        rows = (
            overlap_features.features(one.question, vectors[one.question], documents[one.document]) for one in asked
        )
        found = np.array([[row[name] for name in FEATURES] for row in rows]).reshape(len(asked), len(FEATURES))
        return np.round(found, DIGITS)
