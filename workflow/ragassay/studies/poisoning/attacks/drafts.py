"""Texts that an attack changes token by token: the first tokens may change, what stands behind them stays.

A draft is only ever what an encoder really reads: its text, cut into tokens, gives exactly the tokens that were scored.
Special tokens, those that were never trained and those that cannot be printed are not used.
"""

import re
from typing import NamedTuple

import numpy as np

from ragassay.studies.poisoning.attacks.poison import AttackError

MARKS = ("##", "\u0120", "\u2581")  # of tokens that go on a word, or begin one
FORM = re.compile(r"[\[<].*[\]>]")  # of tokens that stand for something else than their letters
SETTLING = 5  # times that a beginning is decoded and cut again


class Draft(NamedTuple):
    """`tokens` are those of the whole text, special ones included; `count` of them from `first` on may change."""

    text: str
    tokens: np.ndarray
    first: int
    count: int
    tail: str


class Drafter:
    """Makes and changes drafts for an encoder; `prefix` is what the retriever puts before every passage."""

    def __init__(self, kind, prefix: str = ""):
        self.kind, self.prefix, self.tokenizer = kind, prefix, kind.writer
        self.usable = np.array(usable(self.tokenizer))
        special = set(self.tokenizer.all_special_ids)
        leading = next((at for at, token in enumerate(self._cut(["x"])[0]) if token not in special), 0)
        self.first = leading + len(self.tokenizer(prefix, add_special_tokens=False)["input_ids"])

    def draft(self, front: str, tail: str = "", count: int | None = None) -> Draft:
        """A beginning that may change, by the tokens that it has, at most `count`, and what stands behind it."""
        allowed = set(self.usable.tolist())
        tokens = [token for token in self._plain(front) if token in allowed][:count]
        for _ in range(SETTLING):
            text = self.tokenizer.decode(tokens)
            row = self._cut([text + tail])[0]
            if tokens and row[self.first : self.first + len(tokens)] == tokens:
                return Draft(text + tail, np.array(row, np.int32), self.first, len(tokens), tail)
            tokens = self._plain(text)
        raise AttackError(f"found no way to write {front!r} that is read as the same tokens; try another beginning")

    def changes(self, draft: Draft, position: int, tokens: list[int], most: int) -> list[Draft]:
        """Drafts with another token at this position, the first `most` whose texts are cut into the same tokens."""
        rows = np.repeat(draft.tokens[None], len(tokens), axis=0)
        rows[:, position] = tokens
        end = draft.first + draft.count
        texts = [front + draft.tail for front in self.tokenizer.batch_decode(rows[:, draft.first : end])]
        found = []
        for text, row, again in zip(texts, rows, self._cut(texts), strict=True):
            if len(again) == len(row) and (row == again).all():
                found.append(draft._replace(text=text, tokens=row))
        return found[:most]

    def _plain(self, text):
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    def _cut(self, texts):
        return self.kind.tokens([self.prefix + text for text in texts])


def usable(tokenizer) -> list[int]:
    """The tokens that an attack may write."""
    special, found = set(tokenizer.all_special_ids), []
    names = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    for token, text in enumerate(tokenizer.batch_decode([[number] for number in range(len(tokenizer))])):
        letters, name = text.strip().removeprefix(MARKS[0]), names[token].lstrip("".join(MARKS[1:]))
        readable = letters and letters.isprintable() and "\ufffd" not in letters
        if readable and token not in special and not FORM.fullmatch(name):
            found.append(token)
    return found
