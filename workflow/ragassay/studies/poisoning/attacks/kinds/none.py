"""No attack: what every other is compared with."""

from ragassay.studies.poisoning.attacks.attack import Attack


class Kind(Attack):
    WANTS = None
    KNOWS = None

    def texts(self, target):
        return []
