"""A RAG service: asked by the last message alone, at the address that the configuration names or as a function in this
environment. The raw reply is handed on as it came, so that the ledger keeps the retrieved passages, too. Redirects are
not followed, and a reply of more than LONGEST_REPLY bytes is not read to its end.

A reply is JSON, a stream of events, or the answer itself; the configuration says where answer, passages and cost stand
in it. Nothing is guessed: a path that leads to nothing, or to something else, is a `Failure` that names the path and
what is there instead."""

import asyncio
import concurrent.futures
import hashlib
import importlib
import inspect
import json
import math
import sys
import threading
from pathlib import Path

from yarl import URL

from ragassay.base.code_version import WORKFLOW, module_version
from ragassay.base.errors import json_of
from ragassay.base.terminal import printable, shown
from ragassay.calls import model
from ragassay.calls.model import Answer, Failure, Model, ModelError, Usage
from ragassay.calls.wire.clients import Fast, failure_of_reply, key_in
from ragassay.calls.wire.failures import failure_in_reply
from ragassay.calls.wire.json_paths import compiled
from ragassay.calls.wire.replies import completion
from ragassay.text.characters import replaced

LONGEST_REPLY = 10_000_000  # bytes
QUESTION, KEY = "{question}", "{key}"
STREAM_STARTS = ("data:", "event:", "id:", "retry:", ":")
PASSAGE_FIELDS = ("text", "id", "score", "source")


class Provider(model.Provider):
    one_sample = True

    def __init__(self, settings: Model):
        super().__init__(settings)
        self.settings, self.poster, self.function, self.server = settings.service, None, None, None
        self.source = f"from {settings.base_url or self.settings['function']}"
        self.headers = self._headers()

    def identity(self):
        """All that is sent but the key, and the version that the user gives; not how the reply is read."""
        asked = {name: self.settings[name] for name in ("kind", "method", "headers", "body", "function")}
        if module := self.settings["local_server"]:
            asked |= {"code": module_version(module, WORKFLOW), "settings": self.settings["local_settings"]}
            if inputs := self.settings["local_inputs"]:
                asked["inputs"] = [_digest(path) for path in inputs]
        return super().identity() | {"endpoint": (self.model.base_url or "").partition("://")[2], **asked}

    async def send(self, messages, sampling, samples):
        question = messages[-1]["content"]
        if self.function:
            return await self._call(question), {}
        body = filled(self.settings["body"], question)
        if self.settings["kind"] == "chat":
            body = {"messages": [{"role": "user", "content": question}], **body}
        try:
            status, headers, text = await self.poster.post(body, self.settings["method"])
        except Failure as failure:
            failure.detail = failure.detail.replace("base_url", f"{self.model.place}.address")
            raise
        if not 200 <= status < 300:
            raise failure_of_reply(status, headers, text, self.source, self.model)
        return text, {}

    def read(self, body):
        paths, place = self.settings["reply"], self.model.place
        if error := error_in(body, paths["error"], place):
            raise failure_in_reply(error, self.source, self.model, lost=True)
        if self.settings["kind"] != "chat":
            return read_reply(body, paths, place)
        [answer, *_], _ = completion(body, lambda error, lost: failure_in_reply(error, self.source, self.model, lost))
        if answer.finish_reason == "error":
            raise Failure("broken off", "the answer was broken off", again=True, lost=True, refused="provider_error")
        return _with_passages(answer.text, parsed(body, place), paths, place)

    def open(self):
        if self.poster or self.function:
            return
        if self.settings["kind"] == "python":
            self.function = _imported(self.settings["function"], f"{self.model.place}.function")
            return
        address = URL(self.model.base_url)
        if self.settings["local_server"]:
            local = _imported(f"{self.settings['local_server']}:LocalService", f"{self.model.place}.local_server")
            server = local(self.settings["local_settings"])
            address, self.server = address.with_port(server.__enter__().port), server
        self.poster = Fast(self.model.base_url, str(address), self.headers, LONGEST_REPLY, direct=bool(self.server))
        self.poster.open()

    async def close(self):
        if self.poster:
            await self.poster.close()
        if self.server:
            self.server.__exit__(None, None, None)

    async def _call(self, question):
        try:
            if inspect.iscoroutinefunction(self.function):
                returned = await self.function(question)
            else:
                returned = await _in_thread(self.function, question)
            return json.dumps(returned)
        except Exception as error:
            detail = f"{self.settings['function']} raised {type(error).__name__}: {' '.join(str(error).split())[:300]}"
            raise Failure("function", detail, again=False, lost=True, refused="provider_error") from error

    def _headers(self):
        variable, headers = self.model.key_variable, self.settings["headers"]
        if not variable:
            return headers
        key = key_in(variable, self.model.place, needed=self.model.mode != "replay")
        if not any(KEY in value for value in headers.values()):
            headers = {**headers, "Authorization": f"Bearer {KEY}"}
        return {name: value.replace(KEY, key) for name, value in headers.items()}


async def _in_thread(function, question):
    """What the function returns, from a thread that keeps no process alive: it may never end."""
    done = concurrent.futures.Future()
    done.set_running_or_notify_cancel()

    def work():
        try:
            done.set_result(function(question))
        except Exception as error:  # noqa: BLE001  it belongs to those who wait
            done.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return await asyncio.wrap_future(done)


def filled(value, question: str):
    """The body with the question in its texts."""
    if isinstance(value, dict):
        return {name: filled(inner, question) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, question) for inner in value]
    return value.replace(QUESTION, question) if isinstance(value, str) else value


def _digest(path):
    """Of a file, or of all files below a folder; nothing if it was not made, as where a run is only estimated."""
    files = sorted(file for file in [Path(path), *Path(path).rglob("*")] if file.is_file())
    contents = [f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}" for file in files]
    return hashlib.sha256("\n".join(contents).encode()).hexdigest() if files else ""


def _imported(name, place):
    module, _, attribute = name.partition(":")
    if (folder := str(Path.cwd())) not in sys.path:
        sys.path.append(folder)
    try:
        imported = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        problem = f"found {name!r}, which cannot be imported ({type(error).__name__}: {str(error)[:200]})"
        raise ModelError(f"{place}: {problem}; expected module:function of this environment") from error
    if not callable(imported):
        raise ModelError(f"{place}: found {name!r}, which is no function")
    return imported


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


def read_reply(body: str, paths: dict, place: str) -> tuple[list[Answer], Usage]:
    """The answer, with its passages, and what it cost; `place` is where the configuration has the service."""
    if paths["answer"] is None and not body.lstrip().startswith(STREAM_STARTS):
        return [Answer(replaced(body), "stop")], Usage()
    values = parsed(body, place)
    answer = _answer(values, paths["answer"], f"{place}.reply.answer")
    return _with_passages(replaced(answer), values, paths, place)


def _with_passages(text, values, paths, place):
    passages = None if paths["passages"] is None else tuple(_passages(values, paths, f"{place}.reply"))
    return [Answer(text, "stop", passages=passages)], Usage(dollars=_cost(values, paths["cost"], f"{place}.reply.cost"))


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
