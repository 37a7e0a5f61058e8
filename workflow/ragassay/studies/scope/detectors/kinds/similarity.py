"""The distance of the question to its document: 1 minus the cosine of their vectors. Its head is a threshold."""

from ragassay.models.heads.scores import LOGISTIC
from ragassay.search.nearest import unit
from ragassay.studies.scope.detectors.kinds import sentence_pair


class Kind(sentence_pair.Kind):
    heads = (LOGISTIC,)

    def features(self, asked):
        document, question = unit(self.documents(asked)), unit(self.questions(asked))
        return 1 - (document * question).sum(axis=1, keepdims=True)
