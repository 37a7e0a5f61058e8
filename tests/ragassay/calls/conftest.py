"""Loopback servers that end with the test, and a model that asks them."""

import contextlib

import pytest

from clocks import VirtualTime
from ragassay.calls.limits import pace, rates
from ragassay.calls.model import Model
from servers import Served

KEY = "sk-planted-7f3a91c04de852b6"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("LOOPBACK_KEY", KEY)


@pytest.fixture
def serve():
    """Starts servers that end with the test and take the key of the environment."""
    with contextlib.ExitStack() as stack:
        yield lambda **behaviour: stack.enter_context(Served(**{"key": KEY, **behaviour}))


@pytest.fixture
def client():
    """What sends the requests; modules about the wire ask both."""
    return "official"


@pytest.fixture
def model(client):
    """The model that a server serves."""

    def made(server, **more):
        url = server if isinstance(server, str) else server.url
        settings = {"client": client, "concurrency": 8, "timeout": 20.0, "price": {"input": 1.0, "output": 2.0}, **more}
        return Model("tested", "openai", settings.pop("model", "loopback"), url, "LOOPBACK_KEY", **settings)

    return made


@pytest.fixture
def unsynced(monkeypatch):
    """Nothing is forced to the disk."""
    monkeypatch.setattr("ragassay.calls.ledger.journal.SYNC_SECONDS", 0.0)
    monkeypatch.setattr("ragassay.calls.ledger.journal.os.fsync", lambda file: None)


@pytest.fixture
def clock(monkeypatch):
    """Virtual time for what keeps to limits."""
    clock = VirtualTime()
    for module in (rates, pace):
        monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def quick(monkeypatch):
    """Waits between tries a hundred times shorter."""
    monkeypatch.setattr("ragassay.calls._caller.FIRST_WAIT", 0.005)
    monkeypatch.setattr("ragassay.calls._caller.LONGEST_WAIT", 0.3)
