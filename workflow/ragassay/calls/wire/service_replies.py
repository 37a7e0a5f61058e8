"""Read what a RAG service replied: its answer, the passages that it retrieved, and what it cost, from where the
configuration says that they stand. A reply is JSON, a stream of events, or the answer itself. Nothing is guessed: a
path that leads to nothing, or to something else, is a `Failure` that names the path and what is there instead."""

import json
import math
from dataclasses import dataclass
from functools import lru_cache

from ragassay.base.errors import json_of
from ragassay.base.terminal import printable, shown
from ragassay.calls.model import Failure
from ragassay.text.characters import replaced

STREAM_STARTS = ("data:", "event:", "id:", "retry:", ":")
PASSAGE_FIELDS = ("text", "id", "score", "source")


@dataclass(frozen=True, slots=True)
class ServiceReply:
    """`passages` holds a mapping with text, id, score and source each; None where no path says where they stand."""

    answer: str
    passages: tuple[dict, ...] | None
    dollars: float | None


@lru_cache(maxsize=256)
def compiled(path: str):
    """A path that finds values; raises ValueError if it is none."""
    import jsonpath

    try:
        return jsonpath.compile(path)
    except jsonpath.JSONPathError as error:
        raise ValueError(f"no JSONPath ({str(error).splitlines()[0]})") from error


def parsed(body: str, place: str) -> list:
    """The values in a body: one, or one for each event of a stream."""
    text = body.lstrip("\ufeff \t\r\n")
    if text.startswith(STREAM_STARTS):
        # an event whose data is no JSON is a piece of text
        return [json_of(data, data, strict=False) for data in _data(text) if data != "[DONE]"]
    if text.startswith("<"):
        raise _unreadable("web page", f"a web page, expected JSON; correct {place}.address", text)
    try:
        return [json.loads(text, strict=False)]
    except (ValueError, RecursionError) as error:
        raise _unreadable("no JSON", f"no JSON ({error})", text) from error


def read_reply(body: str, paths: dict, place: str) -> ServiceReply:
    """Raises Failure; `place` is where the configuration has the service."""
    if paths["answer"] is None and not body.lstrip().startswith(STREAM_STARTS):
        return ServiceReply(replaced(body), None, None)
    values = parsed(body, place)
    answer = _answer(values, paths["answer"], f"{place}.reply.answer")
    return ServiceReply(replaced(answer), *beside_answer(values, paths, place))


def beside_answer(values: list, paths: dict, place: str) -> tuple[tuple[dict, ...] | None, float | None]:
    """Passages and cost in the values of a reply."""
    passages = None if paths["passages"] is None else tuple(_passages(values, paths, f"{place}.reply"))
    return passages, _cost(values, paths["cost"], f"{place}.reply.cost")


def error_in(body: str, path: str, place: str):
    """What a reply says went wrong, or None."""
    if not body.lstrip("\ufeff \t\r\n").startswith(("{", "[", *STREAM_STARTS)):
        return None
    errors = [error for value in parsed(body, place) for error in _values(path, value) if error]
    return errors[0] if errors else None


def _data(text):
    """The data of each event, as the standard of server-sent events puts its lines together."""
    for block in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        if lines:
            yield "\n".join(lines)


def _answer(values, path, place):
    texts = [value for value in values if isinstance(value, str)]  # a function may return the answer alone
    if path is not None:
        texts = [text for value in values for text in ([value] if isinstance(value, str) else _values(path, value))]
    streamed = len(values) > 1
    texts = [text for text in texts if not (streamed and text is None)]
    if not texts:
        raise _misplaced(place, path, "nothing", values)
    if not all(isinstance(text, str) for text in texts):
        raise _misplaced(place, path, shown(next(text for text in texts if not isinstance(text, str))), values)
    if len(texts) > 1 and not streamed:
        raise _misplaced(place, path, f"{len(texts)} texts", values)
    return "".join(texts)


def _passages(values, paths, place):
    places = [passage for value in values for passage in _values(paths["passages"], value)]
    if len(places) == 1 and isinstance(places[0], list):  # the path of the list, not of what is in it
        places = places[0]
    for number, passage in enumerate(places, 1):
        if isinstance(passage, str):
            yield {"text": replaced(passage), "id": None, "score": None, "source": None}
            continue
        fields = {name: next(iter(_values(paths[name], passage)), None) for name in PASSAGE_FIELDS}
        if not isinstance(fields["text"], str):
            there = "nothing" if fields["text"] is None else shown(fields["text"])
            raise _misplaced(f"{place}.text", paths["text"], f"{there} in passage {number}", [passage])
        names = {name: None if fields[name] is None else replaced(str(fields[name])) for name in ("id", "source")}
        yield {"text": replaced(fields["text"]), **names, "score": _number(fields["score"])}


def _cost(values, path, place):
    costs = [cost for value in values for cost in (_values(path, value) if path else ()) if cost is not None]
    if not costs:
        return None
    dollars = _number(costs[-1])
    if dollars is None or dollars < 0:
        raise _misplaced(place, path, shown(costs[-1]), values, "a number of dollars")
    return dollars


def _number(value):
    """A finite number, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _values(path, value):
    return compiled(path).findall(value) if isinstance(value, dict | list) else []


def _misplaced(place, path, there, values, expected="one text"):
    fields = ", ".join(map(repr, list(values[0])[:8])) if values and isinstance(values[0], dict) else ""
    has = f"the reply has the fields {fields}" if fields else "the reply has no fields"
    detail = f"found {there} at {path!r}, expected {expected}; {has}; correct {place}"
    return Failure("no answer", printable(detail), again=False, lost=True, refused="provider_error")


def _unreadable(kind, problem, text):
    detail = f"the reply is {problem}; it begins {text[:80]!r}"
    return Failure(kind, detail, again=False, lost=True, refused="provider_error")
