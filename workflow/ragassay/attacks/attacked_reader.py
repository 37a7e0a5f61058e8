"""A model that answers from passages, as an attacker sees it who has its weights: how probable an answer is."""

import numpy as np

from ragassay.likelihood.scorer import Scorer
from ragassay.llm.prompts import Prompt
from ragassay.weights.local import LocalModel


class AttackedReader:
    """`entry` is the model's in the configuration; with `in_lines`, passages stand in one text, a line each."""

    def __init__(self, name: str, entry: dict, prompt, in_lines: bool):
        self.local = LocalModel(f"model {name}", entry)
        self.prompt, self.in_lines, self._scorer = Prompt.load(prompt), in_lines, None

    @property
    def identity(self) -> dict:
        return {"reader": self.local.identity, "prompt": self.prompt.digest, "in_lines": self.in_lines}

    def log_likelihoods(self, question: str, passages: list[list[str]], answer: str) -> np.ndarray:
        """Of the answer to the question from each list of passages."""
        if self._scorer is None:
            self._scorer = Scorer(self.local)
        prompts = [self._rendered(question, own) for own in passages]
        answers = [answer if prompt[-1:].isspace() else f" {answer}" for prompt in prompts]
        return np.array([one.total for one in self._scorer.of(answers, prompts)])

    def _rendered(self, question, passages):
        shown = "\n".join(" ".join(text.split()) for text in passages) if self.in_lines else passages
        return self.local.prompt(self.prompt.messages(passages=shown, question=question))
