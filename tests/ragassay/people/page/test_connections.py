"""Which connections a server keeps, whatever application it serves."""

import asyncio
import contextlib
import resource
import threading

from guard_servers import listening
from hostile_clients import connected
from ragassay.people.page.connections import serving


def test_a_request_under_way_keeps_its_connection_in_every_application():
    begun, release = threading.Event(), threading.Event()

    async def app(_, receive, send):
        await receive()
        begun.set()
        await asyncio.to_thread(release.wait)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    with listening(serving(app, most=4, lifespan="off")) as address, contextlib.ExitStack() as stack:
        stack.callback(release.set)
        port = int(address.rpartition(":")[2])
        [asking] = connected(port, 1, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        begun.wait()
        waiting = connected(port, 12)
        for connection in [asking, *waiting]:
            stack.enter_context(connection)
        assert [waiting[0].recv(1)] == [b""], "it makes room"
        release.set()
        assert asking.recv(65_536).startswith(b"HTTP/1.1 204")


def test_a_system_that_refuses_more_files_keeps_its_limit(monkeypatch):
    def refuse(*_):
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert serving(None).config.backlog
