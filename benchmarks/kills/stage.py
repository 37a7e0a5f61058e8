"""A small stage that asks a model and writes a table, and the points at which it can be killed.

The points are put in from outside, by wrapping what the product calls: os.write, os.fsync, os.link, os.replace, the
provider's `send`, pyarrow's writer. A run is a fork of the process that imported everything, so that a thousand runs
take minutes. The modules beside this one kill and count.
"""

import inspect
import os
import signal
import sys
import traceback
from pathlib import Path

import httpcore2  # noqa: F401  else each fork would load it, and the two below
import openai.resources.chat.completions  # noqa: F401
import pandas  # noqa: F401
import pyarrow as pa
import pyarrow.parquet as pq

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.tables import Column, Table
from ragassay.calls import _caller
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, call_key
from ragassay.calls.providers import openai as provider

CONCURRENCY, ROWS = 8, 40
SAMPLING = {"max_tokens": 50}
os.environ["CHAOS_KEY"] = "test-key"
ANSWERS = Table(
    "answers",
    "One row per answer.",
    ("row", "sample"),
    (Column("row", pa.int64(), "x"), Column("sample", pa.int64(), "x"), Column("text", pa.string(), "x")),
)
RECORDS = {"intent": b'"t":"i"', "reply": b'"t":"d"', "cost": b'"t":"u"'}
CALLS = {
    "send": (provider.Provider, "send"),
    "sync": (os, "fsync"),
    "lease": (os, "link"),
    "rename": (os, "replace"),
    "output": (pq.ParquetWriter, "write_table"),
}
POINTS = [f"{when} {name}" for name in RECORDS for when in ("before", "half", "after")]
POINTS += [f"{when} {name}" for name in CALLS for when in ("before", "after")]
ONCE = ("lease", "output")  # happen once in a run


def requests(rows: int = ROWS):
    """Every fourth question is asked twice, every third for two samples."""
    for number in range(rows):
        question = number - (number % 4 == 3)
        content = f"Question {question}: is the harbour open?"
        yield Request([{"role": "user", "content": content}], SAMPLING, 2 if question % 3 == 0 else 1)


def model(url: str, concurrency: int = CONCURRENCY) -> Model:
    price = {"input": 1.0, "output": 2.0}
    return Model(
        "chaos", "openai", "loopback", base_url=url, key_variable="CHAOS_KEY", concurrency=concurrency, price=price
    )


def keys(url: str, rows: int = ROWS) -> dict:
    """The ledger's key of each request -> (the body that the server gets, samples)."""
    identity, found = provider.Provider(model(url)).identity(), {}
    for request in requests(rows):
        body = {"model": "loopback", "messages": request.messages, **request.sampling}
        more = {"n": request.samples} if request.samples > 1 else {}
        found[call_key(identity, request)] = body | more, request.samples
    return found


def stage(url: str, folder: Path, concurrency: int, rows: int) -> None:
    """Ask, and write what was answered."""
    answered = complete(
        list(requests(rows)), model(url, concurrency), folder / "ledger" / "shard", folder / "calls.parquet"
    )
    with tables.Writer(ANSWERS, folder / "answers.parquet") as writer:
        for number, answers in enumerate(answered):
            writer.write(
                pa.Table.from_pylist([{"row": number, "sample": n, "text": a.text} for n, a in enumerate(answers)])
            )


def start(
    url: str, folder: Path, point: str = "", ordinal: int = 1, concurrency: int = CONCURRENCY, rows: int = ROWS
) -> int:
    """Run the stage in a process of its own, to be killed when `point` comes for the `ordinal`-th time; its id."""

    def work():
        _caller.FIRST_WAIT = 0.01
        if point:
            arm(*point.split(), ordinal)
        stage(url, folder, concurrency, rows)

    return forked(work)


def forked(work) -> int:
    """Do the work in a child that ends with the exit status of a job; its id."""
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    status = 70
    try:
        work()
        status = 0
    except AssayError as error:
        status = error.exit_code
        if status != 75:
            sys.stderr.write(f"{error}\n")
    except BaseException:  # noqa: BLE001  nothing may get back into the parent's code
        traceback.print_exc()
    finally:
        os._exit(status)


def arm(when: str, what: str, ordinal: int) -> None:
    """Have the process killed when the call that `what` stands for comes for the `ordinal`-th time."""
    if what in RECORDS:
        kill_at(os, "write", when, ordinal, RECORDS[what])
    else:
        kill_at(*CALLS[what], when, ordinal)


def kill_at(owner, name: str, when: str, ordinal: int, record: bytes = b"") -> None:
    """Wrap a function, so that it kills the process before or after the `ordinal`-th of its calls, or with half of it
    written. Where a record is given, calls that write another one do not count.
    """
    call, left = getattr(owner, name), [ordinal]

    def begin(arguments) -> bool:
        """Whether the process is to be killed after this call."""
        if record and record not in arguments[-1]:
            return False
        left[0] -= 1
        if left[0]:
            return False
        if when == "half":
            *place, data = arguments
            call(*place, data[: len(data) // 2])
        return die() if when != "after" else True

    def sync(*arguments, **more):
        now = begin(arguments)
        result = call(*arguments, **more)
        return die() if now else result

    async def awaited(*arguments, **more):
        now = begin(arguments)
        result = await call(*arguments, **more)
        return die() if now else result

    setattr(owner, name, awaited if inspect.iscoroutinefunction(call) else sync)


def die():
    os.kill(os.getpid(), signal.SIGKILL)
