"""A RAG service: asked by the last message alone, at the address that the configuration names or as a function in this
environment. The raw reply is handed on as it came, so that the ledger keeps the retrieved passages, too. Redirects are
not followed, and a reply of more than LONGEST_REPLY bytes is not read to its end."""

import asyncio
import concurrent.futures
import hashlib
import importlib
import inspect
import json
import sys
import threading
from pathlib import Path

from yarl import URL

from ragassay.base.code_version import WORKFLOW, module_version
from ragassay.calls import model
from ragassay.calls.model import Answer, Failure, Model, ModelError, Usage
from ragassay.calls.wire.clients import Fast, failure_of_reply, key_in
from ragassay.calls.wire.failures import failure_in_reply
from ragassay.calls.wire.replies import completion
from ragassay.calls.wire.service_replies import ServiceReply, beside_answer, error_in, parsed, read_reply

LONGEST_REPLY = 10_000_000  # bytes
QUESTION, KEY = "{question}", "{key}"


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
        reply = self.reply(body)
        return [Answer(reply.answer, "stop", passages=reply.passages)], Usage(dollars=reply.dollars)

    def reply(self, body: str) -> ServiceReply:
        """What a raw body holds; raises Failure."""
        paths, place = self.settings["reply"], self.model.place
        if error := error_in(body, paths["error"], place):
            raise failure_in_reply(error, self.source, self.model, lost=True)
        if self.settings["kind"] != "chat":
            return read_reply(body, paths, place)
        [answer, *_], _ = completion(body, lambda error, lost: failure_in_reply(error, self.source, self.model, lost))
        if answer.finish_reason == "error":
            raise Failure("broken off", "the answer was broken off", again=True, lost=True, refused="provider_error")
        return ServiceReply(answer.text, *beside_answer(parsed(body, place), paths, place))

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
