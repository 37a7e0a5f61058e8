"""Labelling over HTTP by the real server.

`pace`: ten people label 5,000 items at once without a pause: how long pages and labels take. Beside the time of a label
stands that of writing and forcing its line alone.

`crowd`: fifty people label them all, while the server is killed twenty times at random moments; while it is down, bits
of the log of clicks are flipped and ends of its lines cut off. Every label that the server confirmed is looked for, but
those whose lines were cut off, and every damaged line in what the next server says.
"""

import os
import random
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from common.figures import WORKFLOW, count, figure, parts

os.environ["PYTHONPATH"] = WORKFLOW

from crowd import Crowd
from people import item, project

ITEMS, EACH, KILLS, FLIPS, CUTS = 5_000, 100, 20, 5, 2
WORDS = "harbour council ferry bakery storm vote bridge market lantern valley ledger orchard".split()


def crowd(folder: Path, people: int) -> Crowd:
    """So many people, two for each item."""
    chance, groups = random.Random(0), people // 2
    texts = {"document": 300, "question": 15}
    items = [
        item(number, number % groups + 1, **{name: " ".join(chance.choices(WORDS, k=k)) for name, k in texts.items()})
        for number in range(ITEMS)
    ]
    return Crowd(project(folder, items, training_items=0), people)


def milliseconds(people, kind) -> list[float]:
    return [1000 * seconds for person in people for seconds in getattr(person, kind)]


def forced(folder: Path) -> float:
    """Milliseconds to append a line of the length of a label's and to force it to this disk."""
    times = []
    with (folder / "line").open("ab", buffering=0) as file:
        for _ in range(200):
            start = time.perf_counter()
            file.write(b"x" * 240 + b"\n")
            os.fsync(file.fileno())
            times.append((time.perf_counter() - start) * 1000)
    return median(times)


def pace():
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as name:
        people, bare = crowd(Path(name), 10), forced(Path(name))
        start = time.perf_counter()
        people.work(most=EACH)
        seconds = time.perf_counter() - start - people.starts[0]
    for kind, limit in (("pages", None), ("labels", bare)):
        times = milliseconds(people.people, kind)
        figure(f"annotation_10_people_5000_items_{kind[:-1]}", median(times), "ms", "< 200", limit)
        figure(f"annotation_10_people_5000_items_{kind[:-1]}_p99", quantiles(times, n=100)[98], "ms", "< 200", limit)
    figure("annotation_labels_a_second", len(times) / seconds, "/s", "> 5")


def killed():
    chance = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as name:
        people = crowd(Path(name), 50)
        for _ in range(KILLS):
            people.work(kill_after=chance.randrange(60, 240))
            people.damage(chance, FLIPS, CUTS)
        people.work()
        outcome = people.outcome()
    count("annotation_crowd_people", len(people.people), "people")
    count("annotation_crowd_kills", KILLS, "kills")
    count("annotation_crowd_damaged_lines", len(people.flipped | people.cut), "lines")
    figure("annotation_crowd_confirmed", outcome["confirmed"], "labels", f">= {2 * ITEMS}")
    figure("annotation_crowd_lost", outcome["lost"], "labels", "== 0")
    figure("annotation_crowd_doubled", outcome["doubled"], "labels", "== 0")
    figure("annotation_crowd_refused", outcome["refused"], "labels", "== 0")
    figure("annotation_crowd_damaged_lines_not_named", outcome["unnamed"], "lines", "== 0")
    figure("annotation_crowd_click_p99", quantiles(milliseconds(people.people, "labels"), n=100)[98], "ms", "< 1000")
    figure("annotation_crowd_start", max(people.starts), "s", "< 10")


if __name__ == "__main__":
    parts({"pace": pace, "crowd": killed})
