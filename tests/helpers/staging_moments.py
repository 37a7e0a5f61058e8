"""A process that forks others which stage or clean, each killed as by kill -9 before its n-th step on disk or in the
database: python staging_moments.py ENTRY, with a line `stage N COUNT` or `clean N 0` for each on its standard input.
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


def work(entry, what, step, count):
    staging.BATCH = BATCH
    connector = variants.load(collection.KINDS, entry["kind"], "kind").Connector
    steps = [(connector, "present"), (connector, "put"), (connector, "remove"), (os, "fsync"), (Path, "unlink")]
    killed_before(step, steps)
    if what == "stage":
        rows = passages(count)
        staging.stage("mine", entry, rows, [[1.0, 2.0, 3.0, 4.0]] * len(rows))
    else:
        staging.clean("mine", entry)


def main(text):
    entry = json.loads(text)
    variants.load(collection.KINDS, entry["kind"], "kind")  # once for all
    for line in sys.stdin:
        what, step, count = line.split()
        child = os.fork()
        if not child:
            work(entry, what, int(step), int(count))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
