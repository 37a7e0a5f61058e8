"""A model that answers from passages, as an attacker sees it who has its weights: how probable an answer is, and which
tokens of a passage would make it more so.
"""

from functools import cached_property

import numpy as np

from ragassay.calls.prompts import Prompt
from ragassay.models.likelihood import steering
from ragassay.models.likelihood.scorer import Scorer
from ragassay.models.local import LocalModel
from ragassay.studies.poisoning.attacks.drafts import usable


class AttackedReader:
    """`entry` is the model's in the configuration; with `in_lines`, passages stand in one text, a line each."""

    def __init__(self, name: str, entry: dict, prompt, in_lines: bool):
        self.local = LocalModel(f"model {name}", entry)
        self.prompt, self.in_lines = Prompt.load(prompt), in_lines

    @property
    def identity(self) -> dict:
        return {"reader": self.local.identity, "prompt": self.prompt.digest, "in_lines": self.in_lines}

    @cached_property
    def _scorer(self):
        return Scorer(self.local)

    @cached_property
    def _usable(self):
        return np.array(usable(self.local.tokenizer))

    def log_likelihoods(self, question: str, passages: list[list[str]], answer: str) -> np.ndarray:
        """Of the answer to the question from each list of passages."""
        prompts = [self._rendered(question, own) for own in passages]
        answers = [_behind(prompt, answer) for prompt in prompts]
        return np.array([one.total for one in self._scorer.of(answers, prompts)])

    def says(self, question: str, passages: list[str], answer: str) -> bool:
        """Whether its likeliest answer begins with this one."""
        prompt = self._rendered(question, passages)
        return steering.says(self._scorer, _behind(prompt, answer), prompt)

    def promising(self, question: str, passage: str, part: slice, answer: str, count: int) -> tuple[list, np.ndarray]:
        """The tokens of a part of the only passage, and for each the tokens that would make the answer most probable in
        its place: tokens x count, the best first.
        """
        prompt = self._rendered(question, [passage])
        at = prompt.index(passage)
        found = steering.steering(self._scorer, _behind(prompt, answer), prompt, (at + part.start, at + part.stop))
        best = found.promised[:, self._usable].topk(min(count, len(self._usable)), dim=1).indices.numpy()
        return found.tokens.tolist(), self._usable[best]

    def written(self, tokens: list[int]) -> str:
        """The text of some tokens, with single blanks."""
        return " ".join(self.local.tokenizer.decode(tokens).split())

    def _rendered(self, question, passages):
        shown = "\n".join(" ".join(text.split()) for text in passages) if self.in_lines else passages
        return self.local.prompt(self.prompt.messages(passages=shown, question=question))


def _behind(prompt, answer):
    return answer if prompt[-1:].isspace() else f" {answer}"
