"""Make a model obey a command that a passage gives: words before it are exchanged to make what the command wants more
probable, as the generator part of Phantom is. Each step changes several tokens together, fewer whenever a step finds
nothing better.
"""

import numpy as np

FILLER = "!"
TOP = 64  # tokens that may be drawn for a place, the most promising


class Obedience:
    """`asked` are pairs of a question and what is to be said to it, from the passage alone."""

    def __init__(self, reader, asked: list[tuple[str, str]], front: str, command: str):
        self.reader, self.asked = reader, asked
        self.front, self.command = " ".join(front.split()), command
        self.forwards = 0

    def search(self, count: int, steps: int, candidates: int, seed: str) -> str:
        """The passage whose command is obeyed best."""
        dice = np.random.default_rng([*seed.encode()])
        best, together = " ".join([FILLER] * count), count
        [value] = self._values([best])
        for _ in range(steps):
            options = list(self._options(best, together, candidates, dice) - {best})
            values = self._values(options := sorted(options)) if options else [-np.inf]
            if max(values) > value:
                best, value = options[int(np.argmax(values))], max(values)
            else:
                together = max(1, together // 2)
        return self._passage(best)

    def _options(self, part, together, candidates, dice):
        """Texts like this one, with other tokens in some places, chosen by the gradients at one of the questions."""
        question, said = self.asked[dice.integers(len(self.asked))]
        start = len(self.front) + 1
        place = slice(start, start + len(part))
        tokens, promising = self.reader.promising(question, self._passage(part), place, said, TOP)
        self.forwards += 1
        found = set()
        for _ in range(candidates):
            changed = list(tokens)
            for at in dice.choice(len(tokens), min(together, len(tokens)), replace=False):
                changed[at] = int(dice.choice(promising[at]))
            found.add(self.reader.written(changed))
        return found - {""}

    def _values(self, parts):
        """The mean log-likelihood of what is to be said."""
        passages = [[self._passage(part)] for part in parts]
        self.forwards += len(parts) * len(self.asked)
        return np.mean([self.reader.log_likelihoods(ask, passages, said) for ask, said in self.asked], axis=0)

    def _passage(self, part):
        return f"{self.front} {part} {self.command}"
