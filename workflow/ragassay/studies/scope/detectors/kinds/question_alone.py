"""The question's vector without the document: how a question is worded, and what it is about.

The question alone cannot show whether a document answers it; a detector that does no better has learned the wording.
"""

from ragassay.models.heads.scores import LOGISTIC
from ragassay.studies.scope.detectors.kinds import sentence_pair


class Kind(sentence_pair.Kind):
    heads = (LOGISTIC,)

    def cut(self, asked):
        return 0, 0

    def features(self, asked):
        return self.questions(asked)
