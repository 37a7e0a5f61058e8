"""Passages of the corpus itself with the right answer exchanged for the wrong one, and nothing else: what is left to
see if an attack has no style of its own. Without a passage that gives the answer among those retrieved, there is none.
"""

from ragassay.grading.matches import exchanged
from ragassay.studies.poisoning.attacks.attack import CORPUS, RETRIEVED, Attack, Poison


class Kind(Attack):
    SETTINGS = {"texts": 5}
    NEEDS = (RETRIEVED,)
    KNOWS = CORPUS

    def poison(self, targets):
        for target in targets:
            made = 0
            for passage in self.tools.retrieved.get(target["target_id"], []):
                text = exchanged(passage["text"], target["answers"], target["target"])
                if text and made < self.settings["texts"]:
                    made += 1
                    yield Poison(target["target_id"], text, made_from=passage["passage_id"])
