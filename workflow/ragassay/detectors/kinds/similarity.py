"""How unlike the question is to its document: 1 less the cosine of their vectors. Its head is a threshold."""

from ragassay.detectors import detector
from ragassay.detectors.kinds import sentence_pair
from ragassay.encoders.unit import unit


class Kind(sentence_pair.Kind):
    heads = (detector.LOGISTIC,)

    def features(self, asked):
        document, question = unit(self.documents(asked)), unit(self.questions(asked))
        return 1 - (document * question).sum(axis=1, keepdims=True)
