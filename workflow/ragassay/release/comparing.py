"""Compare two releases, as JSON and page: rows added, removed and changed, labels that flipped, and numbers that
moved. Rows are matched by their key and the keys in the path of their file. A number moved if the intervals of its
two values have no point in common, or without intervals if it differs. And what came of a replay: each file that it
made, compared with the one in the release."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ragassay.base.atomic import write_text
from ragassay.base.html import environment, policy
from ragassay.base.pipeline import WORKFLOW
from ragassay.release.opening import opened
from ragassay.release.verification.digests import read_table

LABELS = ("label", "status", "split", "verdict", "outcome")
SHOWN = 200  # numbers on the page; JSON has all
PAGE = WORKFLOW / "report/changes.html.j2"
STYLE = """body { font: 15px/1.5 system-ui; max-width: 70em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse } td, th { border-bottom: 1px solid #ccc; padding: .2em .7em; text-align: left }"""


def compare(before, after) -> dict:
    """What JSON and page show. Files with equal digests are not read."""
    old, new = opened(before), opened(after)
    changes = {"before": old.version, "after": new.version, "tables": [], "flips": [], "numbers": []}
    for name in sorted(old.tables.keys() | new.tables.keys()):
        old_files, new_files = _digests(old, name), _digests(new, name)
        if old_files == new_files:
            continue
        earlier, later = _by_key(old, name, old_files - new_files), _by_key(new, name, new_files - old_files)
        pairs = {key: (earlier[key], later[key]) for key in earlier.keys() & later.keys()}
        counts = {"table": name, "before": _count(old, name), "after": _count(new, name)}
        counts |= {"added": len(later) - len(pairs), "removed": len(earlier) - len(pairs)}
        changes["tables"].append(counts | {"changed": sum(row != other for row, other in pairs.values())})
        changes["flips"] += _flips(name, pairs)
        if name == "metrics":
            changes["numbers"] = _numbers(pairs)
    return changes


def write(changes: dict, folder) -> Path:
    """`changes.json` and `changes.html`; returns the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "changes.json", json.dumps(changes, indent=1, ensure_ascii=False) + "\n")
    write_text(folder / "changes.html", page(changes))
    return folder


def page(changes: dict) -> str:
    numbers = changes["numbers"]
    moved = [row for row in numbers if row["moved"]]
    heads = {
        "Rows": ("table", "before", "after", "added", "removed", "changed"),
        "Labels that flipped": ("table", "column", "from", "to", "rows"),
        f"Numbers that moved: {len(moved)} of {len(numbers)} that are others now": (
            *("section", "table", "keys", "metric", "before", "after", "interval_before", "interval_after"),
        ),
    }
    contents = (changes["tables"], changes["flips"], moved[:SHOWN])
    parts = [
        (name, head, [[_shown(row[column]) for column in head] for row in rows])
        for (name, head), rows in zip(heads.items(), contents, strict=True)
    ]
    title = f"From {changes['before']} to {changes['after']}"
    template = environment().from_string(PAGE.read_text())
    return template.render(title=title, parts=parts, style=STYLE, policy=policy(STYLE, ""))


def _shown(value):
    if isinstance(value, list):
        return " to ".join(map(_shown, value))
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def _digests(release, name):
    files = release.tables.get(name, {}).get("files", {})
    return {(file, entry["digest"]) for file, entry in files.items()}


def _count(release, name):
    return sum(entry["rows"] for entry in release.tables.get(name, {}).get("files", {}).values())


def _by_key(release, name, files):
    """(keys of the path, key) -> row, of these files of a table."""
    rows = {}
    for file, _ in files:
        place = tuple(release.keys(name, file).values()) or (file,)
        for row in read_table(release.folder / file).to_pylist():
            rows[*place, *(row[column] for column in release.tables[name]["key"])] = row
    return rows


def _flips(name, pairs):
    """Labels of rows that both releases have, and that say something else now."""
    for column in LABELS:
        labels = ((row.get(column), other.get(column)) for row, other in pairs.values())
        flips = Counter((label, other) for label, other in labels if label != other)
        for (label, other), count in sorted(flips.items(), key=str):
            yield {"table": name, "column": column, "from": label, "to": other, "rows": count}


def _numbers(pairs):
    """Every number that both reports have and that is another now, with intervals where they have some."""
    numbers = []
    for (section, _, *key), (row, other) in sorted(pairs.items(), key=lambda pair: pair[0]):
        if row["value"] != other["value"]:
            number = {"section": section} | dict(zip(("table", "keys", "metric"), key, strict=True))
            number |= {"before": row["value"], "after": other["value"], "moved": _moved(row, other)}
            numbers.append(number | {"interval_before": _interval(row), "interval_after": _interval(other)})
    return numbers


def _interval(row):
    return None if row["low"] is None or row["high"] is None else [row["low"], row["high"]]


def _moved(row, other):
    first, second = _interval(row), _interval(other)
    if first is None or second is None:
        return True
    return first[0] > second[1] or second[0] > first[1]


@dataclass
class Outcome:
    way: str  # whether prompts were rendered from `texts`, or only `answers` were taken, by the places of calls
    given: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)  # byte for byte
    shown: list[str] = field(default_factory=list)  # all values that the release shows
    near: list[str] = field(default_factory=list)  # within the tolerance that the manifest names
    other: list[str] = field(default_factory=list)

    def add(self, file: str, made: Path, released: Path, texts: list[str], tolerance: float | None) -> None:
        """The release may withhold cells of the columns `texts`. Without a tolerance, all values have to be equal."""
        if made.read_bytes() == released.read_bytes():
            self.same.append(file)
        elif _shows_the_same(made, released, texts):
            self.shown.append(file)
        elif tolerance and _near(made, released, tolerance):
            self.near.append(file)
        else:
            self.other.append(file)

    @property
    def made(self) -> int:
        """How many files were made again, well or not."""
        return len(self.same) + len(self.shown) + len(self.near) + len(self.other)

    def __str__(self):
        parts = [f"{len(self.same)} files came out byte for byte, from {self.way}"]
        if self.shown:
            parts[0] += f", {len(self.shown)} with all values that the release shows"
        if self.near:
            parts[0] += f", {len(self.near)} within the tolerance that its manifest names"
        if self.given:
            parts.append(f"{len(self.given)} could not be made again and were given")
        if self.other:
            parts.append(f"{len(self.other)} came out with other values")
        return "; ".join(parts)


def _shows_the_same(made, released, texts):
    """Whether all values are equal that the release shows, where it withholds texts."""
    new, old = _both(made, released)
    if new.num_rows != old.num_rows or new.column_names != old.column_names:
        return False
    for name in old.column_names:
        shown = old[name].is_valid() if name in texts else None
        pair = [column[name] if shown is None else column[name].filter(shown) for column in (new, old)]
        if pair[0].to_pylist() != pair[1].to_pylist():
            return False
    return any(old[name].null_count or old.field(name).nullable != new.field(name).nullable for name in texts)


def _near(made, released, tolerance):
    """Whether only decimal numbers differ, none by more than the tolerance: relative, and absolute below 1."""
    new, old = _both(made, released)
    if new.schema != old.schema or new.num_rows != old.num_rows:
        return False
    return all(_close(*pair, tolerance) for pair in zip(new.columns, old.columns, strict=True))


def _close(new, old, tolerance):
    if not pa.types.is_floating(new.type):
        return new.equals(old)
    if not new.is_null().equals(old.is_null()):
        return False
    numbers = (column.drop_null().to_numpy() for column in (new, old))
    return np.allclose(*numbers, rtol=tolerance, atol=tolerance, equal_nan=True)


def _both(made, released):
    return [pq.read_table(path, partitioning=None) for path in (made, released)]
