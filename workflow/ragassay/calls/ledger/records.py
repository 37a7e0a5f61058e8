"""The ledger of calls: what was asked and what came back, so that no answer is paid for twice. Each process appends
to a file of its own (see `journal`): an intent before a request, the raw body before it is read, then what it cost or
why there is none. The first body for a key counts; lines that fail their checksum are counted and skipped. Providers
alone can read a body."""

import itertools
import os
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from ragassay.base.errors import MISSHAPEN
from ragassay.calls.ledger.journal import Journal, LedgerError, check_form, decode, records
from ragassay.calls.ledger.register import MOST_DOLLARS
from ragassay.calls.model import Sent, Usage

ABSURD = 10**9  # tokens, more than any reply takes: a count beyond is none, and the reply cost what it may cost at most
PICO = 10**12  # dollars are added up as whole numbers, so that their sum does not depend on the order
USAGE = (("prompt", "p"), ("cached", "c"), ("completion", "o"))
NUMBER = (int, float)
CALL = {"id": str, "k": str, "s": list}
FORMS = {  # kind of record -> what it holds
    "i": CALL | {"w": NUMBER},  # an intent, and the most that it may cost
    "d": CALL | {"at": NUMBER, "body": str},  # a reply
    "u": {"id": str, "p": int, "c": int, "o": int, "n": int, "usd": NUMBER},  # what it took
    "f": CALL | {"lost": (*NUMBER, type(None))},  # a failure
    "r": {"k": str, "s": list, "reason": str, "detail": str},  # a refusal
    "x": {"file": str, "offset": int},  # the withdrawal of one
    "b": {"id": str, "at": NUMBER, "rows": list},  # a batch
    "p": {"id": str},  # where it is
    "a": {"counts": dict},  # what was counted elsewhere
}
OTHERS = ("crawl_shard", "hosts", "models")  # folders below ledger/ that hold no calls
SERVED = "served "  # counts of answers by the name that replies give the model begin with it


def _check(record):
    """Raises one of MISSHAPEN if a record whose checksum is right is none of ours."""
    check_form(record, FORMS, "t")
    amounts = [record.get("w") or record.get("lost") or 0]
    if record["t"] == "u" and max(record["p"], record["o"]) <= ABSURD:
        amounts.append(record["usd"])
    amounts += [count / PICO for count in record.get("counts", {}).values()]
    for name, _, samples, worst, _ in record.get("rows", ()):
        amounts.append(worst)
        if not isinstance(name, str) or not isinstance(samples, list):
            raise TypeError(f"found the request {name!r} of samples {samples!r}")
    if not all(0 <= amount <= MOST_DOLLARS for amount in amounts):
        raise ValueError(f"found {amounts} dollars")
    if not all(isinstance(sample, int) for sample in record.get("s", ())):
        raise TypeError(f"found the samples {record['s']!r}")


def folders(ledger) -> list[Path]:
    """The folders of jobs below a folder of ledgers."""
    with_records = sorted({path.parent for path in Path(ledger).rglob("*.jsonl")})
    return [
        folder for folder in with_records if folder.relative_to(ledger).parts[:1] not in [(name,) for name in OTHERS]
    ]


class Ledger:
    """All records of calls below one folder, and a separate file for what this process adds. `on_error` is called with
    the LedgerError, from another thread, when what was written cannot be forced to the disk.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.damaged = 0  # lines that cannot be read
        self.counts = Counter()  # kinds of records, of all processes
        self.excess = 1.0  # the most times that an answer cost what its limit on tokens allows
        self.on_error: Callable[[LedgerError], object] = lambda error: None
        self._bodies = {}  # key -> its bodies, as [(time, file, offset, length), ...]
        self._open = {}  # intents without an end: id -> (samples, what they may cost at most)
        self._unsettled = {}  # bodies whose cost is not written down: id -> (place, what they may cost at most)
        self._refusals = {}  # key -> places of its refusals
        self._withdrawn = set()  # (name of a file, offset) of refusals that hold no more
        self._late = {}  # ends that another process wrote down: id -> record
        self._batches, self._whereabouts = {}, {}  # id of a batch -> place of its record; what is known of it since
        self._early = set()  # replies to rows of batches that another process, with a clock behind, wrote down
        self._files, self._handles = [], {}
        self._journal = None
        self._incarnation, self._numbers = secrets.token_hex(6), itertools.count()  # for ids
        if self.folder.is_dir():
            for path in sorted(self.folder.glob("*.jsonl")):
                self._scan(path)
        for name, record in self._late.items():
            if name in self._unsettled:
                self._end(record)

    @property
    def dollars(self) -> float:
        """What all replies cost."""
        return self.counts["pico"] / PICO

    @property
    def dollars_at_risk(self) -> float:
        """The most that requests without a recorded cost may have cost, if their answers kept to max_tokens."""
        ends = sum(worst for _, worst in (*self._open.values(), *self._unsettled.values()))
        return ends + self.counts["lost pico"] / PICO

    @property
    def possibly_billed_twice(self) -> int:
        """Samples that were asked for without a recorded end: a process was killed, or a reply was lost on its way."""
        return sum(samples for samples, _ in self._open.values()) + self.counts["lost samples"]

    @property
    def served(self) -> dict[str, int]:
        """Answers by the name that replies give the model."""
        return {name.removeprefix(SERVED): count for name, count in self.counts.items() if name.startswith(SERVED)}

    def bodies(self, key: str) -> Iterator[tuple[list[int], str]]:
        """(sample indices that were asked for, raw body) of every reply to a key, the earliest first."""
        places = self._bodies.get(bytes.fromhex(key), ())
        for _, file, offset, length in sorted(places) if len(places) > 1 else places:
            record = self._at(file, offset, length)
            yield record["s"], record["body"]

    def refusals(self, key: str) -> Iterator[tuple[list[int], str, str]]:
        """(sample indices, reason, the provider's words) of every refusal of a key that stands."""
        for place in self._refusals.get(bytes.fromhex(key), ()):
            if self._stands(place):
                record = self._at(*place)
                yield record["s"], record["reason"], record["detail"]

    def unsettled(self) -> Iterator[tuple[Sent, str]]:
        """Requests and raw bodies of replies whose cost was not written down: the process was killed just then."""
        for name, ((_, file, offset, length), worst) in list(self._unsettled.items()):
            record = self._at(file, offset, length)
            yield Sent(name, record["k"], record["s"], worst), record["body"]

    def intent(self, key: str, samples: list[int], worst: float = 0.0, again: bool = False) -> Sent:
        """Record what is about to be asked and what it may cost by max_tokens."""
        sent = Sent(f"{self._incarnation}{next(self._numbers):08x}", key, samples, worst)
        record = {"t": "i", "id": sent.id, "k": key, "s": samples, "at": time.time_ns(), "w": worst}
        self._write(record | {"again": 1} if again else record)
        return sent

    def done(self, sent: Sent, body: str) -> None:
        self._write({"t": "d", "id": sent.id, "k": sent.key, "s": sent.samples, "at": time.time_ns(), "body": body})

    def settled(self, sent: Sent, usage: Usage, dollars: float, answers: int, late: bool = False) -> None:
        """Record what a reply took and how many answers it held; `late` when another process got the reply."""
        tokens = {"p": usage.prompt, "c": usage.cached, "o": usage.completion}
        record = {"t": "u", "id": sent.id, **tokens, "usd": dollars, "n": answers}
        record |= {"m": usage.served} if usage.served else {}
        self._write(record | {"late": 1} if late else record)

    def failed(self, sent: Sent, kind: str, detail: str, lost: bool = False, late: bool = False) -> None:
        """Record that no usable reply came; `lost` if one may have been made and billed."""
        record = {"t": "f", "id": sent.id, "k": sent.key, "s": sent.samples, "at": time.time_ns(), "kind": kind}
        record |= {"lost": sent.worst if lost else None}
        self._write(record | {"detail": detail[:500]} | ({"late": 1} if late else {}))

    def refused(self, key: str, samples: list[int], reason: str, detail: str) -> None:
        """Record that the provider accepts other requests but not this one: it is not asked again."""
        self._write({"t": "r", "k": key, "s": samples, "reason": reason, "detail": detail[:500]})

    def standing(self) -> dict[tuple[int, int, int], str]:
        """Place -> reason, of all refusals that stand."""
        places = itertools.chain.from_iterable(self._refusals.values())
        return {place: self._at(*place)["reason"] for place in places if self._stands(place)}

    def withdraw(self, place: tuple[int, int, int]) -> None:
        """Record that a refusal holds no more: its request is asked again."""
        file, offset, _ = place
        self._write({"t": "x", "file": self._files[file].name, "offset": offset})

    def carried(self, counts: dict[str, int]) -> None:
        """Record what was asked and paid elsewhere, of which this ledger has no other record."""
        self._write({"t": "a", "counts": counts})

    def batch(self, name: str, sha256: str, rows: list[tuple[str, str, list[int], float, bool]]) -> None:
        """Record what is about to be sent as one batch: (id, key, samples, most it may cost, again) of each request. It
        is the intent of them all.
        """
        self._write({"t": "b", "id": name, "at": time.time_ns(), "sha256": sha256, "rows": rows})

    def batch_at(self, name: str, **where: str) -> None:
        """Record where a batch is at the provider: first its input `file`, and its `job` once it is created."""
        self._write({"t": "p", "id": name, "since": time.time(), **where})

    def open_batches(self) -> Iterator[dict]:
        """Batches with requests that have no end, and only those of their `rows`."""
        for name, place in list(self._batches.items()):
            record = self._at(*place)
            if rows := [row for row in record["rows"] if row[0] in self._open]:
                yield record | self._whereabouts.get(name, {}) | {"rows": rows}

    def close(self) -> None:
        for handle in self._handles.values():
            os.close(handle)
        self._handles = {}
        if self._journal:
            self._journal.close()

    def _stands(self, place):
        file, offset, _ = place
        return (self._files[file].name, offset) not in self._withdrawn

    def _at(self, file, offset, length):
        if file not in self._handles:
            if len(self._handles) > 64:
                os.close(self._handles.pop(next(iter(self._handles))))
            self._handles[file] = os.open(self._files[file], os.O_RDONLY)
        record = decode(os.pread(self._handles[file], length, offset))
        if record is None:
            raise LedgerError(f"{self._files[file]}: changed while it was in use, at byte {offset}")
        return record

    def _scan(self, path):
        number = len(self._files)
        self._files.append(path)
        for offset, length, record in records(path):
            try:
                if record is None:
                    self.damaged += 1
                    continue
                _check(record)
                if "late" in record:
                    self._late.setdefault(record["id"], record)
                else:
                    self._take(record, number, offset, length)
            except MISSHAPEN:
                self.damaged += 1

    def _take(self, record, file, offset, length):
        kind = record["t"]
        if kind == "i":
            self._open[record["id"]] = len(record["s"]), record["w"]
            self.counts["requests"] += 1
            self.counts["retries"] += "again" in record
        elif kind == "b":
            self._batches[record["id"]] = file, offset, length
            for name, _, samples, worst, again in record["rows"]:
                if name not in self._early:
                    self._open[name] = len(samples), worst
                self.counts["requests"] += 1
                self.counts["retries"] += again
        elif kind == "r":
            self._refusals.setdefault(bytes.fromhex(record["k"]), []).append((file, offset, length))
        elif kind == "x":
            self._withdrawn.add((record["file"], record["offset"]))
        elif kind == "a":
            self.counts.update(record["counts"])
        elif kind == "p":
            self._whereabouts.setdefault(record["id"], {}).update(record)
        elif kind == "d":
            if record["id"] not in self._open:
                self._early.add(record["id"])
            _, worst = self._open.pop(record["id"], (0, 0.0))
            place = (record["at"], file, offset, length)
            self._unsettled[record["id"]] = place, worst
            self._bodies.setdefault(bytes.fromhex(record["k"]), []).append(place)
            self.counts["replies"] += 1
        else:
            self._end(record)

    def _end(self, record):
        begun = self._open.pop(record["id"], None), self._unsettled.pop(record["id"], None)
        if record["t"] == "f" and begun == (None, None):
            self._early.add(record["id"])
        if record["t"] == "u":
            worst = begun[1][1] if begun[1] else 0.0
            if max(record["p"], record["o"]) > ABSURD:
                record |= {"p": 0, "c": 0, "o": 0, "usd": worst}
            self.excess = max(self.excess, record["usd"] / worst) if worst else self.excess
            for name, field in USAGE:
                self.counts[name] += record[field]
            self.counts["pico"] += round(record["usd"] * PICO)
            self.counts["samples"] += record["n"]
            if "m" in record:
                self.counts[SERVED + record["m"]] += record["n"]
            return
        self.counts["failures"] += 1
        if record["lost"] is not None:
            self.counts["lost samples"] += len(record["s"])
            self.counts["lost pico"] += round(record["lost"] * PICO)

    def open(self) -> None:
        """Begin a file of this process, as the first record does; it may take a while."""
        if self._journal is None:
            self._journal = Journal(self.folder, lambda error: self.on_error(error))
            self._files.append(self._journal.path)

    def _write(self, record):
        self.open()
        offset, size = self._journal.write(record)
        self._take(record, len(self._files) - 1, offset, size - 1)
