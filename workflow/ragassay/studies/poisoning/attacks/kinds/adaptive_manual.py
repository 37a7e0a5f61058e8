"""Texts that somebody wrote against a certain defence, from a table; the study cannot make them itself."""

from ragassay.studies.poisoning.attacks.attack import TEXTS, Attack


class Kind(Attack):
    SETTINGS = {"texts": 5}
    NEEDS = (TEXTS,)

    def poison(self, targets):
        for target in targets:
            yield from self.tools.texts.get(target["target_id"], [])[: self.settings["texts"]]
