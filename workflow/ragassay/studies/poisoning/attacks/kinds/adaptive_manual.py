"""Texts that somebody wrote against a certain defence, from a table; the study cannot make them itself."""

from ragassay.studies.poisoning.attacks.attack import TEXTS, Attack, Poison


class Kind(Attack):
    SETTINGS = {"texts": 5}
    NEEDS = (TEXTS,)

    def poison(self, targets):
        for target in targets:
            for text in self.tools.texts.get(target["target_id"], [])[: self.settings["texts"]]:
                yield Poison(target["target_id"], text.text, calls=text.calls)
