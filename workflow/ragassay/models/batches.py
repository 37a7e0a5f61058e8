"""Put texts of like length together, so that little of a batch is padding; and how long a text a model reads. Knows
lengths only, no texts."""

from collections.abc import Iterator

import numpy as np

PADDING = 1 / 16  # of the longest row


def batches(
    lengths: list[int], budget: int, enough: int | None = None, short: int | None = None
) -> Iterator[list[int]]:
    """Positions, the longest text first, so that too little memory shows at once; rows x longest row is at most
    `budget` tokens, or one row. With `enough` tokens a batch ends where the next text is shorter by more than a
    sixteenth, since padding then costs more than another batch. Texts of up to `short` tokens come first and stand in
    no batch with longer ones. The same lengths always give the same batches.
    """
    batch, widest, is_long = [], 0, [short is not None and length > short for length in lengths]
    for position in sorted(range(len(lengths)), key=lambda position: (is_long[position], -lengths[position])):
        shorter = enough and len(batch) * widest >= enough and lengths[position] < widest * (1 - PADDING)
        longer = batch and is_long[position] != is_long[batch[0]]
        if batch and (shorter or longer or (len(batch) + 1) * widest > budget):
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


def positions(config) -> int | None:
    """How many tokens a model has positions for, if its configuration says so."""
    count = getattr(config, "max_position_embeddings", None)
    if count and config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        return count - 2  # they begin to count behind the padding token
    return count


def short_texts(config) -> int | None:
    """The longest text that uses the short RoPE factors; None where all texts use the same ones. All tokens of a batch
    use the same factors, so that long and short texts run apart.
    """
    ropes = getattr(config, "rope_parameters", None) or {}  # of all layers, or of each type of them
    parts = [part for part in (ropes, *ropes.values()) if isinstance(part, dict)]
    longropes = [part for part in parts if part.get("rope_type") == "longrope"]
    return min((part["original_max_position_embeddings"] for part in longropes), default=None)
