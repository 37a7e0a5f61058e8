"""No defence: what every other is compared with."""

from ragassay.studies.poisoning.defences.defence import Defence


class Kind(Defence):
    pass
