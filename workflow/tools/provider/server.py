"""The loopback server itself: which request goes to which part, what is written about it, when the process ends.

Serves OpenAI's routes below /v1 and Together's below /together/v1 on 127.0.0.1. Chat requests are numbered as they
come, and the requests to every other route by themselves. /control and /log/summary are for whoever runs the server:
they need no key and are not logged. Both flavours share files and batches.
"""

import asyncio
import json
import os
import signal
import sys
import threading
import traceback
import urllib.parse
from collections import Counter

from tools.provider.batches import Batches
from tools.provider.behaviour import Behaviour
from tools.provider.chat import Model, check
from tools.provider.files import Files
from tools.provider.http import Connection, Refused, Reply, Request
from tools.provider.limits import Limits, retry_headers
from tools.provider.log import Log, digest

CHAT = ("/v1/chat/completions", "/together/v1/chat/completions")
MESSAGES = {429: "Too many requests; come back later.", 503: "The engine is overloaded."}


class Server:
    def __init__(self, behaviour: Behaviour, log: Log):
        self.log, self.model, self.limits, self.files = log, Model(), Limits(), Files()
        self.batches = Batches(self.files, self.model, log)
        self.number = self.connections = 0
        self.attempts = Counter()  # key -> chat requests
        self.calls = Counter()  # other route -> requests
        self.base = ""
        self.become(behaviour)

    def become(self, behaviour: Behaviour) -> None:
        self.model.function(behaviour.respond)
        self.behaviour = behaviour

    def connection(self) -> Connection:
        self.connections += 1
        return Connection(self.handle)

    def handle(self, request: Request) -> Reply:
        try:
            if request.path in CHAT and request.method == "POST":
                return self.chat(request)
            if request.path in ("/control", "/log/summary"):
                return self.own(request)
            return self.other(request)
        except Exception:  # noqa: BLE001 - a fault of this server must not look like one that was asked for
            traceback.print_exc()
            return Refused(500, traceback.format_exc(limit=-1), "loopback_error").reply()

    def own(self, request: Request) -> Reply:
        if request.path == "/control" and request.method == "POST":
            try:
                settings = json.loads(request.body)
                self.become(self.behaviour.changed(settings))
            except ValueError as error:
                return Refused(400, str(error)).reply()
            if "route_faults" in settings:
                self.calls.clear()
        if request.path == "/control":
            return Reply(200, json.dumps(vars(self.behaviour)).encode())
        self.batches.listed(self.behaviour)
        found = {"connections": self.connections, "batches_per_input": sorted(self.batches.contents.values())}
        return Reply(200, json.dumps({**self.log.summary(), **found}).encode())

    def allow(self, request: Request) -> None:
        if request.headers.get("authorization") != f"Bearer {self.behaviour.key}":
            raise Refused(401, "Incorrect API key provided.", code="invalid_api_key")

    def chat(self, request: Request) -> Reply:
        """A chat request; errors and aborted ones are not kept waiting."""
        behaviour = self.behaviour
        self.number += 1
        number, fault, found = self.number, "", {"billed": 0}
        try:
            self.allow(request)
            body = parsed(request)
            found["key"] = key = digest(body)
            size = check(body, behaviour)
            found |= {"prompt": digest(body["messages"]), "n": body.get("n", 1)}
            most = body.get("max_tokens") or body.get("max_completion_tokens") or 0
            together, tokens = request.path.startswith("/together"), size + most * found["n"]
            headers = self.limits.take(tokens, self.log.in_flight, behaviour, together)
            self.attempts[key] += 1
            name = f"{key}/{self.attempts[key]}" if behaviour.by_key else str(number)
            fault = behaviour.fault(name, number)
            if fault.isdigit():
                raise failure(int(fault), behaviour, headers)
            if fault == "abort":
                reply = Reply(200, b"", wire=fault)
            else:
                done = self.model.complete(body, size, found["prompt"], name, behaviour, str(number))
                found |= {**done.bill(), "seconds": behaviour.seconds(name)}
                if done.odd:
                    found["odd"] = done.odd
                headers = {**headers, **done.headers}
                reply = Reply(done.status, done.body, headers, "application/json", found["seconds"], fault)
                reply.slow_seconds = behaviour.slow_seconds
        except Refused as refused:
            reply = Reply(refused.status, behaviour.played.body(refused), refused.headers)
            fault = fault or ("limit" if refused.status == 429 else str(refused.status))
        self.log.asked("chat", number, fault or found.get("odd") or "answer", **found)
        reply.ended = lambda whole, size: self.log.ended("chat", number, whole, size)
        return reply

    def other(self, request: Request) -> Reply:
        path = request.path.removeprefix("/together")
        together = path != request.path
        route, act = self.route(request, path, together)
        self.calls[route] += 1
        number, faults = self.calls[route], self.behaviour.route_faults.get(route, [])
        fault = faults[number - 1] if number <= len(faults) else ""
        try:
            if not path.startswith("/upload/"):  # where to put a file is secret enough, as at Together
                self.allow(request)
            if fault.isdigit():
                raise failure(int(fault), self.behaviour, {})
            found = b"" if fault == "abort" else act()
        except Refused as refused:
            found, fault = refused.reply(), str(refused.status)
        reply = found if isinstance(found, Reply) else Reply(200, found if isinstance(found, bytes) else dump(found))
        reply.wire, reply.slow_seconds = "" if fault.isdigit() else fault, self.behaviour.slow_seconds
        self.log.asked(route, number, fault or "done")
        reply.ended = lambda whole, size: self.log.ended(route, number, whole, size)
        return reply

    def route(self, request: Request, path: str, together: bool):
        """The name of what is asked for, and how to do it."""
        files, batches, behaviour = self.files, self.batches, self.behaviour
        flavour = "together" if together else "openai"
        shape = lambda found: getattr(found, flavour)()  # noqa: E731
        match (request.method, *path.strip("/").split("/")):
            case ("GET", "v1", "models"):
                models = [{"id": name, "object": "model", "created": 0, "owned_by": "x"} for name in behaviour.models]
                return "models", lambda: models if together else {"object": "list", "data": models}
            case ("POST", "v1", "files") if together:
                return "files.create", lambda: files.announce(request, self.base)
            case ("PUT", "upload", name) if together:
                return "files.upload", lambda: files.put(name, request.body) or b""
            case ("POST", "v1", "files", name, "preprocess") if together:
                return "files.preprocess", lambda: shape(files.get(name))
            case ("POST", "v1", "files"):
                return "files.create", lambda: shape(files.upload(request))
            case ("GET", "v1", "files"):
                return "files.list", lambda: page(files.present(), shape, request, together)
            case ("GET", "v1", "files", name):
                return "files.get", lambda: shape(files.get(name))
            case ("DELETE", "v1", "files", name):
                return "files.delete", lambda: files.delete(name)
            case ("GET", "v1", "files", name, "content"):
                return "files.content", lambda: files.get(name).content
            case ("POST", "v1", "batches"):
                created = lambda: shape(batches.create(parsed(request), behaviour))  # noqa: E731
                return "batches.create", lambda: {"job": created(), "warning": None} if together else created()
            case ("GET", "v1", "batches"):
                if together:
                    return "batches.list", lambda: [shape(batch) for batch in batches.listed(behaviour)]
                return "batches.list", lambda: page(batches.listed(behaviour), shape, request, together)
            case ("GET", "v1", "batches", name):
                return "batches.get", lambda: shape(batches.get(name, behaviour))
            case ("POST", "v1", "batches", name, "cancel"):
                return "batches.cancel", lambda: shape(batches.cancel(name, behaviour))
        return "unknown", lambda: unknown(request)


def parsed(request: Request):
    try:
        return json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"The body is not JSON: {error}") from error


def dump(found) -> bytes:
    return json.dumps(found).encode()


def unknown(request: Request):
    raise Refused(404, f"Invalid URL ({request.method} {request.path})")


def failure(status: int, behaviour: Behaviour, headers: dict) -> Refused:
    """An error that the server was told to give."""
    if status in (429, 503):
        headers = {**headers, **retry_headers(behaviour.retry_after, behaviour.retry_after_form)}
    kind = "rate_limit" if status == 429 else "server_error" if status >= 500 else "invalid_request_error"
    code = "rate_limit_exceeded" if status == 429 else None
    return Refused(status, MESSAGES.get(status, "The server had an error."), kind, code, headers=headers)


def page(found: list, shape, request: Request, together: bool) -> dict:
    """One page of a list, newest first; the next one starts `after` the last id of this one."""
    query = dict(urllib.parse.parse_qsl(request.query))
    ids = [entry.id for entry in found]
    start = ids.index(query["after"]) + 1 if query.get("after") in ids else 0
    end = len(found) if together else start + int(query.get("limit", 20))
    data = [shape(entry) for entry in found[start:end]]
    return {"object": "list", "data": data, "has_more": end < len(found)}


def end_with_stdin() -> None:
    """End this process when whoever started it closed the pipe or died."""

    def wait():
        while os.read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


async def serve(behaviour: Behaviour, log: str) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    server = Server(behaviour, Log(log))
    listening = await loop.create_server(server.connection, "127.0.0.1", 0, backlog=4096)
    port = listening.sockets[0].getsockname()[1]
    server.base = f"http://127.0.0.1:{port}"
    sys.stdout.write(json.dumps({"port": port, "pid": os.getpid()}) + "\n")
    sys.stdout.flush()
    end_with_stdin()
    await stop.wait()
