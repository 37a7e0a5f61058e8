"""How a run ends that cannot go on: at once, in one line that says what to change, with all that was answered kept."""

import asyncio
import errno
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from calling import questions, replies
from clocks import until
from ragassay.calls import _caller
from ragassay.calls.complete import Stopped, complete, converse
from ragassay.calls.ledger import journal
from ragassay.calls.ledger.journal import LedgerError
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import ModelError


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("401", "check the key in the environment variable LOOPBACK_KEY"),
        ("403", "the key in the environment variable LOOPBACK_KEY may not use model loopback"),
        ("404", "check the model's name 'loopback' and its base_url"),
        ("402", "the account has no credit left"),
        ("405", "base_url leads to another address"),
    ],
)
def test_what_concerns_all_requests_stops_at_once_and_what_was_answered_stays(serve, model, tmp_path, status, told):
    server = serve(faults_at={"30": status}, latency=0.02)
    with pytest.raises(ModelError) as error:
        list(complete(questions(1000), model(server), tmp_path))
    line = str(error.value)
    assert line.startswith(f"model tested: HTTP {status} from {server.url}: ")
    assert told in line and "\n" not in line
    summary = server.summary()
    assert 30 <= summary["requests"] <= 30 + 8
    assert replies(tmp_path) == summary["kinds"]["answer"]  # those in flight were awaited


def test_a_provider_that_is_away_ends_the_run(serve, model, tmp_path, quick):
    server = serve(faults={"500": 1.0})
    with pytest.raises(ModelError, match=r"10 requests in a row ended so, the provider does not answer: try later"):
        list(complete(questions(1000), model(server), tmp_path))
    assert server.summary()["requests"] <= 18 * _caller.ATTEMPTS


def test_a_slow_provider_is_paid_twice_for_a_request_and_the_timeout_is_named(serve, model, tmp_path, quick):
    server = serve(faults={"hang": 1.0})
    told = r"no answer in 2 tries, .* within 0\.2 s; if the model is slow, raise its timeout; 10 requests"
    with pytest.raises(ModelError, match=told):
        list(complete(questions(1000), model(server, timeout=0.2), tmp_path))
    counts = server.summary()["requests_per_key"].values()
    assert max(counts) == 2 and sum(counts) <= 2 * (10 + 8)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://127.0.0.1:1/v1", "no answer in 2 tries, the last: no connection to {url}: .*; check base_url and the"),
        ("http://nobody.invalid/v1", "no connection to {url}: Name or service not known; correct base_url, or HTTPS_P"),
    ],
)
def test_an_endpoint_that_does_not_exist_ends_the_run_with_the_first_request(model, tmp_path, quick, url, told):
    with pytest.raises(ModelError, match=told.format(url=url)):
        list(complete(questions(100), model(url, concurrency=1), tmp_path))
    assert Ledger(tmp_path).possibly_billed_twice == 0  # what was never sent is not billed


def test_an_error_of_a_conversation_does_not_wait_for_workers_that_wait_for_it(serve, model, tmp_path, monkeypatch):
    monkeypatch.setattr("ragassay.calls._workers.AHEAD", 4)
    ahead = []

    async def conversation(number, ask):
        if number == 0:
            while len(ahead) < 15:  # twice the eight workers may be ahead
                await asyncio.sleep(0)
            raise ModelError("the first one fails when the others are as far ahead as they may be")
        ahead.append(number)
        return number

    with pytest.raises(ModelError, match="the first one"):
        list(converse(range(100), conversation, model(serve()), tmp_path))
    assert len(ahead) == 15


def test_who_stops_reading_loses_nothing_that_was_paid(serve, model, tmp_path):
    server = serve(latency=0.1)
    results = complete(questions(100), model(server), tmp_path)
    next(results)
    results.close()
    assert replies(tmp_path) == server.summary()["billed"] <= 17


# --- signals -------------------------------------------------------------------------------------------------------


def terminated(server, requests, results):
    """Read results until SIGTERM, which comes as soon as the server has had so many requests, ends them."""

    def terminate():
        until(lambda: server.summary()["requests"] >= requests)
        os.kill(os.getpid(), signal.SIGTERM)

    with ThreadPoolExecutor(1) as pool:
        killing = pool.submit(terminate)
        with pytest.raises(Stopped) as error:
            list(results)
        killing.result()
    assert error.value.exit_code == 75


def test_sigterm_does_not_wait_for_limits_or_for_tries_to_come(serve, model, tmp_path):
    server, before = serve(faults={"429": 1.0}, retry_after=10_000.0), signal.getsignal(signal.SIGTERM)
    terminated(server, 1, complete(questions(60), model(server, requests_per_minute=1), tmp_path))
    assert server.summary()["requests"] == 1 and signal.getsignal(signal.SIGTERM) == before


def test_sigterm_waits_only_so_long_for_a_reply(serve, model, tmp_path, monkeypatch):
    monkeypatch.setattr(_caller.Caller.halt, "__defaults__", (0.5,))
    server = serve(faults={"hang": 1.0})
    terminated(server, 5, complete(questions(5), model(server, timeout=10_000.0), tmp_path))
    assert Ledger(tmp_path).possibly_billed_twice == 5  # it says so


STAGE = """
import sys
from types import SimpleNamespace as Namespace
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request
from ragassay.base.stage import run

def ask(ledger, url):
    model = Model("tested", "openai", "loopback", url, "LOOPBACK_KEY", concurrency=8, price={"input": 0, "output": 0})
    questions = [Request([{"role": "user", "content": f"Question {n}"}]) for n in range(60)]
    for answers in complete(questions, model, ledger):
        print(answers[0].text, flush=True)

url, folder = sys.argv[1:]
settings = {"ledger": folder + "/ledger", "url": url}
job = {"rule": "ask", "wildcards": {}, "log": [folder + "/log"], "input": {}, "output": {}}
run(ask, Namespace(**job, params=Namespace(settings=settings)))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_job_that_is_asked_to_end_exits_with_75_and_the_next_one_with_0(serve, tmp_path, number):
    server, command = serve(latency=0.2), [sys.executable, "-c", STAGE]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    heeding = {"preexec_fn": lambda: signal.signal(number, signal.SIG_DFL)}  # whatever it is for the tests
    with subprocess.Popen([*command, server.url, str(tmp_path)], **pipes, **heeding) as process:
        process.stdout.readline()
        process.send_signal(number)
        process.send_signal(number)  # an impatient user
        _, told = process.communicate()
    waiting, ended = told.decode().splitlines()
    assert process.returncode == 75
    assert re.fullmatch(r"ask: asked to end: waiting for [1-8] requests in flight, 25 s at most", waiting)
    assert ended == "ask: asked to end: what was in flight is in the ledger, run again to go on"
    assert replies(tmp_path / "ledger") == server.summary()["billed"] == server.summary()["requests"] < 60
    assert Ledger(tmp_path / "ledger").possibly_billed_twice == 0
    done = subprocess.run([*command, server.url, str(tmp_path)], capture_output=True, check=True)
    assert (done.stdout.count(b"\n"), done.stderr) == (60, b"")
    assert server.summary()["billed"] == 60


def test_a_job_behind_nohup_outlives_its_terminal(serve, tmp_path):
    server, command = serve(latency=0.05), [sys.executable, "-c", STAGE]
    ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
    with subprocess.Popen([*command, server.url, str(tmp_path)], stdout=subprocess.PIPE, **ignoring) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        process.communicate()
    assert (process.returncode, server.summary()["billed"]) == (0, 60)


def test_a_job_with_missing_rows_does_not_exit_with_0(serve, tmp_path):
    server = serve(faults_at={"10": "401"})
    done = subprocess.run([sys.executable, "-c", STAGE, server.url, str(tmp_path)], capture_output=True)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)


# --- a disk that fails ---------------------------------------------------------------------------------------------


def test_a_failing_sync_stops_sending_although_replies_take_long(serve, model, tmp_path, monkeypatch):
    server, fsync, calls = serve(faults={"hang": 1.0}), os.fsync, []

    def fail(file):
        calls.append(file)
        if len(calls) == 1:
            return fsync(file)  # of the folder
        until(lambda: server.summary()["requests"] == 8)  # all that can be asked is in flight, and nobody writes
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(journal.os, "fsync", fail)
    with pytest.raises(LedgerError, match=r"ledger .*\.jsonl: Input/output error; nothing more is asked; put it right"):
        list(complete(questions(1000), model(server, timeout=10_000.0), tmp_path))
    assert server.summary()["requests"] == 8


@pytest.mark.clock
def test_a_full_disk_stops_sending_and_what_was_written_counts(serve, model, tmp_path, monkeypatch):
    server, write, room = serve(latency=0.02), os.write, [20_000]

    def until_full(file, data):
        if b'"t":' not in data:
            return write(file, data)
        if room[0] <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(file, data[: room[0]])
        room[0] -= written
        return written

    monkeypatch.setattr(journal.os, "write", until_full)
    results = complete(questions(1000), model(server), tmp_path)
    with pytest.raises(LedgerError, match="No space left on device"):
        list(results)
    asked = server.summary()["requests"]
    monkeypatch.undo()
    kept = replies(tmp_path)
    assert 5 < kept <= asked <= kept + 8
    time.sleep(0.3)  # in which more would be asked
    assert server.summary()["requests"] == asked
    monkeypatch.setenv("LOOPBACK_KEY", server.key)
    assert len(list(complete(questions(60), model(server), tmp_path))) == 60
    assert server.summary()["requests"] == asked + 60 - min(kept, 60)
