"""The overlap control as a detector: the ten features of `ragassay.studies.scope.controls`, with texts embedded
without roles, as for hardness. One that does no better may have learned only word overlap."""

from ragassay.models.heads.scores import LOGISTIC
from ragassay.schemas.hardness import FEATURES
from ragassay.studies.scope import controls
from ragassay.studies.scope.detectors.kinds import sentence_pair


class Kind(sentence_pair.Kind):
    heads, balanced = (LOGISTIC,), True

    def identity(self):
        return self.embedder.encoder.identity | {"features": list(FEATURES)}

    def cut(self, asked):
        """Of whole documents, whose vector is behind one of the ten features."""
        return self.embedder.longer(list(dict.fromkeys(pair.document for pair in asked)))

    def features(self, asked):
        rows = controls.Overlap(self.embedder).measure([(pair.question, pair.document) for pair in asked])
        return controls.matrix(rows)
