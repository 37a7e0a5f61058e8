"""Replies that nobody foresaw: what reading them raises, what they count, what they call the model."""

import contextlib
import json
import logging
import re
from random import Random

import pytest

from calling import questions
from ragassay.base import tables
from ragassay.calls.complete import GaveUp, complete, converse
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Failure, call_key, provider_for
from ragassay.calls.wire import replies
from ragassay.schemas.report import CALLS


def requests(count):
    return questions(count, "Is harbour {} open?", max_tokens=20)


@pytest.fixture
def crash(monkeypatch):
    """Reading a reply that holds this text raises what nobody foresaw."""

    def crash_on(text):
        answer = replies._answer

        def raising(choice):
            if text in choice["message"]["content"]:
                raise ZeroDivisionError("no reason")
            return answer(choice)

        monkeypatch.setattr(replies, "_answer", raising)

    return crash_on


def test_a_reply_that_reading_fails_on_costs_one_item_and_says_which(serve, model, tmp_path, crash, caplog):
    server = serve(respond="answers:respond")
    crash("harbour 3 ")
    with caplog.at_level(logging.INFO, "ragassay"):
        found = list(complete(requests(12), model(server), tmp_path))
    assert [number for number, (answer,) in enumerate(found) if answer.finish_reason == "crash"] == [3]
    told, _, reply = found[3][0].detail.partition(" (reply ")
    assert re.fullmatch(r"reading it raised ZeroDivisionError at \w+.py:\d+: no reason", told)
    assert f'"{reply.removesuffix(")")}"' in "".join(path.read_text() for path in tmp_path.glob("*.jsonl"))
    assert "1 replies could not be read, which is a fault of ragassay" in caplog.text
    assert list(complete(requests(12), model(server), tmp_path)) == found
    assert list(complete(requests(12), model(server, mode="replay"), tmp_path)) == found
    assert server.summary()["requests"] == 12


def test_once_it_can_be_read_a_reply_counts_and_is_not_asked_again(serve, model, tmp_path, crash, monkeypatch):
    server = serve(respond="answers:respond")
    with monkeypatch.context():
        crash("harbour 3 ")
        list(complete(requests(12), model(server), tmp_path))
    monkeypatch.undo()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("LOOPBACK_KEY", server.key)
    found = list(complete(requests(12), model(server), tmp_path))
    assert {answer.finish_reason for (answer,) in found} == {"stop"}
    assert server.summary()["requests"] == 12


@pytest.mark.parametrize("count", ["1e999", "NaN", "9" * 5000, "1e300", '"many"', "[]"])
def test_a_stored_reply_with_a_count_that_is_none_ends_no_later_run(model, tmp_path, count):
    """Its process ended over it, before it wrote down what the reply cost."""
    tested, asked = model("http://127.0.0.1:1/v1"), requests(1)
    ledger, key = Ledger(tmp_path / "ledger"), call_key(provider_for(tested).identity(), asked[0])
    body = json.dumps({"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]})
    usage = ', "usage": {"prompt_tokens": 9, "completion_tokens": ' + count + "}}"
    ledger.done(ledger.intent(key, [0], worst=0.25), body[:-1] + usage)
    ledger.close()
    for _ in range(2):
        ((answer,),) = complete(asked, tested, tmp_path / "ledger", tmp_path / "calls")
        assert (answer.text, answer.finish_reason) == ("yes", "stop")
        (row,) = tables.read(CALLS, tmp_path / "calls").to_pylist()
        assert (row["dollars"], row["requests"], row["samples"]) == (0.25, 1, 1)


@pytest.mark.parametrize("odd", ["infinite_usage", "absurd_usage"])
def test_an_absurd_count_costs_the_most_that_the_reply_may_have_cost_and_blocks_no_budget(serve, model, tmp_path, odd):
    server = serve(odd_words={"harbour 2 ": odd})
    tested = model(server, budget_usd=0.02, concurrency=1)
    assert len(list(complete(requests(12), tested, tmp_path))) == 12
    assert Ledger(tmp_path).dollars < 0.001
    assert Ledger(tmp_path).excess == 1.0


def test_a_name_that_a_reply_gives_the_model_steers_no_terminal(serve, model, tmp_path, caplog):
    server = serve()
    with caplog.at_level(logging.INFO, "ragassay"):
        list(complete(requests(2), model(server), tmp_path / "ledger", tmp_path / "calls"))
        server.control(odd_answers={"steering": 1.0})
        list(complete(requests(4), model(server), tmp_path / "ledger", tmp_path / "calls"))
    assert r"answers as loop\x1b[2Jback\x00 now" in caplog.text
    assert not any(sign in caplog.text for sign in "\x1b\x00")
    (row,) = tables.read(CALLS, tmp_path / "calls").to_pylist()
    assert json.loads(row["served_as"]) == {"loopback": 2, r"loop\x1b[2Jback\x00": 2}


def test_words_of_a_failure_steer_no_terminal():
    assert Failure("kind", "HTTP 500: \x1b[2J\u202e", again=True).detail == r"HTTP 500: \x1b[2J\u202e"


# --- what was given up ----------------------------------------------------------------------------------------------


def test_what_was_given_up_is_asked_once_more_when_nothing_else_is_left(serve, model, tmp_path, quick):
    server = serve(faults_at={str(number): "500" for number in range(1, 9)}, respond="answers:respond")
    found = list(complete(requests(6), model(server, concurrency=1), tmp_path))
    assert len(found) == 6 and all(f"harbour {n} " in answer.text for n, (answer,) in enumerate(found))
    asked = [line["prompt"] for line in server.log() if line["event"] == "asked"]
    assert len(asked) == 14 and asked[0] == asked[7] == asked[13] != asked[8]


def test_conversations_wait_for_their_second_try_and_go_on_where_they_were(serve, model, tmp_path, quick):
    server, begun = serve(faults_at={str(number): "500" for number in range(1, 17)}), []

    async def conversation(number, ask):
        begun.append(number)
        for turn in range(3):
            await ask(requests(50)[number * 3 + turn])
        return number

    assert list(converse(range(8), conversation, model(server, concurrency=2), tmp_path)) == list(range(8))
    assert begun == list(range(8)), "none begins anew"


def test_many_that_are_given_up_do_not_wait_for_each_other(serve, model, tmp_path, quick, monkeypatch):
    monkeypatch.setattr("ragassay.calls._workers.AHEAD", 4)

    async def brave(item, ask):
        try:
            return (await ask(item))[0].text[:4]
        except GaveUp:
            return None

    server = serve(refused_words={f"harbour {n} ": 500 for n in range(0, 30, 5)})
    found = list(converse(requests(30), brave, model(server, concurrency=2), tmp_path))
    assert [text is None for text in found] == [n % 5 == 0 for n in range(30)]


# --- anything ---------------------------------------------------------------------------------------------------------

NAMES = "error code message param detail loc metadata reasons choices index content finish_reason usage prompt_tokens"
NAMES = f"{NAMES} total_tokens prompt_tokens_details cached_tokens promptFeedback blockReason delta model type".split()
LEAVES = [None, True, 0, -1, 403, "502", "", float("nan"), float("inf"), 1e300, 10**40, "n", "stop", "abort", "\x1b[2J"]


def anything(random, depth=0):
    """A value as JSON may hold it, with the names that replies and errors have."""
    kind = random.random()
    if depth > 4 or kind < 0.35:
        return random.choice(LEAVES)
    if kind < 0.5:
        return [anything(random, depth + 1) for _ in range(random.randrange(3))]
    return {random.choice(NAMES): anything(random, depth + 1) for _ in range(random.randrange(5))}


def test_whatever_a_reply_holds_it_is_read_or_is_a_failure_that_was_foreseen(model):
    random, provider = Random(7), provider_for(model("http://x/v1", options={"some_option": 1}))
    for number in range(5_000):
        body = json.dumps(anything(random))
        assert isinstance(provider.failure(random.choice([400, 403, 422, 429, 500]), {}, body), Failure)
        with contextlib.suppress(Failure):
            provider.read(f"data: {body}\n\ndata: [DONE]\n\n" if number % 5 == 0 else body)
