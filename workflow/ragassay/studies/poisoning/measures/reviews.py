"""What people decide about texts that screening holds: a CSV file with the columns passage_id, decision (release or
refuse), reviewer and note. Of several decisions about one text the last counts.
"""

import csv
from pathlib import Path

from ragassay.studies.poisoning.defences.null import DefenceError

COLUMNS = ("passage_id", "decision", "reviewer", "note")
RELEASE, REFUSE = "release", "refuse"
ADMITTED, QUARANTINED = "admitted", "quarantined"
STATES = {RELEASE: "released", REFUSE: "refused"}


def read(paths) -> dict[str, dict]:
    """passage -> its decision."""
    found = {}
    for path in paths:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file)
            if missing := [name for name in COLUMNS[:2] if name not in (lines.fieldnames or ())]:
                raise DefenceError(f"{path}:1: found no column {missing[0]}, expected {', '.join(COLUMNS)}; add it")
            for row in lines:
                if row["decision"] not in STATES:
                    raise DefenceError(
                        f"{path}:{lines.line_num}: found the decision {row['decision']!r}, expected {RELEASE} or"
                        f" {REFUSE}; correct it"
                    )
                found[row["passage_id"]] = row
    return found


def state(held: bool, review: dict | None) -> dict:
    """The columns of a passage that follow from review. One that is not held can still be refused."""
    if review is None:
        return {"state": QUARANTINED if held else ADMITTED, "reviewer": None, "note": None}
    about = {name: review.get(name) or None for name in ("reviewer", "note")}
    return {"state": STATES[review["decision"]]} | about
