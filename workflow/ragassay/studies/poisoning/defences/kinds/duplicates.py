"""Removes a passage that is the same as a better one, or nearly: an attacker who plants one text many times gains
nothing. Alike are those whose words are the same, or, below a similarity of 1, those whose MinHash signatures say so
(see `ragassay.text.near_duplicates`)."""

import numpy as np

from ragassay.studies.poisoning.defences.defence import Criterion, Defence, Judgement
from ragassay.text.near_duplicates import plain, signatures, similarity

FIRST_WORDS = 300


class Kind(Defence):
    SETTINGS = {"similarity": 1.0}

    def judge(self, passages):
        limit = self.settings["similarity"]
        hashes = signatures([passage["text"] for passage in passages], FIRST_WORDS)[:, 0]
        words = [plain(passage["text"]).split() for passage in passages]
        highest = np.zeros(len(passages))  # to a better passage
        for at in range(1, len(passages)):
            if limit < 1:
                highest[at] = similarity(hashes[at], hashes[:at]).max()
            else:
                highest[at] = words[at] in words[:at]
        judgements = []
        for score in highest.tolist():
            reason = "duplicate" if score >= limit else None
            judgements.append(Judgement(bool(reason), score, reason, (Criterion("duplicate", score, limit),)))
        return judgements
