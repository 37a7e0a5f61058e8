"""A process of its own that stages or cleans, and is killed as by kill -9 before its n-th step on disk or in the
database: python staging_moments.py stage|clean N ENTRY COUNT, in the folder of a project.
"""

import json
import os
import signal
import sys
from pathlib import Path

from ragassay.base import variants
from ragassay.services import collection, staging

BATCH = 3


def passages(count):
    return [{"passage_id": f"poison-{number:016x}", "text": f"Planted text {number}."} for number in range(count)]


def killed_before(step, places):
    """Wrap functions, each the attribute of an object, so that the process ends before their n-th call."""
    calls = 0

    def counting(function):
        def counted(*arguments, **more):
            nonlocal calls
            calls += 1
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **more)

        return counted

    for owner, name in places:
        setattr(owner, name, counting(getattr(owner, name)))


def main(what, step, entry, count):
    entry = json.loads(entry)
    staging.BATCH = BATCH
    connector = variants.load(collection.KINDS, entry["kind"], "kind").Connector
    steps = [(connector, "present"), (connector, "put"), (connector, "remove"), (os, "fsync"), (Path, "unlink")]
    killed_before(int(step), steps)
    rows = passages(int(count))
    if what == "stage":
        staging.stage("mine", entry, rows, [[1.0, 2.0, 3.0, 4.0]] * len(rows))
    else:
        staging.clean("mine", entry)


if __name__ == "__main__":
    main(*sys.argv[1:])
