"""The distance of the question to its document: 1 minus the cosine of their vectors. Its head is a threshold."""

from ragassay.detectors.kinds import sentence_pair
from ragassay.encoders.unit import unit
from ragassay.heads.recipe import LOGISTIC


class Kind(sentence_pair.Kind):
    heads = (LOGISTIC,)

    def features(self, asked):
        document, question = unit(self.documents(asked)), unit(self.questions(asked))
        return 1 - (document * question).sum(axis=1, keepdims=True)
