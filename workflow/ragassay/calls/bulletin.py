"""What a job tells the run that it is part of: how far its calls are, and what they took in this run.

A small file in the run's folder, which the environment names, replaced every two seconds and at the end.
`ragassay.calls.overview` adds up those of all jobs.
"""

import json
import os
from collections import Counter
from pathlib import Path
from uuid import uuid4

from ragassay.calls.ledger.calls import PICO, Ledger
from ragassay.calls.model import Model

FOLDER = "RAGASSAY_RUN"  # the environment variable that names the run's folder
SECONDS = 2.0
COUNTS = {"requests": "requests", "retries": "retries", "failures": "failures", "samples": "samples"}
COUNTS |= {"prompt_tokens": "prompt", "completion_tokens": "completion"}


def rule_and_keys(folder: Path) -> tuple[str, list[str]]:
    """Ledgers lie in ledger/{rule}/{keys}; one elsewhere goes by its own name."""
    parts = folder.parts
    after = parts[len(parts) - parts[::-1].index("ledger") :] if "ledger" in parts else ()
    return (after[0], list(after[1:])) if after else (folder.name, [])


class Bulletin:
    """`write` replaces the file; without a run nothing is written."""

    def __init__(self, model: Model, ledger: Ledger):
        self.model, self.ledger, self.before = model, ledger, Counter(ledger.counts)
        self.folder = os.environ.get(FOLDER) if model.mode != "replay" else None
        self.rule, self.keys = rule_and_keys(ledger.folder)
        self.name = f"{uuid4().hex}.json"  # a job may ask in several rounds

    def write(self, progress, caller, ended: bool = False) -> None:
        if not self.folder:
            return
        found = {"rule": self.rule, "keys": self.keys, "model": self.model.name, "ended": ended}
        found |= {"done": progress.done, "total": progress.total, "known": caller.known}
        found |= {"in_flight": caller.in_flight, "waiting": caller.waiting}
        found |= {"pause": caller.pace.pause_left, "cap": self.model.budget_usd}
        found |= {"trouble": dict(caller.failures), "last_failure": caller.last_failure}
        for name, counted in COUNTS.items():
            found[name] = self.ledger.counts[counted] - self.before[counted]
        found["dollars"] = (self.ledger.counts["pico"] - self.before["pico"]) / PICO
        path = Path(self.folder, self.name)
        beside = path.with_suffix(".new")
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(found))
        beside.replace(path)
