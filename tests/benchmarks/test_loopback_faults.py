"""Each fault of the loopback server, seen on the wire and by the official client."""

import contextlib
import json

import openai
import pytest

from clocks import until
from servers import BODY, request, waiting

CLOSE = request(headers="Connection: close\r\n")


def body_of(received: bytes) -> tuple[int, bytes]:
    """The length that was promised, and what came."""
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]), body


@pytest.mark.parametrize("fault, billed", [("drop", 1), ("abort", 0)])
def test_a_dropped_connection_sends_nothing(serve, fault, billed):
    server = serve(faults={fault: 1.0})
    assert server.raw(request()) == b""
    with pytest.raises(openai.APIConnectionError):
        server.chat()
    summary = server.summary()
    assert (summary["kinds"], summary["billed"], summary["whole"]) == ({fault: 2}, 2 * billed, 0)


def test_a_reply_is_cut_off_in_the_middle(serve):
    server = serve(faults={"cut": 1.0})
    received = server.raw(request())
    promised, body = body_of(received)
    assert received.startswith(b"HTTP/1.1 200 OK") and 0 < len(body) == promised // 2
    with pytest.raises(ValueError):
        json.loads(body)
    with pytest.raises((openai.APIError, json.JSONDecodeError)):
        server.chat()
    assert server.summary()["billed"] == 2 and server.summary()["whole"] == 0


def test_a_reply_that_is_cut_off_may_look_whole_to_http(serve):
    server = serve(faults={"cut_short": 1.0})
    received = server.raw(request() + CLOSE)
    promised, body = body_of(received)
    assert received.count(b"HTTP/1.1 200 OK") == 2  # the connection goes on
    with pytest.raises(ValueError):
        json.loads(body[:promised])
    with pytest.raises(json.JSONDecodeError):
        server.chat()
    assert server.summary()["billed"] == 3 and server.summary()["whole"] == 0


def test_a_page_of_html_comes_with_status_200(serve):
    server = serve(faults={"html": 1.0})
    received = server.raw(CLOSE)
    assert b"content-type: text/html" in received and received.endswith(b"</html>\n")
    assert server.summary()["billed"] == 1


def test_a_slow_body_comes_in_pieces(serve):
    server = serve(faults={"slow": 1.0}, slow_seconds=0.3)
    assert json.loads(body_of(server.raw(CLOSE))[1])["choices"]
    until(lambda: len(server.log()) == 2)
    asked, ended = (line["time"] for line in server.log())
    assert ended - asked > 0.25
    assert server.chat().choices and server.summary()["whole"] == 2


def test_a_hanging_reply_never_comes(serve):
    server = serve(faults={"hang": 1.0})
    with server.openai(timeout=0.3) as client, pytest.raises(openai.APITimeoutError):
        client.chat.completions.create(**BODY)
    assert server.summary()["billed"] == 1


def test_errors_come_at_once_with_the_headers_that_belong_to_them(serve):
    server = serve(retry_after=2, latency=5)
    errors = {
        "429": (openai.RateLimitError, "2"),
        "500": (openai.InternalServerError, None),
        "503": (openai.InternalServerError, "2"),
        "403": (openai.PermissionDeniedError, None),
    }
    for fault, (error, retry) in errors.items():
        server.control(faults={fault: 1.0})
        with pytest.raises(error) as raised:
            server.chat()
        assert raised.value.status_code == int(fault) and raised.value.response.headers.get("retry-after") == retry
    assert server.summary()["kinds"] == dict.fromkeys(errors, 1) and server.summary()["billed"] == 0


def test_a_fault_can_be_put_at_one_request(serve):
    server = serve(faults_at={2: "500", 4: "drop"})
    for _ in range(5):
        server.raw(CLOSE)
    kinds = [line["kind"] for line in server.log() if line["event"] == "asked"]
    assert kinds == ["answer", "500", "answer", "drop", "answer"]


def test_odd_answers(serve):
    server = serve(texts=["Yes, it is."])
    odd_answers = {
        "ignore_n": [("Yes, it is.", "stop")],
        "none": [],
        "filter": [("", "content_filter")] * 5,
        "length": [("Yes, ", "length")] * 5,
        "empty": [("", "stop")] * 5,
        "null": [(None, "stop")] * 5,
        "refusal": [(None, "stop")] * 5,
    }
    for odd, expected in odd_answers.items():
        server.control(odd_answers={odd: 1.0})
        choices = server.chat(n=5).choices
        assert [(choice.message.content, choice.finish_reason) for choice in choices] == expected
        assert all(bool(choice.message.refusal) == (odd == "refusal") for choice in choices)
    assert server.summary()["samples"] == sum(map(len, odd_answers.values()))
    assert server.summary()["kinds"] == dict.fromkeys(odd_answers, 1)


def test_fewer_choices_than_asked_for(serve):
    server = serve(odd_answers={"fewer": 1.0})
    counts = [len(server.post({**BODY, "n": 9})[2]["choices"]) for _ in range(30)]
    assert set(counts) <= set(range(1, 9)) and len(set(counts)) > 3
    assert server.summary()["samples"] == sum(counts)


def test_a_limit_of_requests_in_flight(serve):
    server = serve(in_flight_limit=2, latency=10_000)
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(waiting(server))
        until(lambda: server.summary()["in_flight"] == 2)
        assert server.post()[0] == 429
    until(lambda: server.summary()["in_flight"] == 0)
    server.control(latency=0)
    assert server.post()[0] == 200
