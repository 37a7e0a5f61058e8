"""Two texts that an encoder reads as a pair, such as title and text, in one string, which has one key in the store.

A module of its own, so that jobs that only cut corpora load no model.
"""

BETWEEN = "\x1e"  # the record separator, which no cleaned text has


def pair(first: str, second: str) -> str:
    return f"{first}{BETWEEN}{second}"


def split(text: str) -> tuple[str, str | None]:
    """Both texts; the second is None if it is no pair."""
    first, between, second = text.partition(BETWEEN)
    return first, second if between else None
