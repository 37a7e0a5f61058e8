"""The texts of PoisonedRAG with typos, such as people make, in half of the question's words of four letters and more:
an encoder overlooks many of them, and what counts words does not. Answers are spared."""

import numpy as np

from ragassay.studies.poisoning.attacks.attack import BLIND_SPOTS
from ragassay.studies.poisoning.attacks.kinds import poisonedrag_black
from ragassay.studies.poisoning.attacks.typos import may_change, typo


class Kind(poisonedrag_black.Kind):
    SETTINGS = {"texts": 5, "perturbation": 0.5, "seed": 0}
    KNOWS = BLIND_SPOTS

    def texts(self, target):
        seed = f"{self.settings['seed']} {target['target_id']}"
        dice, wrong = np.random.default_rng([*seed.encode()]), [target["target"], *target["target_aliases"]]
        made = []
        for text in target["texts"]:
            question = misspelt(target["question"], wrong, self.settings["perturbation"], dice)
            made += super().texts(target | {"question": question, "texts": [text]})
        return made


def misspelt(question: str, spared: list[str], share: float, dice) -> str:
    """The question with a typo in a share of the words that may have one, and in one at least."""
    words = question.split()
    free = may_change(words, spared)
    for at in dice.choice(free, max(1, round(share * len(free))), replace=False) if free else ():
        words[at] = typo(words[at], dice)
    return " ".join(words)
