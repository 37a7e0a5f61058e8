"""Put the prompts of one document together, so that their common beginning is computed once. A row holds the
beginning and, one behind the other, what is left of each prompt: the pieces. Each counts its positions on from the
beginning and sees nothing of the others, so that a model computes what it would for the prompt alone."""

from dataclasses import dataclass

import numpy as np

PADDING = -1  # the owner of a place without a piece; pieces count from 0


@dataclass(frozen=True)
class PackedRow:
    """A common beginning and pieces that follow it, each the rest of one prompt."""

    beginning: list[int]
    pieces: list[list[int]]
    prompts: list[int]  # which prompt each piece is of

    def __len__(self):
        return len(self.beginning) + sum(map(len, self.pieces))

    def places(self, position: int) -> list[int]:
        """Where each prompt has its token at `position`, which from its end if negative: below 0 in the beginning,
        counted from its end, else among the pieces.
        """
        places, start, shared = [], 0, len(self.beginning)
        for piece in self.pieces:
            length = shared + len(piece)
            at = position + length if position < 0 else position
            if not 0 <= at < length:
                raise IndexError(f"position {position} in a prompt of {length} tokens")
            places.append(at - shared if at < shared else start + at - shared)
            start += len(piece)
        return places


def rows(prompts: list[list[int]], group: list[int], budget: int) -> list[PackedRow]:
    """The rows of the prompts that `group` names, which are those of one document. A row holds at most `budget` tokens,
    or as many of pieces as of the beginning, so that at least half of what can be shared is.
    """
    beginning = prompts[group[0]][: _common([prompts[number] for number in group])]
    room, packed, used = max(budget - len(beginning), len(beginning)), [], 0
    for number in group:
        piece = prompts[number][len(beginning) :]
        if not packed or used + len(piece) > room:
            packed.append(PackedRow(beginning, [], []))
            used = 0
        packed[-1].pieces.append(piece)
        packed[-1].prompts.append(number)
        used += len(piece)
    return packed


def _common(prompts):
    """How many tokens all begin with; each keeps at least one of its own, and one prompt alone all of them."""
    if len(prompts) == 1:
        return 0
    first, last = min(prompts), max(prompts)  # what the extremes share, all share
    shared = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return min(shared, min(map(len, prompts)) - 1)


def pieces(packed: list[PackedRow], pad: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tokens, positions and owners of the pieces of rows side by side, filled up on the right."""
    width = max(sum(map(len, row.pieces)) for row in packed)
    tokens = np.full((len(packed), width), pad, np.int64)
    positions, owners = np.zeros_like(tokens), np.full_like(tokens, PADDING)
    for number, row in enumerate(packed):
        start, lengths = len(row.beginning), list(map(len, row.pieces))
        filled = slice(0, sum(lengths))
        tokens[number, filled] = [token for piece in row.pieces for token in piece]
        positions[number, filled] = np.concatenate([np.arange(start, start + length) for length in lengths])
        owners[number, filled] = np.repeat(np.arange(len(lengths)), lengths)
    return tokens, positions, owners
