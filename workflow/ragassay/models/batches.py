"""Put texts of like length together, so that little of a batch is padding. Knows lengths only, no texts."""

from collections.abc import Iterator

import numpy as np

PADDING = 1 / 16  # of the longest row


def batches(lengths: list[int], budget: int, enough: int | None = None) -> Iterator[list[int]]:
    """Positions, the longest text first, so that too little memory shows at once; rows x longest row is at most
    `budget` tokens, or one row. With `enough` tokens a batch ends where the next text is shorter by more than a
    sixteenth, since padding then costs more than another batch. The same lengths always give the same batches.
    """
    batch, widest = [], 0
    for position in sorted(range(len(lengths)), key=lambda position: -lengths[position]):
        shorter = enough and len(batch) * widest >= enough and lengths[position] < widest * (1 - PADDING)
        if batch and (shorter or (len(batch) + 1) * widest > budget):
            yield batch
            batch = []
        widest = widest if batch else max(1, lengths[position])
        batch.append(position)
    if batch:
        yield batch


def padded(rows: list[np.ndarray], pad: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of tokens side by side, filled up on the right, and a mask that is 1 where there are tokens."""
    width = max(1, *(len(row) for row in rows)) if rows else 1
    tokens = np.full((len(rows), width), pad, np.int64)
    mask = np.zeros((len(rows), width), np.int64)
    for number, row in enumerate(rows):
        tokens[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return tokens, mask
