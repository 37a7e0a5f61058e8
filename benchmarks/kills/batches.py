"""Kill a stage in mode batch around upload, creation, looks and download, run it again until it is done, and count what
was bought twice.

It is killed at OpenAI's and at Together's endpoints: at each point of POINTS at its first, second, ... time, and with
SIGKILL out of the blue; two kills, then a run to the end. A third of the stories meets a server that does not answer a
creation, having done it or not. Each item takes two calls, the second with the answer of the first, so a run makes at
least two batches. What was bought is counted by the server, in a process of its own."""

import os
import random
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path

from common.figures import figure
from kills import stage
from kills.calls import picture
from kills.stage import ANSWERS
from ragassay.base import tables
from ragassay.calls import _caller
from ragassay.calls.batches import batch_caller, submission
from ragassay.calls.complete import converse
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Model, Request
from ragassay.calls.providers import openai, together
from ragassay.schemas.report import CALLS
from tools.loopback import Loopback

ITEMS, SAMPLES = 12, 2
PROVIDERS = {"openai": openai.Provider, "together": together.Provider}
OPERATIONS = ("upload", "create", "job", "download")
RECORDS = {"batch": b'"t":"b"', "place": b'"t":"p"', "reply": b'"t":"d"', "cost": b'"t":"u"'}
POINTS = [f"{when} {name}" for name in RECORDS for when in ("before", "half", "after")]
POINTS += [f"{when} {name}" for name in OPERATIONS for when in ("before", "after")]
UNANSWERED = [["drop"], ["abort"], ["500"], ["hang"], ["drop", "500"], ["", "drop"]]


def model(server: Loopback, provider: str) -> Model:
    url = server.url if provider == "openai" else server.together_url
    price = {"input": 1.0, "output": 2.0, "batch": 0.5}
    return Model(
        "chaos", provider, "loopback", base_url=url, key_variable="CHAOS_KEY", price=price, mode="batch", budget_usd=1.0
    )


async def conversation(item, ask):
    """A question, then a question about the answers; `story` makes requests of different stories differ."""
    story, number = item
    sampling = {"max_tokens": 50, "seed": story}
    first = [{"role": "user", "content": f"Question {number}: is the harbour open?"}]
    answers = await ask(Request(first, sampling, SAMPLES))
    second = [*first, {"role": "assistant", "content": answers[-1].text}, {"role": "user", "content": "Why?"}]
    return answers + await ask(Request(second, sampling))


def ask(model: Model, folder: Path, story: int) -> None:
    items = [(story, number) for number in range(ITEMS)]
    answered = converse(items, conversation, model, folder / "ledger" / "shard", folder / "calls.parquet")
    with tables.Writer(ANSWERS, folder / "answers.parquet") as writer:
        for number, answers in enumerate(answered):
            for sample, answer in enumerate(answers):
                writer.add({"row": number, "sample": sample, "text": answer.text})


def hurry() -> None:
    """The product's patience, in tenths of seconds."""
    batch_caller.QUIET_SECONDS, batch_caller.BatchCaller.workers, _caller.FIRST_WAIT = 0.03, 100, 0.01
    submission.FIRST_LOOK, submission.LONGEST_LOOK, submission.FIRST_WAIT = 0.03, 0.1, 0.03
    submission.SYNC_SECONDS, submission.SETTLE_SECONDS, submission.CALL_SECONDS = 0.005, 0.3, 0.5


def start(model: Model, folder: Path, story: int, point: str = "", ordinal: int = 1) -> int:
    """Run the stage in a process of its own, to be killed when `point` comes for the `ordinal`-th time; its id."""

    def work():
        hurry()
        if point:
            arm(*point.split(), ordinal, model.provider)
        ask(model, folder, story)

    return stage.forked(work)


def arm(when: str, what: str, ordinal: int, provider: str) -> None:
    if what in RECORDS:
        stage.kill_at(os, "write", when, ordinal, RECORDS[what])
    else:
        stage.kill_at(PROVIDERS[provider], what, when, ordinal)


def plans(kills: int):
    """Pairs of kills: (point, ordinal, None) or ("", 1, seconds)."""
    draw = random.Random(kills)
    named = [(point, ordinal, None) for ordinal in (1, 2, 3) for point in POINTS][: kills * 2 // 3]
    plan = named + [("", 1, draw.uniform(0.02, 0.7)) for _ in range(kills - len(named))]
    draw.shuffle(plan)
    return zip(plan[::2], plan[1::2], strict=False)


def run(model: Model, folder: Path, story: int, point: str = "", ordinal: int = 1, after: float | None = None) -> int:
    process = start(model, folder, story, point, ordinal)
    if after is not None:
        time.sleep(after)
        os.kill(process, signal.SIGKILL)  # still ours: nobody waited for it
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def account(folder: Path) -> dict:
    (row,) = tables.read(CALLS, folder / "calls.parquet").to_pylist()
    return row


def measure(kills: int) -> None:
    done, total = 0, Counter()
    with tempfile.TemporaryDirectory(prefix="chaos-") as scratch, Loopback(batch_seconds=0.15) as server:
        calm = Path(scratch) / "calm"
        assert run(model(server, "openai"), calm, 10_000) == 0
        expected, price = picture(calm), account(calm)["dollars"]
        for story, pair in enumerate(plans(kills * 2)):
            if done >= kills:
                break
            faults = UNANSWERED[story // 3 % len(UNANSWERED)] if story % 3 == 2 else []
            server.control(route_faults={"batches.create": faults}, batch_shuffled=story % 2 == 0)
            asked, folder = model(server, list(PROVIDERS)[story // 2 % 2]), Path(scratch) / str(story)
            for kill in pair:
                if (status := run(asked, folder, story, *kill)) == 0:
                    break
                done += status == -signal.SIGKILL
            total["lost"] += run(asked, folder, story) != 0
            total["different"] += picture(folder) != expected
            found = account(folder)
            total["misreported"] += found["possibly_billed_twice"] + abs(found["samples"] - ITEMS * (SAMPLES + 1))
            total["mispriced"] += abs(found["dollars"] - price) > 1e-12
            total["open"] += len(list(Ledger(folder / "ledger" / "shard").open_batches()))
        bought = Counter(line["key"] for line in server.log() if line.get("route") == "batch_row" and line["billed"])
        batches = server.summary()["batches_per_input"]
    figure("kills_in_mode_batch", done, "kills", f">= {kills}")
    figure("batches_bought_twice", sum(count - 1 for count in batches), "batches", "== 0")
    figure("requests_bought_twice", sum(count - 1 for count in bought.values()), "requests", "== 0")
    figure("batch_runs_lost", total["lost"], "runs", "== 0")
    figure("batch_outputs_that_differ_from_the_undisturbed", total["different"], "files", "== 0")
    figure("batch_samples_misreported", total["misreported"], "samples", "== 0")
    figure("batch_runs_with_another_price", total["mispriced"], "runs", "== 0")
    figure("batches_left_open_in_the_ledger", total["open"], "batches", "== 0")
