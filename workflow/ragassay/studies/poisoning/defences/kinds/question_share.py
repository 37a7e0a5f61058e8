"""Removes passages that have unusually many of the question's words: the control that every defence has to beat."""

import numpy as np

from ragassay.studies.poisoning.attacks.loudness import question_words
from ragassay.studies.poisoning.defences.thresholds import FOUND, CriteriaDefence


class Kind(CriteriaDefence):
    CRITERIA = {"question_share": FOUND}

    def readings(self, passages):
        shares = [question_words(passage["question"], passage["text"]) for passage in passages]
        return {"question_share": np.array(shares)}
