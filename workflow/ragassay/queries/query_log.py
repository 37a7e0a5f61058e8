"""The user's log of queries: what was asked and when, from tables or from spans of OpenTelemetry. A row that cannot be
used comes back with its reason.

Of spans of a call to a model the last message of the user is the query. Messages stand in `gen_ai.input.messages`, in
an event of the span or, as some libraries write them, in an attribute each. A trace that sends the same message several
times, as agents do, asked it once. Spans without such attributes and of other operations, such as embeddings, are none.
"""

import datetime
import re
from collections.abc import Iterator
from typing import NamedTuple

from ragassay.base.errors import Unusable, json_of, one_item
from ragassay.base.terminal import shown
from ragassay.documents.documents import clean, moment
from ragassay.documents.sources import Columns, records

ZONE = re.compile(r"(Z|UTC|[+-]\d\d:?\d\d)\s*$|^\d+$")  # at the end of a time; seconds since 1970 have that of UTC


class LoggedQuery(NamedTuple):
    date: datetime.datetime
    text: str
    session: str | None = None  # what the log calls it
    zoned: bool = True  # whether the log says in which zone that was the time


def entries(
    files: list[str], columns: dict[str, str], date_format: str | None = None
) -> Iterator[tuple[str, LoggedQuery | Unusable]]:
    """The place of each row with what it says, or with what is wrong, in the order of the files."""
    date, text, session = (columns[name].strip().lower() for name in ("date", "text", "session"))
    seen = set()  # of traces
    for record in records(files, Columns((date, text, session, FIELD), (date, text))):
        place, fields = f"{record.file} row {record.row}", record.fields
        if record.reason:
            yield place, Unusable(record.reason, record.detail)
        elif FIELD in fields:
            for number, question in enumerate(questions(fields[FIELD], seen), 1):
                is_sound = not isinstance(question, Unusable)
                yield (
                    f"{place} span {number}",
                    _entry(LoggedQuery(*question), "startTimeUnixNano") if is_sound else question,
                )
        else:
            entry = LoggedQuery(*(fields.get(name) for name in (date, text, session)))
            yield place, _entry(entry, date, text, date_format)


def _entry(entry, date, text="text", date_format=None):
    """An entry from what the log has; `date` and `text` are what they are called there."""
    try:
        with one_item():
            if not (words := clean(str(entry.text or ""))):
                return Unusable("empty_text", f"found nothing in {text!r}, expected what was asked")
            moment_asked = moment(entry.date, date_format)
            session = None if entry.session is None else clean(str(entry.session)) or None
    except Unusable as error:
        return error
    if moment_asked is None:
        expected = "expected a value: each query of a log has its date"
        return Unusable("no_date", f"found nothing in {date!r}, {expected}")
    return LoggedQuery(moment_asked, words, session, _has_zone(entry.date))


def _has_zone(date):
    return date.tzinfo is not None if isinstance(date, datetime.datetime) else bool(ZONE.search(str(date)))


FIELD = "resourcespans"  # the key of a line that holds spans, as OTLP has it, in lower case
MESSAGES = "gen_ai.input.messages"
SESSIONS = "gen_ai.conversation.id", "session.id"  # what a conversation or a visit is called
MESSAGE = "gen_ai.user.message"  # an event that holds one message
EARLIER = "gen_ai.prompt"  # where earlier versions of the conventions have all messages
NUMBERED = re.compile(r"gen_ai\.prompt\.(\d+)\.(role|content)")
OPERATION, ASKING = "gen_ai.operation.name", ("chat", "text_completion", "generate_content", "invoke_agent")
REMEDY = "let your instrumentation record messages (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true)"


def questions(resources, seen: set) -> Iterator[tuple[datetime.datetime, str, str | None] | Unusable]:
    """Time, text and session of each span below `resourceSpans`, or what is wrong with it; `seen` holds the traces and
    texts of all before.
    """
    for span in _spans(resources):
        try:
            with one_item():
                attributes = _mapping(span.get("attributes"))
                events = [
                    (event.get("name"), _mapping(event.get("attributes"))) for event in _items(span.get("events"))
                ]
                names = [name for holder in (attributes, *(event for _, event in events)) for name in holder]
                if not any(name.startswith("gen_ai.") for name in [*names, *(str(name) for name, _ in events)]):
                    continue
                if attributes.get(OPERATION, ASKING[0]) not in ASKING:
                    continue
                session = next((attributes[name] for name in SESSIONS if name in attributes), None)
                question = _time(span), _last_of_user(span, _messages(attributes, events)), session
        except Unusable as error:
            yield error
            continue
        place = str(span.get("traceId") or ""), question[1]
        if place not in seen or not place[0]:
            seen.add(place)
            yield question


def _spans(resources):
    for resource in _items(resources):
        for scope in _items(resource.get("scopeSpans")):
            yield from _items(scope.get("spans"))


def _messages(attributes, events):
    """All messages, as pairs of role and text."""
    holders = [attributes, *(event for _, event in events)]
    for name in (MESSAGES, EARLIER):
        for holder in holders:
            if name in holder:
                yield from _read(holder[name])
    numbered = {}
    for name, value in attributes.items():
        if match := NUMBERED.fullmatch(name):
            numbered.setdefault(int(match[1]), {})[match[2]] = value
    for number in sorted(numbered):
        yield numbered[number].get("role"), _text(numbered[number])
    for name, event in events:
        if name == MESSAGE:
            yield "user", _text(event)


def _read(value):
    """The messages in an attribute: a list, or one as JSON; a text alone is the user's."""
    if isinstance(value, str):
        value = json_of(value, [{"role": "user", "content": value}])
    for message in _items(value if isinstance(value, list) else [value]):
        yield message.get("role"), _text(message)


def _text(message):
    """The text of a message: its content, or those of its parts that are text."""
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return content
    parts = [part.get("content", part.get("text")) for part in _items(content) if part.get("type", "text") == "text"]
    return "\n".join(part for part in parts if isinstance(part, str))


def _last_of_user(span, messages):
    texts = [text for role, text in messages if role == "user" and text.strip()]
    if not texts:
        expected = f"expected one in {MESSAGES!r}; {REMEDY}"
        raise Unusable("no_message", f"found no message of the user in the span {shown(span.get('name'))}, {expected}")
    return texts[-1]


def _time(span):
    nanoseconds = span.get("startTimeUnixNano")
    try:
        return datetime.datetime.fromtimestamp(int(nanoseconds) // 10**9, datetime.UTC)
    except (TypeError, ValueError, OverflowError, OSError) as error:
        expected = "expected nanoseconds since 1970"
        raise Unusable("bad_date", f"found {shown(nanoseconds)} in 'startTimeUnixNano', {expected}") from error


def _mapping(pairs):
    """Attributes as a dict: OTLP has a list of keys with typed values."""
    return {pair["key"]: _value(pair.get("value")) for pair in _items(pairs) if isinstance(pair.get("key"), str)}


def _value(typed):
    """A typed value of OTLP as Python has it."""
    if not isinstance(typed, dict):
        return None
    kind, inner = next(iter(typed.items()), ("", None))
    values = inner.get("values") if isinstance(inner, dict) else None
    if kind == "arrayValue":
        return [_value(item) for item in _items(values)]
    return _mapping(values) if kind == "kvlistValue" else inner


def _items(value):
    """The mappings in a list; nothing in anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
