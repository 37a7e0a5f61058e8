"""Replies of models from the ledgers of jobs, as rows that a release holds and a replay answers from, and back.
Times, ids and names of machines are left out, so that the same replies give the same rows. What was asked in vain is
in the table `calls` alone; a ledger that is made from rows starts with a record that makes up the difference."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.calls.ledger.call_keys import WRITTEN, read
from ragassay.calls.ledger.journal import records
from ragassay.calls.ledger.records import PICO, SERVED, USAGE, Ledger, folders
from ragassay.calls.model import Usage

TOKENS = {"p": "prompt_tokens", "c": "cached_tokens", "o": "completion_tokens"}


class LedgerGap(AssayError):
    """The ledger is not whole, so a release could not be replayed."""


def jobs(ledger, calls: dict[str, dict]) -> Iterator[str]:
    """The folders below the ledger with the replies of these jobs; `calls` has each job's row of the table calls."""
    ledger, names = Path(ledger), {}
    for folder in folders(ledger):
        name = folder.relative_to(ledger).as_posix()
        names[name.replace("/_", "_")] = name
    for job, row in sorted(calls.items()):
        if row["requests"]:
            folder = names.get(job) or names.get(f"{job}/{row['model']}")
            if folder is None:
                expected = "which results/calls names; put the ledger back, or run the pipeline again"
                raise LedgerGap(f"{ledger / job}: found no ledger of this job, {expected}")
            yield folder


def account(folder: str, calls: dict[str, dict]) -> dict:
    """The row of the table calls that a folder of the ledger belongs to. Where no key in a job's path is its model, the
    folder has the model behind these keys.
    """
    job = folder.replace("/_", "_")
    return calls[job if job in calls else job.rpartition("/")[0]]


def rows(folder) -> list[dict]:
    """The rows of one job, in the order of their key."""
    _check(folder)
    replies, costs, refusals, withdrawn = {}, {}, {}, set()
    for path in sorted(Path(folder).glob("*.jsonl")):
        for offset, _, record in records(path):
            if record and record["t"] == "d":
                replies[record["id"]] = record
            elif record and record["t"] == "u":
                costs[record["id"]] = record
            elif record and record["t"] == "r":
                refusals.setdefault((record["k"], *record["s"]), {})[path.name, offset] = record
            elif record and record["t"] == "x":
                withdrawn.add((record["file"], record["offset"]))
    extracted, numbers = [], Counter()
    for record in sorted(replies.values(), key=lambda record: (record["k"], record["at"], record["id"])):
        extracted.append(_row(record, numbers, costs.get(record["id"]), record["body"]))
    for _, places in sorted(refusals.items()):
        for record in [record for place, record in places.items() if place not in withdrawn][:1]:
            extracted.append(_row(record, numbers, None, None))
    return extracted


def asked(folder) -> list[dict]:
    """Which call of the job had which key, as far as the job wrote it down."""
    keys = read(Path(folder) / WRITTEN)
    return [{"item": item, "call": call, "key": key} for (item, call), key in sorted(keys.items())]


def write_ledger(folder, extracted: list[dict], account: dict) -> None:
    """A ledger of these rows, in which all that was asked and paid adds up to the row of `calls`."""
    journal = Ledger(folder)
    for row in extracted:
        if row["body"] is None:
            if row["reason"]:
                journal.refused(row["key"], row["samples"], row["reason"], row["detail"] or "")
            continue
        sent = journal.intent(row["key"], row["samples"])
        journal.done(sent, row["body"])
        if row["answers"] is not None:
            usage = Usage(*(row[column] for column in TOKENS.values()))
            journal.settled(sent, usage, row["dollars"], row["answers"])
    rest = {name: account[name] for name in ("requests", "retries", "replies", "failures", "samples")}
    rest |= {name: account[f"{name}_tokens"] for name, _ in USAGE}
    rest |= {"lost samples": account["possibly_billed_twice"], "pico": round(account["dollars"] * PICO)}
    rest |= {SERVED + name: count for name, count in json.loads(account["served_as"] or "{}").items()}
    journal.carried({name: count - journal.counts[name] for name, count in rest.items()})
    journal.close()


def _row(record, numbers, cost, body):
    numbers[record["k"]] += 1
    row = {"key": record["k"], "number": numbers[record["k"]], "samples": record["s"], "body": body}
    row |= {"reason": record.get("reason"), "detail": record.get("detail")}
    row |= {column: cost and cost[field] for field, column in TOKENS.items()}
    return row | {"answers": cost and cost["n"], "dollars": cost and cost["usd"]}


def _check(folder):
    journal = Ledger(folder)
    waiting = sum(len(batch["rows"]) for batch in journal.open_batches())
    journal.close()
    if waiting:
        remedy = "run the pipeline again, which waits for them, and then make the release"
        raise LedgerGap(f"{folder}: found {waiting} requests in batches that are still open, expected none; {remedy}")
