"""Ten people label 5,000 items over HTTP at once without a pause: how long pages and labels take; then the server is
killed a hundred times at random moments, started again, and every label that it had told of is looked for.

An argument is another number of kills. Beside the time of a label stands that of writing and forcing its line alone.
"""

import contextlib
import http.client
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median, quantiles

from common.figures import figure, finish

ROOT = Path(__file__).resolve().parent.parent

PEOPLE, ITEMS, EACH, KILLS = 10, 5_000, 100, 100
WORDS = "harbour council ferry bakery storm vote bridge market lantern valley ledger orchard".split()
clicks = itertools.count(1)


def project(folder) -> Path:
    """A study whose sample has so many items, each for two people; returns the log."""
    from ragassay.base import tables
    from ragassay.schemas.people import ANNOTATION_ITEMS

    chance, groups = random.Random(0), PEOPLE // 2
    (folder / "config").mkdir()
    settings = {"folder": "annotation", "guidelines": "guidelines.yaml", "training_items": 0}
    (folder / "config/config.yaml").write_text(json.dumps({"scope": {"annotation": settings}}))
    (folder / "guidelines.yaml").write_bytes((ROOT / "resources/annotation/guidelines.yaml").read_bytes())
    with tables.Writer(ANNOTATION_ITEMS, folder / "results/annotation_items/authors/careful.parquet") as writer:
        for number in range(ITEMS):
            said = {
                name: " ".join(chance.choices(WORDS, k=words)) for name, words in (("document", 300), ("question", 15))
            }
            about = {
                "item_id": f"item-{number:016x}",
                "task": "scope",
                "group": number % groups + 1,
                "position": number,
            }
            names = {
                "question_id": f"question-{number}",
                "doc_id": f"doc-{number // 5}",
                "title": "A headline",
                "topic": "news",
            }
            writer.add(about | names | said | dict.fromkeys(("response", "responder", "prompt_name")))
    return folder / "annotation/authors/careful/events.jsonl"


def served(folder):
    """The server's process and port, once it listens."""
    command = [sys.executable, "-m", "ragassay.people", "serve", "--port", "0"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "workflow")}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    return process, int(re.search(r":(\d+)/", process.stdout.readline())[1])


class Person:
    """Labels as fast as the server lets; keeps what it was told of and how long things took."""

    def __init__(self, name):
        self.name, self.cookie, self.told, self.pages, self.labels = name, "", [], [], []

    def work(self, port, most):
        with contextlib.suppress(OSError, http.client.HTTPException):
            self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            token = self._token(self._ask("GET", "/"))
            if not self.cookie:
                self._ask("POST", "/sign-in", {"name": self.name}, token)
                token = self._token(self._ask("GET", "/"))
                self._ask("POST", "/clicks/join", {"click": f"{next(clicks):08x}"}, token)
            for _ in range(most):
                page = self._ask("GET", "/label/scope", times=self.pages)
                item = re.search(r'data-item="([^"]+)"', page)[1]
                click = {"click": f"{next(clicks):08x}", "item": item, "seen": "", "label": "in_scope", "seconds": 1.0}
                self._ask("POST", "/clicks/label", click, token, self.labels)
                self.told.append((click["click"], item))

    def _ask(self, method, path, content=None, token="", times=None):
        start = time.perf_counter()
        headers = {"cookie": self.cookie, "x-page-token": token}
        self.connection.request(method, path, json.dumps(content) if content else None, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            raise http.client.HTTPException(f"{path}: {answer.status}")
        self.cookie = (answer.getheader("set-cookie") or self.cookie).partition(";")[0]
        if times is not None:
            times.append((time.perf_counter() - start) * 1000)
        return text

    def _token(self, page):
        return re.search(r'name="page-token" content="(\w+)"', page)[1]


def at_work(people, port, most):
    threads = [threading.Thread(target=person.work, args=(port, most)) for person in people]
    for thread in threads:
        thread.start()
    return threads


def forced(folder) -> float:
    """Milliseconds to append a line of the length of a label's and to force it to this disk."""
    times = []
    with (folder / "line").open("ab", buffering=0) as file:
        for _ in range(200):
            start = time.perf_counter()
            file.write(b"x" * 240 + b"\n")
            os.fsync(file.fileno())
            times.append((time.perf_counter() - start) * 1000)
    return median(times)


def main(kills):
    from ragassay.people import click_log

    people, chance = [Person(f"Person {number}") for number in range(PEOPLE)], random.Random(1)
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as name:
        folder = Path(name)
        path, bare = project(folder), forced(folder)
        process, port = served(folder)
        start = time.perf_counter()
        for thread in at_work(people, port, EACH):
            thread.join()
        seconds = time.perf_counter() - start
        process.kill()
        process.wait()
        pages, labels = ([time for one in people for time in getattr(one, kind)] for kind in ("pages", "labels"))
        figure("annotation_10_people_5000_items_page", median(pages), "ms", "< 200")
        figure("annotation_10_people_5000_items_page_p99", quantiles(pages, n=100)[98], "ms", "< 200")
        figure("annotation_10_people_5000_items_label", median(labels), "ms", "< 200", bare)
        figure("annotation_10_people_5000_items_label_p99", quantiles(labels, n=100)[98], "ms", "< 200", bare)
        figure("annotation_labels_a_second", len(labels) / seconds, "/s", "> 5")
        starts = []
        for _ in range(kills):
            start = time.perf_counter()
            process, port = served(folder)
            starts.append(time.perf_counter() - start)
            threads = at_work(people, port, ITEMS)
            time.sleep(chance.uniform(0.02, 0.5))
            process.kill()
            process.communicate()
            for thread in threads:
                thread.join()
        stored = [
            (event["click"], event["item"], event["person"])
            for event in click_log.read(path)
            if event["event"] == "label"
        ]
        told = {(click, item, person.name) for person in people for click, item in person.told}
        figure(f"annotation_labels_lost_in_{kills}_kills", len(told - set(stored)), "labels", "== 0")
        twice = len(stored) - len({(item, person) for _, item, person in stored})
        figure(f"annotation_labels_doubled_in_{kills}_kills", twice, "labels", "== 0")
        figure(f"annotation_labels_told_of_in_{kills}_kills", len(told), "labels", f"> {kills}")
        figure("annotation_start_with_labels", median(starts), "s", "< 10")
    finish()


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else KILLS)
