"""PoisonedRAG's texts alone: they state the wrong answer, and nothing makes them look like the question."""

from ragassay.studies.poisoning.attacks.attack import NOTHING, Attack


class Kind(Attack):
    SETTINGS = {"texts": 5}
    KNOWS = NOTHING

    def texts(self, target):
        return target["texts"]
