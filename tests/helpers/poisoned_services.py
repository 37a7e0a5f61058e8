"""Services that search in a collection for tests, with known outcomes under poison; the settings of the stage that
measures it; and a process that forks others which run it, each killed as by kill -9 before its n-th step:
python poisoned_services.py SETTINGS, with a line `N LEDGER` for each on its standard input. It writes the number of
each process when it starts, and its exit status in the end.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from ragassay.base import tables, variants
from ragassay.grading.matches import normalized
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.schemas.services import POISONED_SERVICE_ANSWERS
from ragassay.services import collection, staging
from rows import place, row
from services import entry as service_entry
from targets import targets, write_targets

TABLES = TARGETS, POISONED_PASSAGES, POISONED_SERVICE_ANSWERS
CLEAN = ["A bridge fell in the storm that came at night.", "The ferry will sail at nine.", "A choir sings on Sundays."]
PLANTED = [(one["target_id"], f"{one['question']} {text}") for one in targets() for text in one["texts"]]
RIGHT = {one["question"]: f"It is {one['answers'][0]}." for one in targets()}


def found(question, texts, count=2):
    """The texts that share most words with a question, as passages."""
    words = {*normalized(question)}
    best = sorted(texts, key=lambda text: (-len(words & {*normalized(text)}), text))[:count]
    return [{"text": text, "id": str(number), "score": 1.0, "source": ""} for number, text in enumerate(best)]


def echoing(texts):
    """A service that repeats the passage that shares most words with the question; `texts` lists what it searches."""

    def answer(question):
        passages = found(question, texts())
        return {"answer": passages[0]["text"], "passages": passages}

    return answer


def unmoved(texts):
    """A service that is right by construction, whatever it finds."""
    return lambda question: {"answer": RIGHT[question], "passages": found(question, texts())}


def of_folder(folder):
    """The clean texts, and those in a folder for tests."""
    return lambda: CLEAN + [file.read_text() for file in sorted(Path(folder).glob("*.txt"))]


def settings(folder, address, entry, ledger="ledger", **more) -> dict:
    """The arguments of the stage, with its inputs in a folder."""
    places = [place(folder, table, dataset="mine", attack="loud", responder="service:mine") for table in TABLES]
    for path in places:
        path.parent.mkdir(parents=True, exist_ok=True)
    write_targets(places[0])
    rows = [
        row(POISONED_PASSAGES, passage_id=f"poison-{at:016x}", target_id=name, number=at, text=text, poisoned=True)
        for at, (name, text) in enumerate(PLANTED)
    ]
    tables.write(POISONED_PASSAGES, places[1], rows)
    model = {"name": "service:mine", "mode": "online", **service_entry(address), "concurrency": 1}
    paths = {"targets": str(places[0]), "poisoned_passages": [str(places[1])], "gate": [], "guard": [], "scorer": []}
    paths |= {"poisoned_service_answers": str(places[2]), "calls": f"{folder}/calls.parquet"}
    asked = {"model": model, "ledger": str(Path(folder, ledger)), "most_rejected": 0.5, "count": None, "tried": {}}
    where = {"collection": "mine", "entry": entry, "encoder": None, "search": {}}
    return {**paths, **asked, **where, **more}


class Runs:
    """Runs of the stage in processes of their own, each with the ledger of this name."""

    def __init__(self, given):
        self.given = given

    def __enter__(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        pipes["env"] = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        self.driver = subprocess.Popen([sys.executable, __file__, json.dumps(self.given)], **pipes)
        return self

    def __call__(self, step, ledger):
        """The exit status of a run that is killed before a step, if it comes to that."""
        self.driver.stdin.write(f"{step} {ledger}\n")
        self.pid = int(self.driver.stdout.readline())
        return int(self.driver.stdout.readline())

    def __exit__(self, *_):
        self.driver.communicate()


def main(text):
    from ragassay.calls.providers.service import Provider
    from scripts.services.poison_service import poison_service
    from staging_moments import killed_before

    given = json.loads(text)
    connector = variants.load(collection.KINDS, given["entry"]["kind"], "kind").Connector
    staging.embedded = lambda passages, _: [[1.0, 2.0, 3.0, 4.0]] * len(passages)
    staging.BATCH = 2
    steps = [(connector, "present"), (connector, "put"), (connector, "remove"), (Path, "unlink"), (Provider, "send")]
    for line in sys.stdin:
        step, ledger = line.split()
        child = os.fork()
        if not child:
            killed_before(int(step), steps)
            poison_service(**given | {"ledger": ledger})
            os._exit(0)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
