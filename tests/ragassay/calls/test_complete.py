"""Asking: every request gets its own answer, in order, and none is paid for that is known or under way."""

import asyncio
import json
import logging
import threading

import pytest

from calling import texts
from ragassay.base import tables
from ragassay.calls.complete import GaveUp, Unanswered, complete, converse
from ragassay.calls.ledger import call_keys
from ragassay.calls.ledger.lease import Lease
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Answer, ModelError, Provider, Request, Usage, call_key, provider_for
from ragassay.schemas.report import CALLS

ANSWERING = {"respond": "answers:respond"}


def question(number, samples=1, **sampling):
    return Request([{"role": "user", "content": f"Question {number}"}], {"max_tokens": 50, **sampling}, samples)


def answers(number, *indices):
    return [f"Question {number} answered for the {index}. time" for index in indices]


def test_answers_come_in_the_order_of_requests_whatever_takes_how_long(serve, model, tmp_path):
    server = serve(latency=0.01, latency_sigma=1.5, **ANSWERING)
    received = texts(complete((question(n) for n in range(100)), model(server), tmp_path))
    assert received == [answers(n, 0) for n in range(100)]
    assert server.summary()["most_in_flight"] == 8


def test_the_list_of_keys_has_the_calls_of_all_rounds(serve, model, tmp_path):
    tested = model(serve(**ANSWERING))
    for first in (0, 2):
        asked = [question(first), question(first + 1)]
        list(complete(asked, tested, tmp_path, tmp_path / "calls.parquet", **{"first": first} if first else {}))
        assert list(call_keys.read(tmp_path / call_keys.WRITTEN)) == [(at, 0) for at in range(first + 2)]


def test_samples_of_a_request_are_one_request(serve, model, tmp_path):
    server = serve(**ANSWERING)
    assert texts(complete([question(n, 5) for n in range(10)], model(server), tmp_path)) == [
        answers(n, *range(5)) for n in range(10)
    ]
    assert (server.summary()["requests"], server.summary()["samples"]) == (10, 50)


def test_exactly_the_missing_samples_are_asked_again(serve, model, tmp_path):
    server = serve(fresh_samples=True, **ANSWERING)
    list(complete([question(1, 2)], model(server), tmp_path))
    assert texts(complete([question(1, 5)], model(server), tmp_path)) == [answers(1, *range(5))]
    assert [line["n"] for line in server.log() if line["event"] == "asked"] == [2, 3]
    assert server.summary()["samples"] == 5


def test_replies_with_fewer_samples_are_completed(serve, model, tmp_path):
    odd = {"fewer": 0.5, "none": 0.1}  # none twice in a row
    server = serve(fresh_samples=True, odd_answers=odd, by_key=True, seed=4, **ANSWERING)
    received = texts(complete([question(n, 7) for n in range(30)], model(server), tmp_path))
    assert [sorted(row) for row in received] == [answers(n, *range(7)) for n in range(30)]


def test_a_provider_that_ignores_n_is_noticed_and_served_one_by_one(serve, model, tmp_path):
    server = serve(fresh_samples=True, odd_answers={"ignore_n": 1.0}, latency=0.02, **ANSWERING)
    received = texts(complete([question(n, 4) for n in range(20)], model(server), tmp_path))
    assert [sorted(row) for row in received] == [answers(n, *range(4)) for n in range(20)]
    asked = [line["n"] for line in server.log() if line["event"] == "asked"]
    assert len(asked) == 80
    assert sum(n > 1 for n in asked) <= 8  # those that were under way when the first reply came
    assert server.summary()["most_in_flight"] == 8  # single samples keep to the limit as well


def test_samples_that_are_asked_for_one_by_one_have_seeds_of_their_own(serve, model, tmp_path):
    server = serve(odd_answers={"ignore_n": 1.0})
    list(complete([question(1, 3, seed=7)], model(server), tmp_path))
    assert list(server.summary()["requests_per_key"].values()) == [1, 1, 1]  # three different requests


def test_equal_requests_at_the_same_time_are_paid_once(serve, model, tmp_path):
    server = serve(latency=0.1, **ANSWERING)
    assert texts(complete([question(1)] * 20, model(server), tmp_path)) == [answers(1, 0)] * 20
    assert server.summary()["requests"] == 1


def test_what_is_known_is_not_asked(serve, model, tmp_path):
    server = serve(**ANSWERING)
    first = list(complete([question(n, 2) for n in range(20)], model(server), tmp_path))
    again = list(complete([question(n, 2) for n in range(20)], model(server, timeout=5.0, concurrency=1), tmp_path))
    assert (again, server.summary()["requests"]) == (first, 20)


@pytest.mark.parametrize(
    ("sampling", "settings", "requests"),
    [({"temperature": 0.5}, {}, 2), ({"seed": 1}, {}, 2), ({}, {"options": {"top_k": 3}}, 2),
     ({}, {"sampling": {"top_p": 0.5}}, 2), ({}, {"sampling": {"max_tokens": 50}}, 1)],  # which the stage says anyhow
)  # fmt: skip
def test_all_that_can_change_an_answer_is_part_of_the_key(serve, model, tmp_path, sampling, settings, requests):
    server = serve()
    list(complete([question(1)], model(server), tmp_path))
    list(complete([question(1, **sampling)], model(server, **settings), tmp_path))
    assert server.summary()["requests"] == requests


def test_replay_answers_from_the_ledger_and_fails_on_a_miss(serve, model, tmp_path):
    server = serve(**ANSWERING)
    first = list(complete([question(1)], model(server), tmp_path))
    files = sorted(tmp_path.iterdir())
    replayed = complete([question(1), question(2)], model(server, mode="replay"), tmp_path)
    assert next(replayed) == first[0]
    expected = "mode replay, and the ledger has no answer for call [0-9a-f]{32}, '.*'; its text, prompt or settings"
    with pytest.raises(ModelError, match=expected):
        next(replayed)
    assert (server.summary()["requests"], sorted(tmp_path.iterdir())) == (1, files)


def test_a_model_that_is_renamed_in_between_is_told_once_and_counted_apart(serve, model, tmp_path, caplog):
    server, ledger = serve(**ANSWERING), tmp_path / "ledger"
    served = {}
    with caplog.at_level(logging.INFO, "ragassay"):
        for number, odd in enumerate(({}, {"renamed": 1.0}, {"renamed": 1.0})):
            server.control(odd_answers=odd)
            asked, expected = zip(*((question(n), answers(n, 0)) for n in range(10 * (number + 1))), strict=True)
            assert texts(complete(asked, model(server), ledger, tmp_path / "calls")) == list(expected)
            served = json.loads(tables.read(CALLS, tmp_path / "calls").to_pylist()[0]["served_as"])
    [line] = [line for line in caplog.messages if "its provider answers as" in line]
    assert "answers as loopback-0613 now, and answered as loopback before" in line
    assert served == {"loopback": 10, "loopback-0613": 20}


FAULTS = dict.fromkeys(("429", "500", "503", "408", "drop", "cut", "cut_short", "html"), 0.04)


def test_every_row_arrives_through_faults_and_what_was_billed_twice_is_known(serve, model, tmp_path, quick):
    server = serve(faults=FAULTS, by_key=True, seed=3, retry_after=0.01, latency=0.005, **ANSWERING)
    ledger, table = tmp_path / "ledger", tmp_path / "calls.parquet"
    received = texts(complete([question(n, 2) for n in range(300)], model(server), ledger, table))
    assert received == [answers(n, 0, 1) for n in range(300)]  # no bad reply touched another row
    summary, (row,) = server.summary(), tables.read(CALLS, table).to_pylist()
    lost = sum(summary["kinds"][kind] for kind in ("drop", "cut", "cut_short", "html"))
    assert min(summary["kinds"].values()) > 0 and len(summary["kinds"]) == len(FAULTS) + 1
    assert row["possibly_billed_twice"] == summary["samples"] - 600 == 2 * lost
    assert (row["requests"], row["samples"]) == (summary["requests"], 600)
    assert row["retries"] == row["failures"] == row["requests"] - 300
    again = tmp_path / "again.parquet"
    assert texts(complete([question(n, 2) for n in range(300)], model(server), ledger, again)) == received
    assert again.read_bytes() == table.read_bytes()  # the same ledger gives the same row
    assert server.summary()["requests"] == summary["requests"]


@pytest.mark.clock
def test_a_reply_that_never_comes_is_asked_again(serve, model, tmp_path, quick):
    server = serve(faults_at={"2": "hang"}, **ANSWERING)
    received = texts(complete([question(n) for n in range(5)], model(server, timeout=2.0), tmp_path))
    assert received == [answers(n, 0) for n in range(5)]
    assert Ledger(tmp_path).possibly_billed_twice == 1


def test_a_request_that_fails_for_good_leaves_a_gap_and_the_rest_is_kept(serve, model, tmp_path, quick):
    server, before = serve(**ANSWERING), []
    items = [question("poison" if n == 3 else n) for n in range(20)]
    with pytest.raises(Unanswered, match=r"1 of 20 items have no answer; run again .*: .*HTTP 500") as error:
        before.extend(complete(items, model(server, concurrency=4), tmp_path))
    assert error.value.exit_code == 1
    assert texts(before) == [answers(n, 0) for n in range(3)]  # none behind the gap, where it would be another's
    asked = 19 + 2 * 8  # the retry budget, and once more when all else was asked
    assert server.summary()["requests"] == asked
    server.control(respond="echo")
    assert len(list(complete(items, model(server), tmp_path))) == 20
    assert server.summary()["requests"] == asked + 1


def test_a_conversation_can_live_with_a_request_that_failed(serve, model, tmp_path, quick):
    async def brave(item, ask):
        try:
            return (await ask(item))[0].text
        except GaveUp:
            return None

    items = [question("poison"), question(2)]
    assert list(converse(items, brave, model(serve(**ANSWERING)), tmp_path)) == [None, *answers(2, 0)]


def test_conversations_of_dependent_calls_keep_all_places_busy(model, tmp_path, monkeypatch):
    in_flight, counts = [], []

    class Crowded(Provider):
        """Answers as soon as all eight places are taken, or after a while; notes how many were."""

        async def send(self, messages, sampling, samples):
            in_flight.append(self)
            for _ in range(20_000):
                if len(in_flight) == 8 or len(counts) > 150:  # of 180: at the end there is less to do
                    break
                await asyncio.sleep(0)
            counts.append(len(in_flight))
            in_flight.pop()
            return messages[-1]["content"], {}

        def read(self, body):
            return [Answer(body, "stop")], Usage()

    async def conversation(number, ask):
        text = str(number)
        for _ in range(1 + number % 5):
            (answer,) = await ask(question(text))
            text = answer.text
        return text

    monkeypatch.setattr("ragassay.calls.complete.provider_for", Crowded)
    given = model("http://127.0.0.1:1/v1", requests_per_minute=10_000_000)  # it need not find out that there is none
    received = list(converse(range(60), conversation, given, tmp_path))
    assert [text.count("Question") for text in received] == [1 + n % 5 for n in range(60)]
    assert len(counts) == 180 and set(counts[1:150]) == {8}  # the first one opens the connection for all


def side_by_side(run):
    """Run it as "a" and as "b" at the same time."""
    threads = [threading.Thread(target=run, args=[name]) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("second", ["ledger", "other/ledger"])
def test_two_runs_on_one_ledger_pay_once(serve, model, tmp_path, second):
    server, received = serve(latency=0.02, **ANSWERING), {}
    (tmp_path / "other").mkdir()
    (tmp_path / "other/ledger").symlink_to(tmp_path / "ledger")  # of two projects, one has a link to the other's
    folders = {"a": tmp_path / "ledger", "b": tmp_path / second}

    def run(name):
        received[name] = texts(complete([question(n) for n in range(40)], model(server), folders[name]))

    side_by_side(run)
    assert received["a"] == received["b"] == [answers(n, 0) for n in range(40)]
    assert server.summary()["requests"] == 40


def test_two_runs_without_a_lease_pay_twice_and_agree_afterwards(serve, model, tmp_path, monkeypatch):
    monkeypatch.setattr("ragassay.calls.complete.Lease", lambda folder, *_: Lease(folder, needed=False))
    server, received = serve(latency=0.02, fresh_samples=True, **ANSWERING), {}
    gate = threading.Barrier(2)

    def run(name):
        gate.wait()
        received[name] = texts(complete([question(n) for n in range(40)], model(server), tmp_path))

    side_by_side(run)
    asked = server.summary()["requests"]
    merged = texts(complete([question(n) for n in range(40)], model(server), tmp_path))
    assert server.summary()["requests"] == asked
    assert all(row in (a, b) for row, a, b in zip(merged, received["a"], received["b"], strict=True))


def test_of_two_answers_to_a_sample_the_first_counts(model, tmp_path):
    asked, ledger = model("http://x/v1", mode="replay"), Ledger(tmp_path)
    key = call_key(provider_for(asked).identity(), question(1, 2))
    for samples, received in (([0], ["first"]), ([0, 1], ["second", "third"])):
        body = json.dumps({"choices": [{"index": n, "message": {"content": text}} for n, text in enumerate(received)]})
        ledger.done(ledger.intent(key, samples), body)
    ledger.close()
    assert texts(complete([question(1, 2)], asked, tmp_path)) == [["first", "third"]]


def test_items_are_taken_only_when_they_are_needed(serve, model, tmp_path, monkeypatch):
    monkeypatch.setattr("ragassay.calls._workers.AHEAD", 20)
    taken = []

    def items():
        for number in range(10_000):
            taken.append(number)
            yield question(number)

    results = complete(items(), model(serve()), tmp_path)
    next(results)
    assert len(taken) <= 30
    results.close()


def test_a_slow_first_item_holds_up_nobody(serve, model, tmp_path):
    done = []

    async def conversation(number, ask):
        while number == 0 and len(done) < 199:
            await asyncio.sleep(0)
        done.append(number)
        return number

    assert list(converse(range(200), conversation, model(serve()), tmp_path)) == list(range(200))
    assert done[-1] == 0
