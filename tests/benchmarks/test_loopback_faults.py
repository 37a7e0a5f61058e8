"""Each fault of the loopback server, seen on the wire and by the official client."""

import contextlib
import json

import openai
import pytest

from clocks import until
from servers import BODY, request, waiting

CLOSE = request(headers="Connection: close\r\n")
FAULTS = {  # the error of the official client, and whether the answer is billed
    "drop": (openai.APIConnectionError, True),
    "abort": (openai.APIConnectionError, False),
    "cut": ((openai.APIError, json.JSONDecodeError), True),
    "cut_short": (json.JSONDecodeError, True),
    "hang": (openai.APITimeoutError, True),
    "429": (openai.RateLimitError, False),
    "500": (openai.InternalServerError, False),
    "503": (openai.InternalServerError, False),
    "403": (openai.PermissionDeniedError, False),
}


def test_each_fault_is_an_error_of_the_official_client_and_billed_as_it_should_be(serve):
    server, billed = serve(retry_after=2), 0
    for fault, (error, costs) in FAULTS.items():
        server.control(faults={fault: 1.0}, latency=5 if fault.isdigit() else 0)  # statuses come at once
        with server.openai(timeout=0.3 if fault == "hang" else 60) as client, pytest.raises(error) as raised:
            client.chat.completions.create(**BODY)
        billed += costs
        assert server.summary()["billed"] == billed, fault
        if fault.isdigit():
            retry = raised.value.response.headers.get("retry-after")
            assert (raised.value.status_code, retry) == (int(fault), "2" if fault in ("429", "503") else None)
    summary = server.summary()
    assert summary["kinds"] == dict.fromkeys(FAULTS, 1) and summary["whole"] == sum(map(str.isdigit, FAULTS))


@pytest.mark.parametrize(("fault", "share"), [("cut", 2), ("cut_short", 1)])
def test_half_of_a_reply_comes_and_its_length_says_so_or_not(serve, fault, share):
    received = serve(faults={fault: 1.0}).raw(request() + CLOSE)
    assert received.count(b"HTTP/1.1 200 OK") == (2 if fault == "cut_short" else 1), "whether the connection goes on"
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    half = body.partition(b"HTTP/1.1")[0]
    assert 0 < len(half) == length // share
    with pytest.raises(ValueError):
        json.loads(half)


def test_a_page_of_html_comes_with_status_200_and_a_slow_body_in_pieces(serve):
    server = serve(faults={"html": 1.0})
    received = server.raw(CLOSE)
    assert b"content-type: text/html" in received and received.endswith(b"</html>\n")
    server.control(faults={"slow": 1.0}, slow_seconds=0.3)
    assert json.loads(server.raw(CLOSE).partition(b"\r\n\r\n")[2])["choices"]
    until(lambda: len(server.log()) == 4)
    asked, ended = (line["time"] for line in server.log()[2:])
    assert ended - asked > 0.25
    assert (server.summary()["billed"], server.summary()["whole"]) == (2, 1), "a page is no whole reply"


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
    assert server.summary()["kinds"] == dict.fromkeys(odd_answers, 1)
    server.control(odd_answers={"fewer": 1.0})
    counts = [len(server.post({**BODY, "n": 9})[2]["choices"]) for _ in range(30)]
    assert set(counts) <= set(range(1, 9)) and len(set(counts)) > 3
    assert server.summary()["samples"] == sum(map(len, odd_answers.values())) + sum(counts)


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
