"""A guard server with small fits, on loopback with the real uvicorn."""

import contextlib
import threading

import httpx

from project import ROOT
from ragassay.config.schema import merged
from ragassay.config.settings import checked, read
from ragassay.people.page.connections import listen
from ragassay.services.serving.application import Server, application, listener
from ragassay.services.serving.fits import Fits
from ragassay.services.serving.proxy import Proxy


def settings(**given):
    """The configuration's `guard_server` with its defaults."""
    return checked(read(ROOT / "config/config.yaml") | {"guard_server": given}, [], merged())["guard_server"]


@contextlib.contextmanager
def listening(server):
    """The address of a server of uvicorn in a thread."""
    sockets = [listen("127.0.0.1", 0)]
    thread = threading.Thread(target=server.run, kwargs={"sockets": sockets})
    thread.start()
    try:
        yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def guarding(given, token="", observe=False):
    """A client of a guard server with these settings."""
    complete = settings(**given)
    proxy = Proxy(complete["proxy"], observe) if complete["proxy"]["address"] else None
    server = Server(complete, Fits.load(complete), proxy)
    with (
        listening(listener(application(server, token), server)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        client.server = server
        yield client


@contextlib.contextmanager
def holding(guard):
    """The event that a guard was asked something, to which it gives no answer until the block ends."""
    held, release = threading.Event(), threading.Event()

    def hold(*_, **__):
        held.set()
        release.wait()
        return []

    guard.judge = hold
    try:
        yield held
    finally:
        release.set()
        vars(guard).pop("judge", None)
