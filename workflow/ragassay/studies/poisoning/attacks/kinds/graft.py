"""The best clean passages of a question, each with one planted text behind it: they are found as before, and look like
the corpus but for their end."""

from ragassay.studies.poisoning.attacks.attack import CORPUS, RETRIEVED, Attack, Poison


class Kind(Attack):
    SETTINGS = {"texts": 1}
    NEEDS = (RETRIEVED,)
    KNOWS = CORPUS

    def poison(self, targets):
        for target in targets:
            passages = self.tools.retrieved.get(target["target_id"], [])[: self.settings["texts"]]
            for passage, text in zip(passages, target["texts"], strict=False):
                yield Poison(target["target_id"], f"{passage['text'].rstrip()} {text}", passage["passage_id"])
