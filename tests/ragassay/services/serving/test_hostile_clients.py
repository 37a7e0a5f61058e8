"""A guard server among hostile clients: the honest one gets its answer, and nobody a verdict by default."""

import contextlib
import json
import socket

import pytest

import hostile_clients as hostile
from fitted import write_guards
from guard_servers import guarding, holding

TOKEN = "s3cret-token"
MOST = 50_000
HONEST = hostile.whole(hostile.RIGHT, token=TOKEN)


@contextlib.contextmanager
def besieged(folder, **given):
    """The port of a server with a guard that needs no model, and how an honest client asks it."""
    settings = {"guard": {"file": str(write_guards(folder)["chain"])}, "most_bytes": MOST, **given}
    with guarding(settings, token=TOKEN) as client, contextlib.ExitStack() as waiting:
        port = client.base_url.port

        def honest():
            status, body = hostile.asked(port, HONEST)
            return status == 200 and [judgement["removed"] for judgement in json.loads(body)] == [True]

        def wait(count, first=b""):
            connections = hostile.connected(port, count, first)
            for connection in connections:
                waiting.enter_context(connection)
            return connections

        assert honest()
        honest.server = client.server
        yield port, honest, wait


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with besieged(tmp_path_factory.mktemp("guards")) as made:
        yield made


@pytest.mark.parametrize("name", hostile.requests(MOST, TOKEN))
def test_what_is_no_question_is_refused_and_gets_no_verdict(server, name):
    port, honest, _ = server
    status, body = hostile.asked(port, hostile.requests(MOST, TOKEN)[name])
    assert hostile.is_refused(status, body), (status, body[:300])
    reason = json.loads(body)["error"] if body.startswith("{") else body
    assert (reason or not body) and "\n" not in reason and len(reason) < 300
    assert honest()


@pytest.mark.parametrize(
    ("status", "given"),
    [
        (413, hostile.head(token=TOKEN, content_length=100_000_000)),
        (401, hostile.head(token="x" * len(TOKEN), content_length=100_000_000)),
        (401, hostile.head(token="x", transfer_encoding="chunked")),
    ],
)
def test_a_request_that_is_refused_is_answered_before_its_body_comes(server, status, given):
    """Nothing of the body is ever sent, and the connection ends with the answer."""
    port, *_ = server
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(given.encode())
        reply = b""
        while piece := connection.recv(65_536):
            reply += piece
    assert reply.startswith(b"HTTP/1.1 %d " % status)


def test_the_connection_that_waits_longest_makes_room_for_a_new_one(tmp_path):
    begun = hostile.head(token=TOKEN, content_length=100).encode()
    with besieged(tmp_path, most_connections=200, seconds=600) as (_, honest, wait):
        waiting = []
        for first in (b"", b"POST /guard HTTP/1.1\r\nhost: ", begun, begun + b"{", HONEST):
            for _ in range(3):
                waiting += wait(40, first)
                assert honest()
        assert sum(map(hostile.is_cut_off, waiting)) >= len(waiting) - 200


def test_a_request_that_is_worked_on_keeps_its_connection(tmp_path):
    with besieged(tmp_path, most_connections=200) as (_, honest, wait):
        guard = honest.server.fits.guard
        with holding(guard) as held:
            [asking] = wait(1, HONEST)
            held.wait()
            del guard.judge
            for _ in range(6):
                wait(40)
                assert honest()
        assert asking.recv(65_536).startswith(b"HTTP/1.1 200")


def test_bodies_that_never_end_make_room_for_one_that_does(tmp_path):
    begun = hostile.head(token=TOKEN, content_length=MOST).encode() + b" " * (MOST - 1)
    with besieged(tmp_path, most_bytes_held=4 * MOST, seconds=600) as (port, honest, wait):
        slow = wait(12, begun)
        large = hostile.whole(json.dumps(hostile.RIGHT).encode() + b" " * (MOST - 1_000), token=TOKEN)
        assert hostile.asked(port, large)[0] == 200 and honest()
        replies = [connection.recv(65_536) for connection in slow[:8]]
        assert {reply.split(b" ", 2)[1] for reply in replies} == {b"408"}


def test_bodies_that_anybody_may_send_push_none_out(tmp_path):
    """Paths that need no token answer at once, without the body."""
    begun = hostile.head("/health", content_length=MOST).encode() + b" " * (MOST - 1)
    with besieged(tmp_path, most_bytes_held=MOST) as (_, _, wait):
        [asking] = wait(1, HONEST[:-1])
        for anonymous in wait(3, begun):
            assert anonymous.recv(65_536).startswith(b"HTTP/1.1 405")
        asking.sendall(HONEST[-1:])
        assert asking.recv(65_536).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("before", [b"", HONEST], ids=["the first", "the second"])
def test_a_head_that_never_ends_is_cut_off(tmp_path, before):
    with besieged(tmp_path, seconds=0.3) as (_, honest, wait):
        [connection] = wait(1, before)
        assert not before or connection.recv(65_536).startswith(b"HTTP/1.1 200")
        with contextlib.suppress(ConnectionError):
            connection.sendall(b"POST /guard HTTP/1.1\r\n")
            while connection.recv(65_536):
                pass
        assert honest()


def test_an_answer_that_nobody_reads_is_given_up(tmp_path):
    """The client asks on and on and never reads; the event is that it cannot send any more."""
    with besieged(tmp_path, seconds=0.3) as (_, honest, wait):
        [connection] = wait(1)
        connection.settimeout(60)
        with pytest.raises(ConnectionError):
            while True:
                connection.sendall(HONEST * 100)
        assert honest()
