"""Mode batch against the loopback server: the answers of mode online, no batch bought twice, whatever goes wrong."""

import asyncio
import contextlib
import dataclasses
import json
import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from calling import questions, texts
from clocks import until
from project import ROOT
from ragassay.base import tables
from ragassay.calls import _caller
from ragassay.calls.batches import batch_caller, submission
from ragassay.calls.batches.submission import SentBatch
from ragassay.calls.complete import GaveUp, Stopped, Unanswered, complete, converse
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.limits.money import OverBudget, Purse
from ragassay.calls.model import Model, ModelError, Request, provider_for
from ragassay.schemas.report import CALLS

PRICE = {"input": 100.0, "output": 1000.0, "batch": 0.5}


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """The product's patience, in tenths of seconds."""
    for module, settings in (
        (batch_caller, {"QUIET_SECONDS": 0.05, "FULL_SECONDS": 0.1}),
        (batch_caller.BatchCaller, {"workers": 300}),
        (_caller, {"FIRST_WAIT": 0.02, "ATTEMPTS": 20}),
        (submission, {"FIRST_LOOK": 0.03, "LONGEST_LOOK": 0.1, "FIRST_WAIT": 0.02, "SYNC_SECONDS": 0.005}),
        (submission, {"SETTLE_SECONDS": 0.4, "CALL_SECONDS": 0.5}),
    ):
        for name, value in settings.items():
            monkeypatch.setattr(module, name, value)


def model(server, provider="openai", mode="batch", **more):
    url = server.url if provider == "openai" else server.together_url
    return Model("m", provider, "loopback", url, "LOOPBACK_KEY", price=PRICE, mode=mode, **more)


def requests(count, samples=1, text="Is harbour {} open?"):
    return questions(count, text, samples, max_tokens=60)


def account(tmp_path):
    (row,) = tables.read(CALLS, tmp_path / "calls.parquet").to_pylist()
    return row


def answer(asked, model, folder):
    """Answers by way of the ledger `folder`, what was paid in the table beside it."""
    return texts(complete(asked, model, folder / "ledger", folder / "calls.parquet"))


def online(server, asked, tmp_path):
    return answer(asked, model(server, mode="online", concurrency=20), tmp_path / "online")


def batch_rows(server):
    """How often each request was part of a batch."""
    kinds = {}
    for line in server.log():
        if line.get("route") == "batch_row":
            kinds.setdefault(line["key"], []).append(line["kind"])
    return kinds


@contextlib.contextmanager
def in_a_process(target, *arguments):
    process = multiprocessing.get_context("fork").Process(target=target, args=arguments)
    process.start()
    try:
        yield process
    finally:
        process.join()


PROVIDERS = pytest.mark.parametrize("provider", ["openai", "together"])


@PROVIDERS
def test_the_same_answers_as_online_for_half_the_price(serve, tmp_path, provider):
    server, asked = serve(batch_seconds=0.2, batch_shuffled=True), requests(40, 3) + requests(5)
    received = answer(asked, model(server, provider), tmp_path / "batch")
    assert server.summary()["batches_per_input"] == [1] and server.summary()["requests"] == 0
    assert received == online(server, asked, tmp_path)
    batched, direct = account(tmp_path / "batch"), account(tmp_path / "online")
    assert batched["dollars"] == pytest.approx(direct["dollars"] / 2) and batched["dollars"] > 0
    assert batched | {"dollars": 0} == direct | {"dollars": 0}
    before = server.summary()
    assert answer(asked, model(server, provider, mode="replay"), tmp_path / "batch") == received
    assert answer(asked, model(server, provider), tmp_path / "batch") == received
    assert server.summary()["routes"] == before["routes"]


async def chained(item, ask):
    """Three calls, each with the answers of the one before; the third twice at once."""
    messages = [{"role": "user", "content": f"Which {item}?"}]
    first = await ask(Request(messages, {"max_tokens": 60}, 2))
    messages = [*messages, {"role": "assistant", "content": first[1].text}, {"role": "user", "content": "Why?"}]
    second = await ask(Request(messages, {"max_tokens": 60}))
    messages = [*messages, {"role": "assistant", "content": second[0].text}, {"role": "user", "content": "Sure?"}]
    return first + second + await ask(Request(messages, {"max_tokens": 60}))


def test_conversations_take_one_batch_a_turn_and_end_as_online(serve, tmp_path):
    server = serve(batch_seconds=0.1)
    batched, direct = (
        texts(converse(range(30), chained, model(server, mode=mode, concurrency=5), tmp_path / mode))
        for mode in ("batch", "online")
    )
    assert batched == direct
    assert server.summary()["batches_per_input"] == [1, 1, 1]


def test_what_is_missing_or_in_the_error_file_is_sent_again_and_nothing_else(serve, tmp_path):
    server, asked = serve(batch_missing=0.15, batch_errors=0.15, batch_shuffled=True), requests(60, 2)
    received = answer(asked, model(server), tmp_path)
    rows = batch_rows(server)
    assert {row[-1] for row in rows.values()} == {"answer"} and len(rows) == 60
    assert all(kind != "answer" for row in rows.values() for kind in row[:-1])
    kinds, paid = server.summary()["kinds"], account(tmp_path)
    assert kinds["missing"] > 0 and kinds["500"] > 0
    assert paid["possibly_billed_twice"] == 2 * kinds["missing"] and paid["failures"] == kinds["missing"] + kinds["500"]
    assert paid["retries"] == paid["failures"] and paid["requests"] == 60 + paid["failures"]
    assert received == online(server, asked, tmp_path)


@pytest.mark.parametrize("expires", [True, False])
def test_a_batch_that_expires_or_is_cancelled_gives_what_it_has_and_frees_the_rest(serve, tmp_path, expires):
    seconds = {"batch_seconds": 0.8, "batch_expires_after": 0.4} if expires else {"batch_seconds": 20}
    server, asked = serve(**seconds), requests(40)

    def end():
        if not expires:
            until(lambda: server.summary()["batches_per_input"] == [1])
            with server.openai() as client:
                until(lambda: client.batches.retrieve("batch_000001").request_counts.completed)
                client.batches.cancel("batch_000001")
        until(lambda: len(server.summary()["batches_per_input"]) == 2)
        server.control(batch_seconds=0.2, batch_expires_after=100)

    with in_a_process(end):
        received = answer(asked, model(server), tmp_path)
    paid = account(tmp_path)
    assert sorted(map(len, batch_rows(server).values())) == [1] * 40
    assert paid["possibly_billed_twice"] == 0 < paid["failures"] < 40 == paid["samples"]
    assert received == online(server, asked, tmp_path)


@pytest.mark.parametrize(
    ("odd", "reason"),
    [("", "too_long"), ("moderated", "refusal"), ("moderated_in_200", "refusal"), ("blocked", "refusal"),
     ("without_choices", "provider_error"), ("always_broken", "provider_error")],
)  # fmt: skip
def test_one_refused_request_abstains_and_costs_one_whatever_the_refusal_wears(serve, tmp_path, odd, reason):
    server = serve(odd_words={"forbidden": odd} if odd else {}, context_tokens=100)
    bad = requests(1, text="forbidden" if odd else "word " * 300)
    for _ in range(2):  # a refusal is not asked again
        *others, (refused,) = complete(requests(10) + bad, model(server), tmp_path / "ledger")
        assert [answer.finish_reason for (answer,) in others] == ["stop"] * 10
        assert (refused.text, refused.finish_reason) == ("", reason)
        assert odd or refused.detail.startswith("HTTP 400 for a request of batch batch_000001: The messages have")
    times = [len(row) for row in batch_rows(server).values()]
    assert len(times) == 11 and (sum(times) == 11 or reason == "provider_error")


@pytest.mark.parametrize(
    ("error", "refused", "again"),
    [
        ({"code": "content_filter", "message": "flagged by moderation"}, "refusal", False),
        ({"code": 400, "message": "max_tokens must be at least 1, got -9"}, "too_long", False),
        ({"code": "batch_expired", "message": "it could not be executed before the window expired"}, "", True),
        ({"code": "server_error", "message": "try later"}, "", True),
        ({}, "", True),
    ],
)
def test_an_error_without_a_status_says_itself_whether_it_passes(serve, error, refused, again):
    caller = SimpleNamespace(model=model(serve()), fail=lambda _row, failure: failure)
    batch = SimpleNamespace(caller=caller, job=SimpleNamespace(id="batch_1"), lost=0.0, paid=0.0)
    failure = SentBatch._outcome(batch, SimpleNamespace(worst=0.5), {"response": None, "error": error})
    assert (failure.refused, failure.again, batch.lost) == (refused, again, 0.0)


def test_when_all_are_refused_the_job_stops(serve, tmp_path):
    server = serve(context_tokens=10)
    with pytest.raises(ModelError, match="the first 30 requests were all refused, the last: HTTP 400 for a request"):
        answer(requests(30), model(server), tmp_path)
    server.control(context_tokens=1000)
    assert len(answer(requests(30), model(server), tmp_path)) == 30


def test_where_n_is_refused_each_sample_becomes_a_row_with_a_seed_of_its_own(serve, tmp_path, caplog):
    server = serve(most_samples=1, fresh_samples=True)
    asked = questions(20, samples=3, seed=7)
    with caplog.at_level(logging.INFO, "ragassay"):
        received = answer(asked, model(server), tmp_path)
    assert all(len(set(row)) == 3 for row in received)
    assert "takes no `n`" in caplog.text and caplog.text.count("takes no `n`") == 1
    assert sorted(map(len, batch_rows(server).values())) == [1] * 80  # 20 that were refused, 60 that differ by seed


@pytest.mark.parametrize("rows, size, batches", [(7, 10**9, 6), (10**9, 4_000, 2)])
def test_batches_are_no_larger_than_the_provider_takes(serve, tmp_path, monkeypatch, rows, size, batches):
    server = serve(batch_seconds=0.1)
    monkeypatch.setattr("ragassay.calls.providers.openai.Provider.most_rows", rows)
    monkeypatch.setattr("ragassay.calls.providers.openai.Provider.most_bytes", size)
    assert len(answer(requests(40), model(server), tmp_path)) == 40
    sizes = [len(record["rows"]) for record in records(tmp_path) if record["t"] == "b"]
    assert sum(sizes) == 40 and max(sizes) <= rows and len(sizes) >= batches
    assert server.summary()["batches_per_input"] == [1] * len(sizes)


def records(tmp_path):
    for file in sorted((tmp_path / "ledger").glob("*.jsonl")):
        yield from (json.loads(line.split(b" ", 2)[2]) for line in file.read_bytes().splitlines())


@PROVIDERS
@pytest.mark.parametrize(
    "faults",
    [
        {"batches.create": ["drop"]},
        {"batches.create": ["hang"]},
        {"batches.create": ["cut_short"]},
        {"batches.create": ["html"]},
        {"batches.create": ["abort", "500", "429"]},
        {"batches.create": ["drop"], "batches.list": ["500", "hang", "html"]},
        {"files.create": ["500", "hang", "drop"], "files.upload": ["abort"]},
        {"batches.get": ["500", "drop", "hang", "html", "cut"]},
        {"files.content": ["cut", "cut_short", "500"], "files.get": ["drop"]},
        {"files.content": ["hang"]},
    ],
    ids=lambda faults: "-".join(f"{route.split('.')[1]}_{'_'.join(kinds)}" for route, kinds in faults.items()),
)
def test_whatever_goes_wrong_on_the_way_no_batch_is_created_twice(serve, tmp_path, monkeypatch, provider, faults):
    monkeypatch.setattr(submission, "FILE_SECONDS", 0.5)
    server, asked = serve(batch_seconds=0.1, route_faults=faults, retry_after=0.05), requests(10, 2)
    received = answer(asked, model(server, provider), tmp_path)
    assert server.summary()["batches_per_input"] == [1]
    assert sorted(map(len, batch_rows(server).values())) == [1] * 10
    assert account(tmp_path)["possibly_billed_twice"] == 0
    assert received == online(server, asked, tmp_path)


def test_a_list_that_does_not_come_leaves_the_batch_to_the_next_run(serve, tmp_path):
    """Nobody knows whether the batch was created, so its requests are neither free nor lost."""
    server = serve(route_faults={"batches.create": ["drop"], "batches.list": ["500"] * 8})
    with pytest.raises(ModelError, match="no answer in 8 tries, the last: HTTP 500"):
        answer(requests(10), model(server), tmp_path)
    server.control(route_faults={})
    assert len(answer(requests(10), model(server), tmp_path)) == 10
    assert server.summary()["batches_per_input"] == [1] and account(tmp_path)["possibly_billed_twice"] == 0


@pytest.mark.parametrize(
    ("changed", "faults", "told"),
    [
        ({"key_variable": "WRONG_KEY"}, {}, "HTTP 401 from .* check the key in the environment variable WRONG_KEY"),
        ({}, {"batches.create": ["400"]}, "HTTP 400 from .*; check that the provider takes batches"),
        ({}, {"files.create": ["500"] * 9}, "no answer in 8 tries, the last: HTTP 500"),
        ({"provider": "rules", "model": "careful"}, {}, "provider rules has no batches; set mode to online"),
    ],
)
def test_what_cannot_be_helped_is_told_in_one_line(serve, tmp_path, monkeypatch, changed, faults, told):
    monkeypatch.setenv("WRONG_KEY", "wrong")
    server = serve(route_faults=faults)
    asked = dataclasses.replace(model(server), **changed)
    with pytest.raises(ModelError, match=f"model m: {told}") as caught:
        answer(requests(5), asked, tmp_path)
    assert "\n" not in str(caught.value)
    assert server.summary()["batches_per_input"] == []
    ledger = Ledger(tmp_path / "ledger")
    assert ledger.possibly_billed_twice == 0 and not list(ledger.open_batches())


def ask_and_exit(asked, model, folder):
    try:
        answer(asked, model, folder)
    except Stopped as error:
        os._exit(error.exit_code)
    os._exit(0)


def killed_while_it_waits(asked, model, folder):
    with in_a_process(ask_and_exit, asked, model, folder) as process:
        until(lambda: any("job" in record for record in records(folder)))
        os.kill(process.pid, signal.SIGKILL)


@pytest.mark.clock
@PROVIDERS
@pytest.mark.parametrize("by, status", [(signal.SIGTERM, 75), (signal.SIGKILL, -9)])
def test_a_batch_of_a_run_that_ended_is_adopted(serve, tmp_path, caplog, monkeypatch, provider, by, status):
    server, asked = serve(batch_seconds=10_000), requests(20, 2)
    with monkeypatch.context() as patience:
        # A batch is not in flight: nobody waits for it.
        patience.setattr(_caller.Caller.halt, "__defaults__", (10_000.0,))
        with in_a_process(ask_and_exit, asked, model(server, provider), tmp_path) as process:
            until(lambda: server.summary()["batches_per_input"] == [1])
            time.sleep(0.1)
            os.kill(process.pid, by)
    assert process.exitcode == status
    assert Ledger(tmp_path / "ledger").possibly_billed_twice == 40
    caplog.set_level(logging.INFO, "ragassay")
    more = asked[5:] + requests(3, text="Another {}?")

    def finish():
        until(lambda: "waiting for 1 batch of 20 requests at the provider" in caplog.text)
        server.control(batch_seconds=0)

    with ThreadPoolExecutor(1) as pool:
        finishing = pool.submit(finish)
        received = answer(more, model(server, provider), tmp_path)
        finishing.result()
    assert "batch_000001 of 20 requests of an earlier run is at the provider; its requests are not sent" in caplog.text
    assert sorted(map(len, batch_rows(server).values())) == [1] * 23
    paid = account(tmp_path)
    assert (paid["possibly_billed_twice"], paid["samples"], paid["requests"], paid["retries"]) == (0, 43, 23, 0)
    assert received == online(server, more, tmp_path)
    # The five that only the first run wanted are in the ledger as well.
    assert len(answer(asked, model(server, provider, mode="replay"), tmp_path)) == 20


def test_an_online_run_beside_an_open_batch_says_what_it_costs(serve, tmp_path, caplog):
    server, asked = serve(batch_seconds=60), requests(10)
    killed_while_it_waits(asked, model(server), tmp_path)
    caplog.set_level(logging.INFO, "ragassay")
    answer(asked, model(server, mode="online"), tmp_path)
    assert "10 requests are in batches, which mode online does not wait for" in caplog.text
    assert account(tmp_path)["possibly_billed_twice"] == 10


def test_a_batch_that_the_provider_forgot_is_sent_again_and_counted(serve, tmp_path):
    asked = requests(10)
    server = serve(batch_seconds=60)
    killed_while_it_waits(asked, model(server), tmp_path)
    server.control(route_faults={"batches.get": ["404"]}, batch_seconds=0.1)
    answer(asked, model(server), tmp_path)
    assert account(tmp_path)["possibly_billed_twice"] == 10


def test_a_ledger_of_a_process_whose_clock_was_behind(serve, tmp_path):
    """Replies that another process wrote down are read before the batch that they belong to."""
    server, asked = serve(batch_seconds=1.0, batch_errors=0.3, seed=4), requests(10)
    killed_while_it_waits(asked, model(server), tmp_path)
    answer(asked, model(server), tmp_path)
    first = min((tmp_path / "ledger").glob("*.jsonl"))
    first.rename(first.with_name(f"9{first.name}"))
    ledger = Ledger(tmp_path / "ledger")
    assert not list(ledger.open_batches()) and ledger.possibly_billed_twice == 0


def test_a_cap_that_does_not_allow_all_at_once_is_kept_by_several_batches(serve, tmp_path):
    """Each request may cost about 32 tokens in, 60 out: 3.2 cents at most, and takes about a cent."""
    server, asked = serve(batch_seconds=0.1), requests(40)
    received = answer(asked, model(server, budget_usd=0.65), tmp_path)
    assert len(received) == 40 and account(tmp_path)["dollars"] <= 0.65
    assert len(server.summary()["batches_per_input"]) > 1
    more = requests(40, text="Another {}?")
    with pytest.raises(OverBudget, match=r"budget_usd 0.65: .* raise the budget and run again"):
        answer(asked + more, model(server, budget_usd=0.65), tmp_path)
    assert sorted({len(row) for row in batch_rows(server).values()}) == [1]
    dollars = Ledger(tmp_path / "ledger").dollars
    assert 0.6 < dollars <= 0.65


def test_what_an_adopted_batch_may_cost_is_waited_for_before_the_cap_is_said_to_be_reached(serve, tmp_path):
    """Forty requests hold 1.3 dollars until they are known to take 0.4."""
    server, asked = serve(batch_seconds=1.0), requests(40)
    killed_while_it_waits(asked, model(server, budget_usd=1.32), tmp_path)
    more = requests(30, text="Another {}?") + asked
    assert len(answer(more, model(server, budget_usd=1.32), tmp_path)) == 70
    assert sorted(map(len, batch_rows(server).values())) == [1] * 70


def test_what_an_adopted_batch_lost_counts_while_the_run_goes_on(serve, tmp_path, monkeypatch):
    server, asked, purses, close = serve(batch_seconds=1.0, batch_missing=0.3), requests(30), [], Purse.close

    def closed(purse, spent, lost):
        purses.append(((purse.spent, purse.lost, purse.reserved), (spent, lost, 0)))
        close(purse, spent, lost)

    monkeypatch.setattr(Purse, "close", closed)
    killed_while_it_waits(asked, model(server, budget_usd=50.0), tmp_path)
    answer(asked, model(server, budget_usd=50.0), tmp_path)
    [(known, in_the_ledger)] = purses
    assert known == pytest.approx(in_the_ledger) and min(known[:2]) > 0


@pytest.mark.clock
@pytest.mark.parametrize("killed", [False, True])
def test_a_list_that_lags_behind_is_asked_again(serve, tmp_path, monkeypatch, killed):
    server, asked = serve(batch_seconds=0.1, route_faults={"batches.create": ["drop"]}), requests(10)
    provider, looks = type(provider_for(model(server))), []
    jobs = provider.jobs
    monkeypatch.setattr(submission, "SETTLE_SECONDS", 8.0)

    async def late(self, since):
        looks.append(await jobs(self, since))
        return looks[-1] if len(looks) > 1 else []

    async def never(self, since):
        await asyncio.sleep(60)

    if killed:
        monkeypatch.setattr(provider, "jobs", never)
        with in_a_process(ask_and_exit, asked, model(server), tmp_path) as process:
            until(lambda: server.summary()["batches_per_input"] == [1])
            os.kill(process.pid, signal.SIGKILL)
    monkeypatch.setattr(provider, "jobs", late)
    assert len(answer(asked, model(server), tmp_path)) == 10
    assert len(looks) > 1 and sorted(map(len, batch_rows(server).values())) == [1] * 10


def test_a_provider_that_is_full_is_waited_for(serve, tmp_path, monkeypatch, caplog):
    """The server has no such limit; what it says of the first two batches is put in its mouth."""
    server, seen = serve(batch_seconds=0.2), []
    provider = type(provider_for(model(server)))
    look = provider.job

    async def full(self, name):
        job = await look(self, name)
        seen.append(name)
        if name in ("batch_000001", "batch_000002"):
            return dataclasses.replace(job, state="failed", files=[], error="token_limit_exceeded: Enqueued limit")
        return job

    monkeypatch.setattr(provider, "job", full)
    caplog.set_level(logging.INFO, "ragassay")
    assert len(answer(requests(16), model(server), tmp_path)) == 16
    assert "the provider refused a batch for now (token_limit_exceeded" in caplog.text
    sizes = [len(record["rows"]) for record in records(tmp_path) if record["t"] == "b"]
    assert sizes[0] == 16 and max(sizes[1:]) == 8  # each refusal of a batch that is alone halves the next


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_rows_that_stay_without_a_reply_end_the_run_with_an_error(serve, tmp_path, monkeypatch, seconds):
    monkeypatch.setattr(_caller, "ATTEMPTS", 3)
    server = serve(batch_errors=1.0, batch_seconds=seconds)
    with pytest.raises((Unanswered, GaveUp, ModelError), match="no answer in 3 tries, the last: HTTP 500"):
        answer(requests(3), model(server), tmp_path)


def test_kills_around_upload_creation_looks_and_download():
    """`make bench-chaos ARGS=batches` kills more often."""
    command = [sys.executable, "benchmarks/chaos.py", "batches", "6"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    assert "figure batches_bought_twice 0 " in done.stdout
