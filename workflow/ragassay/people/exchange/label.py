"""A label in a file of another tool. Knows nothing about the forms of such files."""

from dataclasses import dataclass
from datetime import UTC, datetime

from ragassay.base.errors import AssayError

CENTURY_END = 4_102_444_800_000  # 2100 in milliseconds since 1970
SHOWN = ("item_id", "task", "group", "position", "title", "document", "question", "response")


class ExchangeError(AssayError):
    """A file of labels cannot be written or used; the message says where in it."""


@dataclass(frozen=True)
class Given:
    item: str
    annotator: str
    role: str
    label: str
    comment: str
    at: int  # milliseconds since 1970
    seconds: float | None
    where: str  # in the file, for messages


def moment(at: int) -> str:
    """As ISO 8601, to the millisecond."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def is_possible(at: int) -> bool:
    """Whether a label can be from that moment, and every tool can write it."""
    return 0 <= at < CENTURY_END


def milliseconds(text, where: str) -> int:
    """The moment that a text names; 0, for unknown, if it is empty."""
    if not text:
        return 0
    try:
        found = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        raise ExchangeError(
            f"{where}: found the time {text!r:.40}, expected one such as 2026-11-21T09:30:00Z"
        ) from None
    at = round((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000)
    if not is_possible(at):
        raise ExchangeError(f"{where}: found the time {text!r:.40}, expected one between 1970 and 2100")
    return at


def duration(value, where: str) -> float | None:
    """Seconds as a number; None if the text is empty."""
    if value in (None, ""):
        return None
    try:
        found = float(value)
    except (ValueError, TypeError, OverflowError):
        found = -1.0
    if not 0 <= found < 1e7:
        raise ExchangeError(f"{where}: found {value!r:.40} seconds, expected a number")
    return found
