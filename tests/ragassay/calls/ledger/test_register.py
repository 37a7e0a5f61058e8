"""The register: one budget for all jobs of a model, whatever is killed, and what each was granted of its limits."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from ragassay.base.atomic import HOST
from ragassay.base.errors import AssayError
from ragassay.calls.ledger.register import STALE, STEP, Register

JOB = """
import asyncio, os, sys
from ragassay.calls import complete, model
from ragassay.calls.model import Answer, Model, Request, Usage
from ragassay.calls.limits.money import OverBudget

folder, name, cap, count = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])


class Provider(model.Provider):
    async def send(self, messages, sampling, samples):
        tokens = 10 + hash(messages[0]["content"]) % 90
        with open(folder + "/billed", "a") as billed:
            billed.write(f"{tokens}\\n")
        await asyncio.sleep(0.002)
        return str(tokens), {}

    def read(self, body):
        return [Answer("yes", "stop")], Usage(1, 0, int(body) - 1)


complete.provider_for = Provider
tested = Model("tested", "x", "x", concurrency=4, price={"input": 1e6, "output": 1e6}, budget_usd=cap,
               register=folder + "/model")
requests = [Request([{"role": "user", "content": f"{name} {n}"}], {"max_tokens": 100}) for n in range(count)]
try:
    for _ in complete.complete(requests, tested, folder + "/" + name):
        print("answered", flush=True)
except OverBudget as error:
    print(error)
    sys.exit(3)
"""


def start(folder, name, cap, count=60):
    command = [sys.executable, "-c", JOB, str(folder), name, str(cap), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONHASHSEED": "0"})


def billed(folder):
    return sum(map(int, (folder / "billed").read_text().split()))


def test_jobs_that_are_killed_and_run_again_stay_below_one_cap(tmp_path):
    cap, draw, ends = 7000, random.Random(7), []
    for _ in range(4):
        running = [start(tmp_path, f"job{number}", cap) for number in range(3)]
        running[0].stdout.readline()
        if ends:  # at first at once, while there is money to spend
            time.sleep(draw.uniform(0.0, 0.15))
        running[draw.randrange(3) if ends else 0].send_signal(signal.SIGKILL)
        ends += [(job.communicate(), job.returncode)[1] for job in running]
        assert billed(tmp_path) <= cap
    assert {-signal.SIGKILL, 3} <= set(ends) <= {-signal.SIGKILL, 3, 0}
    assert billed(tmp_path) > 0.5 * cap


def test_a_job_that_is_done_gives_back_what_it_did_not_use(tmp_path):
    first = start(tmp_path, "first", 100_000, count=5)
    first.communicate()
    spent = json.loads((tmp_path / "model/money.json").read_text())[f"{tmp_path}/first"]
    assert (first.returncode, spent) == (0, [billed(tmp_path), 0])
    second = start(tmp_path, "second", spent[0] + 200, count=50)
    told = second.communicate()[0].splitlines()[-1]
    assert second.returncode == 3
    assert f"{spent[0]:.4f} spent or set aside by other jobs" in told
    assert "run again to go on" in told


def test_a_grant_is_more_than_is_needed_and_never_more_than_there_is(tmp_path):
    one, other = Register(tmp_path, "one"), Register(tmp_path, "other")
    assert one.grant(0.1, 0.1, cap=1.0) == (pytest.approx(0.2 + STEP), 0.0)
    assert other.grant(0.5, 0.285, cap=1.0) == (pytest.approx(0.79), pytest.approx(0.21))
    assert other.grant(0.5, 0.3, cap=1.0) == (pytest.approx(0.79), pytest.approx(0.21))
    one.spent(0.1)
    assert other.grant(0.5, 0.3, cap=1.0)[0] == pytest.approx(0.81)
    dear = Register(tmp_path, "dear")
    assert dear.grant(0.1, 0.1, cap=9.0, excess=4.0) == (pytest.approx(0.5 + STEP * 9 / 4), pytest.approx(1.84))
    assert json.loads(dear.money.read_text())["dear"] == [0.1, pytest.approx((0.4 + STEP * 9 / 4) / 4)]


def test_what_others_may_still_spend_counts_at_the_price_that_was_seen_since(tmp_path):
    killed, other = Register(tmp_path, "killed"), Register(tmp_path, "other")
    killed.spent(0.1, 0.01)
    assert other.grant(0.0, 0.01, cap=1.0, excess=40.0) == (pytest.approx(0.4 + 0.01 / 40), pytest.approx(0.5))
    assert other.grant(0.0, 0.02, cap=1.0, excess=40.0)[0] == pytest.approx(0.4 + 0.01 / 40)


def test_who_spent_nothing_writes_nothing(tmp_path):
    Register(tmp_path, "one").spent(0.0)
    assert not (tmp_path / "money.json").exists()


def test_a_damaged_register_says_what_to_do(tmp_path):
    for damaged in ("{", "[]", '{"other": 1.0}', '{"other": [1.0, "x"]}'):
        (tmp_path / "money.json").write_text(damaged)
        with pytest.raises(AssayError, match=r"money\.json: found something else than JSON .*delete it"):
            Register(tmp_path, "one").grant(1.0, 0.0, cap=2.0)


# --- grants ----------------------------------------------------------------------------------------------------------


def joined(folder, name=None):
    register = Register(folder, "ledger")
    register.name = name or register.name
    with register.shared() as (kept, now):
        kept["jobs"][register.name] = [now, 1, 1]
    return register


def jobs(folder):
    with Register(folder, "ledger").shared() as (kept, _):
        return set(kept["jobs"])


def test_a_job_whose_process_is_gone_has_no_grants(tmp_path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    living = joined(tmp_path)
    joined(tmp_path, f"{HOST} {gone.pid} 1")
    assert jobs(tmp_path) == {living.name}


def test_a_silent_job_on_another_machine_has_no_grants_after_a_minute(tmp_path):
    silent = joined(tmp_path, "elsewhere 1 1")
    stamped = joined(tmp_path, "elsewhere 2 2")
    for seconds, left in [(STALE - 5, {silent.name, stamped.name}), (10, {stamped.name})]:
        grants = json.loads(stamped.grants.read_text().splitlines()[0])
        for job in grants["jobs"].values():
            job[0] -= seconds
        stamped.grants.write_text(json.dumps(grants))
        stamped.stamp()
        assert jobs(tmp_path) == left


def test_a_machine_that_slept_or_whose_clock_was_set_ahead_keeps_all_grants(tmp_path):
    ours, other = joined(tmp_path), joined(tmp_path, "elsewhere 1 1")
    grants = json.loads(ours.grants.read_text().splitlines()[0])
    for job in grants["jobs"].values():
        job[0] -= 3600
    ours.grants.write_text(json.dumps(grants))
    ours.stamp()
    assert jobs(tmp_path) == {ours.name, other.name}


def test_time_is_the_clock_of_the_file_system(tmp_path):
    with joined(tmp_path).shared() as (_, now):
        assert now == tmp_path.joinpath("grants.json").stat().st_mtime


def test_an_error_changes_no_grants(tmp_path):
    with pytest.raises(KeyError), joined(tmp_path).shared() as (kept, _):
        raise KeyError(kept["jobs"].clear())
    assert len(jobs(tmp_path)) == 1


def test_damaged_grants_say_what_to_do(tmp_path):
    (tmp_path / "grants.json").write_text("{")
    with pytest.raises(
        AssayError, match=r"grants\.json: found something else than JSON .*delete it while no job asks this model"
    ):
        joined(tmp_path)
