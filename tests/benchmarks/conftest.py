"""Loopback servers that end with the test."""

import contextlib

import pytest

from servers import Served


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def serve():
    """Starts servers that end with the test."""
    with contextlib.ExitStack() as stack:
        yield lambda *where, **behaviour: stack.enter_context(Served(*where, **behaviour))
