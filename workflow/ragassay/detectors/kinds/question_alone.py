"""The question's vector without the document: how a question is put, and what it is about.

Nobody can know from it whether a document answers; one that does no better has learnt how the questions were written.
"""

from ragassay.detectors import detector
from ragassay.detectors.kinds import sentence_pair


class Kind(sentence_pair.Kind):
    heads = (detector.LOGISTIC,)

    def cut(self, asked):
        return 0, 0

    def features(self, asked):
        return self.questions(asked)
