"""People who label at once without a pause, through kills of the server and damage to the log of their clicks."""

import contextlib
import http.client
import random
import re
import signal
import threading
import time

from people import Client, Serving, click
from ragassay.calls.ledger.journal import decode
from ragassay.people import click_log

EVENTS = "annotation/careful/careful/events.jsonl"
NAMED = re.compile(r"events\.jsonl line \d+: ")


class Annotator:
    """Labels what comes next. Like the page, sends a click again if the answer to it never came."""

    def __init__(self, name, confirmed: threading.Semaphore):
        self.name, self.counted, self.cookie, self.join, self.pending = name, confirmed, None, click(), None
        self.confirmed, self.refused, self.pages, self.labels = [], [], [], []

    def work(self, port, most):
        """Until so many labels are given, none is left or the server is gone."""
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(Client(port)) as client:
            client.cookie = self.cookie
            client.get() if self.cookie else client.enter(self.name)
            self.cookie = client.cookie
            client.post("/clicks/join", self.join)
            for _ in range(most):
                start = time.monotonic()
                shown = client.shown("/label/scope")
                if "item" not in shown and not self.pending:
                    return
                self.pages.append(time.monotonic() - start)
                given = self.pending or click(item=shown["item"], seen=shown["seen"], label="in_scope")
                self.pending, start = given, time.monotonic()
                status, reply = client.post("/clicks/label", given)
                self.labels.append(time.monotonic() - start)
                self.pending = None
                (self.confirmed if status == 200 else self.refused).append((given["click"], given["item"], reply))
                self.counted.release()


class Crowd:
    """So many people who label the sample of a project."""

    def __init__(self, folder, people):
        self.folder, self.path, self.counted = folder, folder / EVENTS, threading.Semaphore(0)
        self.people = [Annotator(f"Person {number}", self.counted) for number in range(people)]
        self.flipped, self.cut, self.named, self.starts = set(), set(), [], []

    def work(self, most=10**6, kill_after=None):
        """Serve until all are done, or kill the server after so many labels; then all wait for its end."""
        start = time.monotonic()
        with Serving(self.folder) as running:
            self.starts.append(time.monotonic() - start)
            threads = [threading.Thread(target=one.work, args=(running.port, most)) for one in self.people]
            for thread in threads:
                thread.start()
            for _ in range(kill_after or 0):
                assert self.counted.acquire(timeout=120), "nobody gets a label confirmed any more"
            if kill_after:
                running.process.send_signal(signal.SIGKILL)
            for thread in threads:
                thread.join()
            running.end(signal.SIGKILL)
            self.named.append(len(NAMED.findall(running.errors)))

    def damage(self, chance: random.Random, flips: int, cuts: int):
        """Flip one bit of some lines with labels and cut the ends off others; no two are side by side."""
        lines = self.path.read_bytes().split(b"\n")
        events = [decode(line) for line in lines]
        whole = [at for at in range(2, len(lines) - 2) if all(events[at - 1 : at + 2]) and "label" in events[at]]
        chosen = []
        for at in chance.sample(whole, len(whole)):
            if len(chosen) < flips + cuts and all(abs(at - other) > 1 for other in chosen):
                chosen.append(at)
        assert len(chosen) == flips + cuts
        for at in chosen[:flips]:
            changed = bytearray(lines[at])
            bit = chance.randrange(8 * len(changed))
            changed[bit // 8] ^= 1 << bit % 8
            lines[at] = bytes(changed)
        for at in chosen[flips:]:
            lines[at] = lines[at][: chance.randrange(2, len(lines[at]))]
        self.flipped |= {events[at]["click"] for at in chosen[:flips]}
        self.cut |= {events[at]["click"] for at in chosen[flips:]}
        self.path.write_bytes(b"\n".join(lines))

    def outcome(self) -> dict[str, int]:
        """What was lost, doubled and not named, of all that was confirmed, damaged and stored."""
        stored = [event for event in click_log.read(self.path) if event["event"] == "label"]
        clicks = {event["click"] for event in stored}
        confirmed = {given for person in self.people for given, *_ in person.confirmed}
        return {
            "confirmed": len(confirmed),
            "lost": len(confirmed - clicks - self.cut),
            "doubled": len(stored) - len({(event["person"], event["item"]) for event in stored}),
            "unnamed": len(self.flipped | self.cut) - self.named[-1],
            "refused": sum(len(person.refused) for person in self.people),
        }
