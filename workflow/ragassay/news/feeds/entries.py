"""What a feed says, in a form that one process can send to another."""

import datetime
from dataclasses import asdict, dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Entry:
    """One page that a feed names."""

    url: str
    title: str
    published: str  # as written there, or empty
    published_at: datetime.datetime | None  # in UTC, where that can be read
    guid: str


class Feed(NamedTuple):
    entries: list[Entry]
    kind: str  # live, empty or not_a_feed
    detail: str  # why it is no feed, and how many entries had no usable link


def to_json(feed: Feed) -> dict:
    entries = [asdict(entry) for entry in feed.entries]
    for entry in entries:
        entry["published_at"] = entry["published_at"] and entry["published_at"].isoformat()
    return {"entries": entries, "kind": feed.kind, "detail": feed.detail}


def from_json(value: dict) -> Feed:
    moments = [entry["published_at"] for entry in value["entries"]]
    moments = [moment and datetime.datetime.fromisoformat(moment) for moment in moments]
    entries = [Entry(**entry | {"published_at": at}) for entry, at in zip(value["entries"], moments, strict=True)]
    return Feed(entries, value["kind"], value["detail"])
