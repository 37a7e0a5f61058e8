"""Kill a small stage at named points and at random moments, run it again until it is done, and count what that cost.

Each of the points of `stage.py` kills at its first, second, ... time, and with SIGKILL out of the blue; two kills, then
a run to the end. A quarter of the runs meets a server with faults. After that SIGTERM, which must repeat nothing. What
was asked is counted by the server, in a process of its own. A killed process cannot show what a lost machine would:
that needs a disk that forgets."""

import hashlib
import os
import random
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path

from common.figures import figure
from kills import stage
from kills.stage import CONCURRENCY, ONCE, POINTS, ROWS, keys, start
from ragassay.calls.ledger.journal import decode
from ragassay.calls.ledger.records import Ledger
from tools.loopback import Loopback
from tools.provider.log import digest

FAULTS = {"500": 0.02, "429": 0.02, "drop": 0.02, "cut": 0.02, "cut_short": 0.02}
LATENCY = {"latency": 0.01, "latency_sigma": 0.6, "retry_after": 0.01, "by_key": True}


class Story:
    """One folder from its first run to its last, and what the server and the ledger say of it."""

    def __init__(self, server: Loopback, folder: Path, concurrency: int = CONCURRENCY, rows: int = ROWS):
        self.server, self.folder, self.concurrency, self.rows = server, folder, concurrency, rows
        self.ledger, self.keys = folder / "ledger" / "shard", keys(server.url, rows)
        self.before = self.asked()
        self.journalled = {}  # keys whose answers were in the ledger after a kill -> intents until then
        self.kills, self.in_flight = 0, []  # requests without an end after each kill that were not there before

    def run(self, point: str = "", ordinal: int = 1, after: float | None = None, by: int = signal.SIGKILL) -> int:
        """One run; how it ended, as os.waitstatus_to_exitcode has it."""
        process = start(self.server.url, self.folder, point, ordinal, self.concurrency, self.rows)
        if after is not None:
            time.sleep(after)
            os.kill(process, by)  # still ours: nobody waited for it
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if status == -signal.SIGKILL:
            self.kills += 1
            self.in_flight.append(self.open().total() - sum(self.in_flight))
            intents = self.intents()
            self.journalled.update({key: intents[key] for key in self.whole()})
        return status

    def whole(self) -> set:
        """Keys with all their samples in the ledger."""
        provider, found, ledger = (
            stage.provider.Provider(stage.model(self.server.url)),
            set(),
            Ledger(self.ledger),
        )
        for key, (_, samples) in self.keys.items():
            for _, body in ledger.bodies(key):
                try:
                    answers, _ = provider.read(body)
                except stage.caller.Failure:
                    continue
                if len(answers) == samples:
                    found.add(key)
        ledger.close()
        return found

    def records(self):
        for file in sorted(self.ledger.glob("*.jsonl")):
            yield from filter(None, map(decode, file.read_bytes().split(b"\n")))

    def intents(self) -> Counter:
        return Counter(record["k"] for record in self.records() if record["t"] == "i")

    def open(self) -> Counter:
        """Requests without an end, by their keys."""
        records = list(self.records())
        ended = {record["id"] for record in records if record["t"] in "df"}
        return Counter(r["k"] for r in records if r["t"] == "i" and r["id"] not in ended)

    def asked(self) -> Counter:
        """Requests that the server got, by the ledger's keys."""
        found = self.server.summary()["requests_per_key"]
        return Counter({key: found.get(digest(body), 0) for key, (body, _) in self.keys.items()})

    def count(self) -> dict:
        """What has to be nothing, and what may be something, after the last run."""
        records, intents, open_ = list(self.records()), self.intents(), self.open()
        lost = {record["id"] for record in records if record["t"] == "f" and record["lost"] is not None}
        needless = open_ + Counter(r["k"] for r in records if r["t"] == "i" and r["id"] in lost)
        refused = Counter(r["k"] for r in records if r["t"] == "f" and r["id"] not in lost)
        asked = self.asked() - self.before
        ledger = Ledger(self.ledger)
        ledger.close()
        missing = {key: intents[key] - asked[key] for key in self.keys}  # written down and killed before it was sent
        return {
            "asked again": sum(intents[key] - count for key, count in self.journalled.items()),
            # Beside the one reply that counts, all that the server got is refused, lost or cut off by a kill.
            "untold": sum(asked[key] - refused[key] - 1 + missing[key] != needless[key] for key in self.keys),
            "impossible": sum(not 0 <= missing[key] <= open_[key] for key in self.keys),
            "misreported": ledger.possibly_billed_twice - sum(n * self.keys[key][1] for key, n in needless.items()),
            "in flight": sum(open_.values()),
            "repeats": sum((open_ - Counter(missing)).values()),
            "damaged": ledger.damaged,
        }


def picture(folder: Path) -> str:
    return hashlib.sha256((folder / "answers.parquet").read_bytes()).hexdigest()


def plans():
    """Pairs of kills, (point, ordinal, None) or ("", 1, seconds), without end: the first of a pair goes through all
    points, the second is out of the blue two times in three.
    """
    draw, ordinals = random.Random(1), (1, 8, 2, 16, 4, 24, 3, 12, 5, 20, 6, 28, 7, 10)
    while True:
        for ordinal in ordinals:
            for point in draw.sample(POINTS, len(POINTS)):
                if ordinal == 1 or point.split()[1] not in ONCE:
                    blue = "", 1, draw.uniform(0, 0.25)
                    yield (point, ordinal, None), draw.choice([blue, blue, (draw.choice(POINTS), ordinal, None)])


def measure(kills: int) -> None:
    total, different, lost, worst, done = Counter(), 0, 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="chaos-") as scratch, Loopback(**LATENCY) as server:
        calm = Story(server, Path(scratch) / "calm")
        assert calm.run() == 0
        expected = picture(calm.folder)
        for number, pair in enumerate(plans()):
            if done >= kills:
                break
            server.control(faults=FAULTS if number % 4 == 3 else {}, seed=number)
            story = Story(server, Path(scratch) / str(number))
            for point, ordinal, after in pair:
                if story.run(point, ordinal, after) == 0:
                    break
            lost += story.run() != 0
            different += picture(story.folder) != expected
            found = story.count()
            total.update(found)
            worst = max(worst, *story.in_flight, 0)
            done += story.kills
        server.control(faults={})
        for number in range(max(5, kills // 20)):
            story, draw = Story(server, Path(scratch) / f"term-{number}"), random.Random(number)
            longest = 0.2
            while story.run(after=draw.uniform(0, longest), by=signal.SIGTERM):
                longest *= 1.2  # a busy machine needs longer to get anywhere
            different += picture(story.folder) != expected
            total["repeated after SIGTERM"] += (
                sum(story.intents().values()) - len(story.keys) + story.count()["repeats"]
            )
    figure("kills", done, "kills", f">= {kills}")
    figure("journalled_answers_asked_again", total["asked again"], "calls", "== 0")
    figure("rows_lost", lost, "runs", "== 0")
    figure("outputs_that_differ_from_the_undisturbed", different, "files", "== 0")
    figure("in_flight_at_a_kill_at_most", worst, "calls", f"<= {CONCURRENCY}")
    figure("repeats_that_the_server_saw", total["repeats"], "calls", f"<= {total['in flight']}")
    figure("requests_that_the_ledger_does_not_account_for", total["untold"] + total["impossible"], "calls", "== 0")
    figure("samples_misreported", abs(total["misreported"]), "samples", "== 0")
    figure("repeated_after_sigterm", total["repeated after SIGTERM"], "calls", "== 0")
