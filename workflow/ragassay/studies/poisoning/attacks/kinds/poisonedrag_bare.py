"""PoisonedRAG's texts alone: they state the wrong answer, and nothing makes them look like the question."""

from ragassay.studies.poisoning.attacks.attack import Attack, Poison


class Kind(Attack):
    SETTINGS = {"texts": 5}

    def poison(self, targets):
        for target in targets:
            for text in target["texts"][: self.settings["texts"]]:
                yield Poison(target["target_id"], text)
