"""kill -9 at 100 moments of putting poisoned passages into a collection and removing them, in three databases: what is
left after `clean-staging`, and whether anything else changed.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import staging_moments
from common.clone import ROOT
from common.figures import WORKFLOW, count, figure
from databases import KINDS, Milvus, Pgvector, Qdrant, postgres_in
from ragassay.services import staging as stage

MOMENTS, COUNT = 100, 60
TEXTS = [(number, f"Clean text {number}.") for number in range(1, 41)]
DRIVER = ROOT / "tests/helpers/staging_moments.py"


@contextlib.contextmanager
def each() -> Iterator[dict]:
    """The three real databases of the tests, each in a folder of its own and still without a collection."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        with postgres_in(folder) as address:
            made = (Qdrant(Path(folder)), Pgvector(address), Milvus(Path(folder)))
            yield dict(zip(KINDS, made, strict=True))


def staging():
    killed = unclean = 0
    with each() as databases:
        for at, (kind, database) in enumerate(databases.items()):
            moments = MOMENTS * (at + 1) // len(databases) - MOMENTS * at // len(databases)
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                killings, left = _killings(database, moments)
            count(f"staging_kills_{kind}", killings, "kills")
            killed, unclean = killed + killings, unclean + left
    figure("staging_kills", killed, "kills", f"== {MOMENTS}")
    figure("staging_left_or_changed", unclean, "kills", "== 0")


def _killings(database, moments):
    """How many of the moments the process came to, and after how many of these something differed."""
    database.make("articles", TEXTS)
    database.make("others", TEXTS[:5])
    entry, before = database.entry | {"staging": True}, database.everything()
    killings = unclean = 0
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    environment = os.environ | {"PYTHONPATH": WORKFLOW}
    with subprocess.Popen([sys.executable, DRIVER, json.dumps(entry)], env=environment, **pipes) as driver:
        for moment in range(moments):
            step, what = moment // 2 + 1, ("stage", "clean")[moment % 2]
            if what == "clean":
                passages = staging_moments.passages(COUNT)
                stage.stage("mine", entry, passages, [[1.0, 2.0, 3.0, 4.0]] * COUNT)
            database.release()
            driver.stdin.write(f"{what} {step} {COUNT}\n")
            killings += int(driver.stdout.readline()) != 0
            stage.clean("mine", entry)
            unclean += (
                database.everything() != before or bool(stage.staged()) or bool(list(Path("staging").glob("*.json")))
            )
        driver.stdin.close()
    return killings, unclean
