"""Sentence-BERT's features for inference: [u; v; |u - v|] of the vectors of document and question, in the roles that
they have in retrieval, for encoders that want another prefix before either."""

import numpy as np

from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.studies.scope.detectors import detector


class Kind(detector.Kind):
    def __init__(self, settings, embeddings, prompt):
        self.embedder = Embedder(Encoder(**settings["encoder"]), embeddings)

    def identity(self):
        encoder = self.embedder.encoder
        prefixes = {role: encoder.prefix(role) for role in ("passage", "query")}
        return encoder.identity | ({"prefixes": prefixes} if any(prefixes.values()) else {})

    def features(self, asked):
        document, question = self.documents(asked), self.questions(asked)
        return np.concatenate([document, question, np.abs(document - question)], axis=1)

    def cut(self, asked):
        return self.embedder.longer(list(dict.fromkeys(pair.document for pair in asked)), "passage")

    def documents(self, asked):
        """One row for each question, as for the other."""
        texts = list(dict.fromkeys(pair.document for pair in asked))
        places = {text: number for number, text in enumerate(texts)}
        vectors = self.embedder.embed(texts, "passage").astype(np.float32)
        return vectors[[places[pair.document] for pair in asked]]

    def questions(self, asked):
        return self.embedder.embed([pair.question for pair in asked], "query").astype(np.float32)
