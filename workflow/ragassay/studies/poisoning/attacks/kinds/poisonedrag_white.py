"""PoisonedRAG with the retriever's weights: the question in front is optimised token by token (HotFlip) to raise its
similarity to the question, then comes the wrong answer."""

from ragassay.studies.poisoning.attacks.attack import RETRIEVER, Attack, Poison


class Kind(Attack):
    SETTINGS = {"texts": 5, "steps": 30, "candidates": 100, "targets": None, "seed": 0, "retriever": None}
    NEEDS = (RETRIEVER,)

    def poison(self, targets):
        return self.tools.finished.each(targets, self._make)

    def _make(self, target):
        retriever, settings, question = self.tools.retriever, self.settings, target["question"]
        drafts = [retriever.draft(question, f" {text}") for text in target["texts"][: settings["texts"]]]
        seed = f"{settings['seed']} {target['target_id']}"
        directions = retriever.questions([question])
        climbed = retriever.climb(drafts, directions, settings["steps"], settings["candidates"], seed)
        return [Poison(target["target_id"], draft.text, forwards=draft.forwards) for draft in climbed]
