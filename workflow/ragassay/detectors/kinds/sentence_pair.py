"""Sentence-BERT's features for inference: [u; v; |u - v|] of the vectors of document and question."""

import numpy as np

from ragassay.detectors import detector
from ragassay.encoders.embed import Embedder
from ragassay.encoders.encoder import Encoder


class Kind(detector.Kind):
    def __init__(self, settings, embeddings, prompt):
        self.embedder = Embedder(Encoder(**settings["encoder"]), embeddings)

    def identity(self):
        return self.embedder.encoder.identity

    def features(self, asked):
        document, question = self.vectors(asked)
        return np.concatenate([document, question, np.abs(document - question)], axis=1)

    def vectors(self, asked):
        texts = list(dict.fromkeys(one.document for one in asked))
        places = {text: number for number, text in enumerate(texts)}
        documents = self.embedder.embed(texts).astype(np.float32)
        questions = self.embedder.embed([one.question for one in asked]).astype(np.float32)
        return documents[[places[one.document] for one in asked]], questions
