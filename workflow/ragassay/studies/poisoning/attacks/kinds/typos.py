"""The texts of PoisonedRAG with typos, such as people make, in half of the question's words of four letters and more:
an encoder overlooks many of them, and what counts words does not. Answers are spared. A typo is a neighbouring key, two
letters exchanged inside a word, or its end left out."""

import numpy as np

from ragassay.grading.matches import normalized
from ragassay.studies.poisoning.attacks.attack import BLIND_SPOTS
from ragassay.studies.poisoning.attacks.kinds import poisonedrag_black

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
SHORTEST = 4  # letters of a word that may get a typo
LEFT = 3  # letters that a word keeps of which the end is left out


def _neighbours():
    places = {letter: (row, at) for row, letters in enumerate(ROWS) for at, letter in enumerate(letters)}
    return {
        letter: [other for other, there in places.items() if 0 < abs(there[0] - row) + abs(there[1] - at) < 2]
        for letter, (row, at) in places.items()
    }


NEIGHBOURS = _neighbours()


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


def typo(word: str, dice) -> str:
    """The word with one typo; `dice` is a generator of numpy's."""
    letters = [at for at, letter in enumerate(word) if letter.isalpha()]
    if len(letters) < SHORTEST:
        return word
    return (_key, _swapped, _shortened)[dice.integers(3)](word, letters, dice)


def may_change(words: list[str], answers: list[str]) -> list[int]:
    """Places of words that may get a typo: long enough, without figures, and in no answer."""
    protected = {part for answer in answers for part in normalized(answer)}
    return [at for at, word in enumerate(words) if _is_free(word, protected)]


def _is_free(word, protected):
    letters = sum(letter.isalpha() for letter in word)
    return letters >= SHORTEST and not any(letter.isdigit() for letter in word) and not protected & {*normalized(word)}


def _key(word, letters, dice):
    near = [at for at in letters if word[at].lower() in NEIGHBOURS]
    if not near:
        return word
    at = near[dice.integers(len(near))]
    other = NEIGHBOURS[word[at].lower()]
    other = other[dice.integers(len(other))]
    return word[:at] + (other.upper() if word[at].isupper() else other) + word[at + 1 :]


def _swapped(word, letters, dice):
    """The first letter stays, as where people exchange two."""
    inside = [at for at in letters[1:-1] if word[at + 1].isalpha() and word[at] != word[at + 1]]
    if not inside:
        return word
    at = inside[dice.integers(len(inside))]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _shortened(word, letters, dice):
    if len(letters) <= LEFT:
        return word
    end = letters[dice.integers(LEFT, len(letters))]
    return word[:end] + "".join(letter for letter in word[end:] if not letter.isalpha())
