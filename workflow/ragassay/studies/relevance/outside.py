"""What is asked most outside of a corpus: groups of rejected questions with similar words, the largest first, each with
examples. So a reader sees which documents are missing, those that would help most first."""

from collections import Counter
from collections.abc import Iterator

from ragassay.text.topics import TopicError, topics

SHOWN = 5  # questions of a topic
EACH = 3  # different questions for each topic, at least


def most_asked(corpus: str, outside: list[tuple[str, str]], most: int, seed: int) -> Iterator[list[dict]]:
    """At most so many groups, each as rows of examples without their number. `outside` are texts, each with what it is,
    such as a question.
    """
    if not outside or not most:
        return
    texts = [text for text, _ in outside]
    count = min(most, max(1, len(set(texts)) // EACH))
    try:
        labels, names = topics(texts, count, seed, most_common=1.0)
    except TopicError:  # there is no word in them by which they differ
        labels, names = [0] * len(texts), ["questions without words"]
    for topic, size in Counter(map(int, labels)).most_common():
        members = Counter(pair for pair, label in zip(outside, labels, strict=True) if label == topic)
        title = f"{size} of {len(texts)} questions outside of {corpus}: {names[topic]}"
        yield [
            {"position": position, "title": title, "part": part, "text": text}
            for position, ((text, part), _) in enumerate(members.most_common(SHOWN), 1)
        ]


def numbered(section: str, groups: list[list[dict]]) -> list[dict]:
    """The rows of the table examples of a section."""
    return [row | {"study": section, "example": at} for at, group in enumerate(groups, 1) for row in group]
