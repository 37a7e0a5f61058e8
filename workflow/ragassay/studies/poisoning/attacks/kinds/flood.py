"""As many texts as a defence looks at, so that nothing clean is left to compare them with or to answer from. Where that
is more than a target has, each further one is two of them."""

from itertools import permutations

from ragassay.studies.poisoning.attacks.kinds import poisonedrag_black


class Kind(poisonedrag_black.Kind):
    SETTINGS = {"texts": 15}  # the default depth

    def texts(self, target):
        pairs = [" ".join(pair) for pair in permutations(target["texts"], 2)]
        return super().texts(target | {"texts": [*target["texts"], *pairs]})
