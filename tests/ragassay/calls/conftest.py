"""Loopback servers that end with the test, and a model that asks them."""

import contextlib

import pytest

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
def quick(monkeypatch):
    """Waits between tries a hundred times shorter."""
    monkeypatch.setattr("ragassay.calls._caller.FIRST_WAIT", 0.005)
    monkeypatch.setattr("ragassay.calls._caller.LONGEST_WAIT", 0.3)
