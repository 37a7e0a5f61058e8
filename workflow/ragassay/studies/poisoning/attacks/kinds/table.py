"""Texts that somebody wrote, from a table: all of them, or the first `texts` of each target. What their author knows is
the setting `knows`."""

from ragassay.studies.poisoning.attacks.attack import QUESTION, TEXTS, Attack


class Kind(Attack):
    SETTINGS = {"texts": None, "knows": QUESTION}
    NEEDS = (TEXTS,)

    @property
    def knows(self):
        return self.settings.get("knows", self.KNOWS)

    def poison(self, targets):
        for target in targets:
            yield from self.tools.texts.get(target["target_id"], [])[: self.settings["texts"]]
