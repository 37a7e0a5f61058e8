"""When an article was published, as far as its sources agree (the feed's entry, JSON-LD, meta tags, the address);
nothing is guessed. A date counts only where at least two name the same day in UTC and none contradicts; one without a
known zone may be a day off. The first full time with its zone is taken, in the order of SOURCES; without one the
earliest day, with precision `day`."""

import datetime
import re
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlsplit

SOURCES = ("json_ld", "meta", "feed", "url")
FIRST_YEAR = 1990  # before the web: what stands there is a default of some program, such as 1970-01-01
ZONES_AHEAD = datetime.timedelta(hours=14)  # how far the clocks of the earliest zone are ahead of UTC
ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)\s?(Z|[+-]\d\d:?\d\d|[+-]\d\d|[A-Za-z]{2,5})?)?",
    re.ASCII,
)
MAIL = re.compile(
    r"(?:[A-Za-z]{3,9},?\s+)?\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{4}"
    r"\s+\d\d?:\d\d(?::\d\d)?(?:\s+(?:[+-]\d{4}|[A-Za-z]{1,5}))?",
    re.ASCII,
)
MONTHS = {name: month for month, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
IN_PATH = re.compile(
    r"/(\d{4})/(\d{1,2}|[a-z]{3})/(\d{1,2})(?=/|$)|(?<=[/_-])(\d{4})-(\d\d)-(\d\d)(?=[/_.-]|$)", re.ASCII
)


class Moment(NamedTuple):
    """What one source says: a time in UTC, or a day somewhere on earth."""

    day: datetime.date
    time: datetime.datetime | None


class Dated(NamedTuple):
    """The date with the sources that agree, or the reason why there is none."""

    published_at: datetime.datetime | None
    sources: tuple[str, ...]
    reason: str | None
    precision: str | None = None


def date_of(feed: str | None, dates: dict, url: str, fetched_at: datetime.datetime) -> Dated:
    """The date of a page from its feed's entry, what `metadata` found, and its address; with reason future_date,
    dates_disagree, one_source, invalid_date or no_date if it has none.
    """
    raw = {"feed": [feed or ""], "json_ld": dates.get("json_ld", []), "meta": dates.get("meta", [])}
    read = {source: [moment for text in raw.get(source, []) if (moment := parsed(text))] for source in SOURCES}
    read["url"] = [moment] if (moment := in_path(url)) else []
    read["meta"] = read["meta"][:1]  # in the order of their worth; dc.date behind published_time may be any date
    moments = [(source, moment) for source in SOURCES for moment in read[source]]
    sources = tuple(source for source in SOURCES if read[source])
    if any(is_future(moment, fetched_at) for _, moment in moments):
        return Dated(None, (), "future_date")
    if not all(agree(first, other) for _, first in moments for _, other in moments):
        return Dated(None, (), "dates_disagree")
    if len(sources) < 2:
        given = any(text.strip() for texts in raw.values() for text in texts)
        return Dated(None, (), "one_source" if sources else "invalid_date" if given else "no_date")
    exact = next((moment.time for _, moment in moments if moment.time), None)
    day = min(moment.day for _, moment in moments)
    first = datetime.datetime.combine(day, datetime.time(), datetime.UTC)
    return Dated(exact or first, sources, None, "time" if exact else "day")


def agree(first: Moment, other: Moment) -> bool:
    """The same day in UTC; a day of slack where the zone of one is not known."""
    return abs((first.day - other.day).days) <= (0 if first.time and other.time else 1)


def is_future(moment: Moment, fetched_at: datetime.datetime) -> bool:
    """Later than the page was fetched, in every zone that it can have been written in."""
    if moment.time:
        return moment.time > fetched_at
    return moment.day > (fetched_at.astimezone(datetime.UTC) + ZONES_AHEAD).date()


def in_window(published_at: datetime.datetime, first_day: str | None, last_day: str | None) -> bool:
    """Whether the day in UTC lies between two days such as 2026-09-01, both included; an empty one sets no limit."""
    day = published_at.astimezone(datetime.UTC).date()
    first, last = (datetime.date.fromisoformat(text) if text else None for text in (first_day, last_day))
    return (first is None or first <= day) and (last is None or day <= last)


def parsed(text: str) -> Moment | None:
    """A date in the forms of ISO 8601 or of mail headers; None for everything else."""
    text = " ".join(text.split())
    try:
        if form := ISO.fullmatch(text):
            day, time, zone = form.groups()
            zone = zone if zone and not zone.isalpha() else "Z" if zone in ("Z", "UTC", "GMT") else ""
            moment = datetime.datetime.fromisoformat(f"{day}T{time}{zone}" if time else day)
        elif MAIL.fullmatch(text):
            moment = parsedate_to_datetime(text)  # knows GMT and the zones of mail; others stay without
        else:
            return None
        return _moment(moment)
    except (ValueError, OverflowError):
        return None


def _moment(moment):
    if moment.year < FIRST_YEAR:
        return None
    if moment.tzinfo is None:
        return Moment(moment.date(), None)
    time = moment.astimezone(datetime.UTC).replace(microsecond=0)
    return Moment(time.date(), time)


def in_path(url: str) -> Moment | None:
    """The day in an address such as /2026/09/22/, /2026/sep/22/ or /title-2026-09-22, if there is exactly one."""
    days = set()
    for match in IN_PATH.finditer(urlsplit(url).path.lower()):
        year, month, day = match.group(1, 2, 3) if match[1] else match.group(4, 5, 6)
        try:
            days.add(datetime.date(int(year), MONTHS.get(month) or int(month), int(day)))
        except ValueError:
            continue
    return Moment(days.pop(), None) if len(days) == 1 and min(days).year >= FIRST_YEAR else None
