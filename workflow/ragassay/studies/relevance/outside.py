"""What a gate says of many texts, and what is asked most outside of its corpus: groups of rejected questions with
similar words, the largest first, each with examples. So a reader sees which documents are missing, those that would
help most first."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ragassay.text.topics import TopicError, topics

TOGETHER = 4096  # texts that are searched for at once
SHOWN = 5  # questions of a topic
EACH = 3  # different questions for each topic, at least


def decisions(gate, texts: pa.ChunkedArray) -> dict:
    """value, p_value, rejected and passage_id, the nearest passage, of each text; the same texts are asked once."""
    coded = texts.combine_chunks().dictionary_encode()
    different, at = coded.dictionary.to_pylist(), coded.indices.to_numpy()
    parts = [gate.measure(different[start : start + TOGETHER]) for start in range(0, len(different), TOGETHER)]
    columns = {
        "value": np.concatenate([part.values for part in parts]),
        "p_value": np.concatenate([part.p_values for part in parts]),
        "rejected": np.concatenate([part.rejected for part in parts]),
    }
    nearest = pa.array([passages[0] if passages else None for part in parts for passages in part.passages], pa.string())
    return {name: values[at] for name, values in columns.items()} | {"passage_id": nearest.take(coded.indices)}


def groups(texts: list[str], most: int, seed: int) -> tuple[np.ndarray, list[str]]:
    """The group of each rejected question, at most so many, and what each is called."""
    count = min(most, max(1, len(set(texts)) // EACH))
    try:
        return topics(texts, count, seed, most_common=1.0)
    except TopicError:  # there is no word in them by which they differ
        return np.zeros(len(texts), int), ["questions without words"]


def most_asked(
    corpus: str, outside: list[tuple[str, str]], most: int, seed: int, before: int | None = None
) -> Iterator[list[dict]]:
    """At most so many groups, each as rows of examples without their number. `outside` are texts, each with what it is,
    such as a question; `before` is how many of them were asked before a drift, if there is one.
    """
    if not outside or not most:
        return
    labels, names = groups([text for text, _ in outside], most, seed)
    for topic, size in Counter(map(int, labels)).most_common():
        members = Counter(pair for pair, label in zip(outside, labels, strict=True) if label == topic)
        earlier = 0 if before is None else int((labels[:before] == topic).sum())
        when = "" if before is None else f", {earlier} before the drift and {size - earlier} since"
        title = f"{size} of {len(outside)} questions outside of {corpus}{when}: {names[topic]}"
        yield [
            {"position": position, "title": title, "part": part, "text": text}
            for position, ((text, part), _) in enumerate(members.most_common(SHOWN), 1)
        ]


def numbered(section: str, groups: list[list[dict]]) -> list[dict]:
    """The rows of the table examples of a section."""
    return [row | {"study": section, "example": at} for at, group in enumerate(groups, 1) for row in group]
