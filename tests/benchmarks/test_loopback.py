"""The loopback server as a client meets it: answers, errors, limits, and a log that agrees with what was received."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import openai
import pytest

from clocks import until
from project import ROOT
from servers import BODY, MESSAGES, Served, request, waiting
from tools import loopback
from tools.provider.log import digest


def test_a_completion_has_what_the_official_client_reads(serve):
    found = serve().chat(n=3, temperature=0.7, max_tokens=300, seed=4)
    texts = [choice.message.content for choice in found.choices]
    assert texts == [f"echo {digest([digest(MESSAGES), index])}" for index in range(3)]
    assert [(choice.index, choice.finish_reason) for choice in found.choices] == [(n, "stop") for n in range(3)]
    assert (found.model, found.object, found.system_fingerprint) == ("loopback", "chat.completion", "fp_loopback")
    usage = found.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (12, 54, 66)
    assert usage.prompt_tokens_details.cached_tokens == 0


def test_the_start_of_a_long_prompt_is_cached(serve):
    server, fixed = serve(), "A long instruction. " * 300
    for text, cached in [("one", 0), ("two", 1408), ("two", 1408)]:
        messages = [{"role": "system", "content": fixed}, {"role": "user", "content": text}]
        assert server.chat(messages=messages).usage.prompt_tokens_details.cached_tokens == cached
    assert server.summary()["cached_tokens"] == 2816


def test_answers_are_cut_at_stop_sequences_and_at_the_most_tokens(serve):
    server = serve(texts=["Yes, it is open. Come in."])
    for settings, text, finish in [
        ({}, "Yes, it is open. Come in.", "stop"),
        ({"stop": [" Come"]}, "Yes, it is open.", "stop"),
        ({"max_tokens": 2}, "Yes, it ", "length"),
        ({"max_completion_tokens": 2}, "Yes, it ", "length"),
    ]:
        choice = server.chat(**settings).choices[0]
        assert (choice.message.content, choice.finish_reason) == (text, finish)


def test_a_list_of_texts_is_gone_through_by_sample(serve):
    texts = [choice.message.content for choice in serve(texts=["a", "b", "c"]).chat(n=6).choices]
    assert texts[:3] == texts[3:] and sorted(texts[:3]) == ["a", "b", "c"]


def test_a_prompt_that_comes_again_gets_the_next_samples_where_asked_for(serve):
    server = serve()
    whole = [choice.message.content for choice in server.chat(n=4).choices]
    assert server.chat().choices[0].message.content == whole[0]
    server.control(fresh_samples=True)
    assert [server.chat().choices[0].message.content for _ in range(4)] == whole


def test_a_function_answers_and_one_that_fails_is_an_error_of_the_provider(serve, tmp_path, monkeypatch):
    for name, result in (("a_reader", "repr((messages, sampling, index))"), ("a_broken_reader", "1 / 0")):
        (tmp_path / f"{name}.py").write_text(f"def respond(messages, sampling, index):\n    return {result}\n")
    monkeypatch.syspath_prepend(tmp_path)
    server = serve(respond="a_reader:respond")
    texts = [choice.message.content for choice in server.chat(n=2, temperature=0.5, seed=3).choices]
    assert texts == [repr((MESSAGES, {"temperature": 0.5, "seed": 3}, index)) for index in range(2)]
    server.control(respond="a_broken_reader:respond")
    with pytest.raises(openai.InternalServerError, match="division by zero"):
        server.chat()
    assert server.summary()["kinds"] == {"answer": 1, "500": 1} and server.summary()["billed"] == 1


def test_the_models_are_listed(serve):
    with serve(models=["a", "b"]).openai() as client:
        assert [model.id for model in client.models.list()] == ["a", "b"]


@pytest.mark.parametrize(
    ("body", "status", "code", "param"),
    [
        ({"model": "gpt-0"}, 404, "model_not_found", "model"),
        ({"messages": [{"role": "user", "content": "x" * 500}]}, 400, "context_length_exceeded", "messages"),
        (b'{"model": "loopback"', 400, None, None),
        ([1], 400, None, "body"),
        ({"messages": None}, 400, None, "messages"),
        ({"messages": []}, 400, None, "messages"),
        ({"messages": ["x"]}, 400, None, "messages[0]"),
        ({"messages": [{"role": "judge", "content": "x"}]}, 400, None, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 1}]}, 400, None, "messages[0].content"),
        ({"model": None}, 400, None, "model"),
        ({"n": 0}, 400, None, "n"),
        ({"n": 129}, 400, None, "n"),
        ({"max_tokens": 0}, 400, None, "max_tokens"),
        ({"temperature": 2.1}, 400, None, "temperature"),
        ({"top_p": "x"}, 400, None, "top_p"),
        ({"stop": [1]}, 400, None, "stop"),
        ({"stream": True}, 400, None, "stream"),
    ],
)
def test_errors_have_the_shape_of_openai(server_of_errors, body, status, code, param):
    found, _, reply = server_of_errors.post({**BODY, **body} if isinstance(body, dict) else body)
    assert (found, reply["error"]["code"], reply["error"]["param"]) == (status, code, param)
    assert reply["error"]["message"] and reply["error"]["type"]
    assert server_of_errors.summary()["billed"] == 0


@pytest.fixture(scope="module")
def server_of_errors():
    with Served(context_tokens=100) as server:
        yield server


def test_the_official_client_raises_its_own_errors(serve):
    server = serve()
    with server.openai(key="wrong") as client, pytest.raises(openai.AuthenticationError) as raised:
        client.chat.completions.create(**BODY)
    assert raised.value.code == "invalid_api_key" and server.summary()["billed"] == 0
    with pytest.raises(openai.NotFoundError, match="gpt-0"):
        server.chat(model="gpt-0")
    assert server.post(path="/v1/nothing")[0] == 404


def test_limits_are_announced_and_kept(serve):
    server = serve(requests_per_minute=2, tokens_per_minute=1_000, burst_seconds=60)
    status, headers, _ = server.post()
    assert status == 200
    assert (headers["x-ratelimit-limit-requests"], headers["x-ratelimit-remaining-requests"]) == ("2", "1")
    assert headers["x-ratelimit-limit-tokens"] == "1000" and headers["x-ratelimit-remaining-tokens"] == "988"
    assert headers["x-ratelimit-reset-requests"] == "30s"
    assert [server.post()[0] for _ in range(2)] == [200, 429]
    status, headers, reply = server.post()
    assert (status, reply["error"]["code"]) == (429, "rate_limit_exceeded") and 0 < float(headers["retry-after"]) <= 30
    server.control(requests_per_minute=0)
    assert server.post()[0] == 200
    assert server.summary()["kinds"]["limit"] >= 2 and server.summary()["billed"] == server.summary()["kinds"]["answer"]


def test_tokens_that_may_be_written_count_and_together_announces_limits_under_other_names(serve):
    server = serve(tokens_per_minute=60_000, burst_seconds=1, requests_per_minute=600)
    assert [server.post({**BODY, "max_tokens": most, "n": 2})[0] for most in (450, 450, 1)] == [200, 429, 200]
    _, headers, _ = server.post(path="/together/v1/chat/completions")
    assert (headers["x-ratelimit-limit"], headers["x-tokenlimit-limit"]) == ("10", "1000")


async def many(server, calls: int, in_flight: int) -> int:
    """How many of so many calls with different questions were answered."""
    questions = iter(range(calls))

    async def worker(client):
        answered = 0
        for number in questions:
            messages = [{"role": "user", "content": f"question {number % 50}"}]
            try:
                await client.chat.completions.create(model="loopback", messages=messages, n=2)
                answered += 1
            except (openai.APIError, json.JSONDecodeError):
                pass
        return answered

    async with openai.AsyncOpenAI(base_url=server.url, api_key=server.key, max_retries=0) as client:
        return sum(await asyncio.gather(*(worker(client) for _ in range(in_flight))))


def test_the_log_says_what_was_billed_and_what_arrived(serve):
    faults = {"429": 0.1, "500": 0.1, "drop": 0.1, "abort": 0.1, "cut": 0.1}
    server = serve(faults=faults, latency=0.01)
    answered = asyncio.run(many(server, 200, 8))
    lines, summary = server.log(), server.summary()
    asked = [line for line in lines if line["event"] == "asked"]
    kinds = summary["kinds"]
    assert kinds.keys() == {"answer", *faults} and sum(kinds.values()) == summary["requests"] == 200
    assert answered == kinds["answer"]
    assert (
        summary["billed"] == sum(line["billed"] for line in asked) == sum(kinds[x] for x in ("answer", "drop", "cut"))
    )
    assert summary["samples"] == 2 * summary["billed"]
    assert summary["whole"] == sum(kinds[name] for name in ("answer", "429", "500"))
    assert 2 <= summary["most_in_flight"] <= 8 and summary["in_flight"] == 0
    assert len(summary["requests_per_key"]) == 50 and set(summary["requests_per_key"].values()) == {4}
    messages = [{"role": "user", "content": "question 7"}]
    key = digest({"messages": messages, "model": "loopback", "n": 2})
    assert [line["prompt"] for line in asked if line["key"] == key and "prompt" in line] == [digest(messages)] * 4
    events = {number: [line["event"] for line in lines if line["number"] == number] for number in range(1, 201)}
    assert set(map(tuple, events.values())) == {("asked", "ended")}
    assert abs(summary["latency_seconds"] - 0.01 * (200 - kinds["429"] - kinds["500"] - kinds["abort"])) < 1e-6


def test_the_same_seed_meets_the_same_faults(serve):
    def kinds(server):
        for _ in range(60):
            server.raw(request(headers="Connection: close\r\n"))
        return [line["kind"] for line in server.log() if line["event"] == "asked"]

    faults = {"500": 0.2, "drop": 0.2}
    one, two, other = (kinds(serve(seed=seed, faults=faults)) for seed in (1, 1, 2))
    assert one == two != other and set(one) == {"answer", "500", "drop"}


def test_by_key_the_order_of_requests_does_not_matter(serve):
    def kinds(questions):
        server = serve(faults={"500": 0.5}, by_key=True)
        for text in questions:
            server.post({**BODY, "messages": [{"role": "user", "content": text}]})
        asked = [(line["key"], line["kind"]) for line in server.log() if line["event"] == "asked"]
        return {key: [kind for other, kind in asked if other == key] for key, _ in asked}

    questions = [str(number) for number in range(10)] * 2
    one, two = kinds(questions), kinds(questions[::-1])
    assert one == two and len(set(map(tuple, one.values()))) > 1


def test_what_is_billed_stands_in_the_log_before_the_reply(serve):
    server = serve(faults_at={1: "hang"}, latency=0.01)
    assert server.raw(request(), timeout=0.3) == b""
    until(lambda: len(server.log()) == 2)
    assert [(line["event"], line.get("billed"), line.get("whole")) for line in server.log()] == [
        ("asked", 1, None),
        ("ended", None, False),
    ]


def test_latency_is_kept(serve):
    server = serve(latency=0.15)
    server.post()
    until(lambda: len(server.log()) == 2)
    asked, ended = (line["time"] for line in server.log())
    assert ended - asked >= 0.1  # both are stamps of the wall clock, which is set while it runs
    server.control(latency=10_000)
    with waiting(server):
        until(lambda: server.summary()["in_flight"] == 1)
        server.control(latency=0)
        assert server.post()[0] == 200 and server.summary()["in_flight"] == 1


def test_control_refuses_what_it_does_not_know(serve):
    server = serve()
    with pytest.raises(ValueError, match="unknown setting 'lateness'"):
        server.control(lateness=1)
    with pytest.raises(ValueError, match="cannot be imported"):
        server.control(respond="no_such_module:respond")
    assert server.control(latency=0.5)["latency"] == 0.5 and server.chat().choices


@pytest.mark.parametrize("how", ["stdin", "SIGTERM"])
def test_by_hand_it_prints_its_port_and_ends_when_told(tmp_path, how):
    command = [sys.executable, loopback.__file__, '{"latency": 0}', "--log", str(tmp_path / "log")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        started = json.loads(process.stdout.readline())
        assert started.keys() == {"port", "pid"} and started["pid"] == process.pid
        process.stdin.close() if how == "stdin" else os.kill(process.pid, signal.SIGTERM)
        assert process.wait(10) == 0


def test_requests_in_pieces_in_chunks_and_in_line(serve):
    server, one = serve(), request()
    chunked = request().replace(b"Content-Length: ", b"Transfer-Encoding: chunked\r\nX: ")
    head, _, body = chunked.partition(b"\r\n\r\n")
    pieces = [b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:1], body[1:])]
    chunked = head + b"\r\n\r\n" + b"".join(pieces) + b"0\r\n\r\n"
    last = request(headers="Connection: close\r\n")
    sent = one + chunked + last
    for size in (len(sent), 40):
        received = server.raw(*pieces_of(sent, size))
        assert received.count(b"HTTP/1.1 200 OK") == 3 and received.count(b"chat.completion") == 3
    assert server.raw(b"hello\r\n\r\n").startswith(b"HTTP/1.1 400")


def pieces_of(sent: bytes, size: int) -> list[bytes]:
    return [sent[at : at + size] for at in range(0, len(sent), size)]
