"""Compare two releases: rows added, removed and changed, labels that flipped, and numbers that moved, as JSON and page.

Rows are matched by their key and the keys in the path of their file. A number moved if the intervals of its two values
have no point in common; without intervals, any other value is a move.
"""

import json
from collections import Counter
from pathlib import Path

from ragassay.base.atomic import write_text
from ragassay.base.html import environment, policy
from ragassay.release.opening import opened

LABELS = ("label", "status", "split", "verdict", "outcome")
SHOWN = 200  # numbers on the page; JSON has all
STYLE = """body { font: 15px/1.5 system-ui; max-width: 70em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse } td, th { border-bottom: 1px solid #ccc; padding: .2em .7em; text-align: left }"""
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<title>{{ title }}</title>
<style>{{ style|safe }}</style>
<h1>{{ title }}</h1>
{% for name, head, rows in parts %}
<h2>{{ name }}</h2>
{% if rows %}
<table>
<tr>{% for cell in head %}<th>{{ cell.replace("_", " ") }}</th>{% endfor %}</tr>
{% for row in rows %}
<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</table>
{% else %}
<p>None.</p>
{% endif %}
{% endfor %}
</html>
"""


def compare(before, after) -> dict:
    """What JSON and page show."""
    old, new = opened(before), opened(after)
    names = sorted(old.tables.keys() | new.tables.keys())
    return {
        "before": old.version,
        "after": new.version,
        "tables": [row for name in names if (row := _rows(old, new, name))],
        "flips": [flip for name in names for flip in _flips(old, new, name)],
        "numbers": _numbers(old, new),
    }


def write(changes: dict, folder) -> Path:
    """`changes.json` and `changes.html`; returns the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "changes.json", json.dumps(changes, indent=1, ensure_ascii=False) + "\n")
    write_text(folder / "changes.html", page(changes))
    return folder


def page(changes: dict) -> str:
    moved = [row for row in changes["numbers"] if row["moved"]]
    intervals = ("interval_before", "interval_after")
    parts = [
        ("Rows", ("table", "before", "after", "added", "removed", "changed"), changes["tables"]),
        ("Labels that flipped", ("table", "column", "from", "to", "rows"), changes["flips"]),
        (
            f"Numbers that moved: {len(moved)} of {len(changes['numbers'])} that are others now",
            ("section", "table", "keys", "metric", "before", "after", *intervals),
            moved[:SHOWN],
        ),
    ]
    parts = [(name, head, [[_shown(row[key]) for key in head] for row in rows]) for name, head, rows in parts]
    title = f"From {changes['before']} to {changes['after']}"
    template = environment().from_string(PAGE)
    return template.render(title=title, parts=parts, style=STYLE, policy=policy(STYLE, ""))


def _shown(value):
    if isinstance(value, list):
        return " to ".join(map(_shown, value))
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def _rows(old, new, name):
    """How many rows of a table came, went and changed; nothing if none did. Files with equal digests are not read."""
    files = [release.tables.get(name, {}).get("files", {}) for release in (old, new)]
    counts = [sum(entry["rows"] for entry in entries.values()) for entries in files]
    if {file: entry["digest"] for file, entry in files[0].items()} == {f: e["digest"] for f, e in files[1].items()}:
        return None
    before, after = (
        _by_key(release, name, changed) for release, changed in zip((old, new), _other(files), strict=True)
    )
    common = before.keys() & after.keys()
    changed = sum(before[key] != after[key] for key in common)
    row = {"table": name, "before": counts[0], "after": counts[1]}
    return row | {"added": len(after) - len(common), "removed": len(before) - len(common), "changed": changed}


def _other(files):
    """The files of each release that the other has not, or not with these values."""
    pairs = [{(file, entry["digest"]) for file, entry in entries.items()} for entries in files]
    return [sorted(file for file, _ in values - other) for values, other in (pairs, pairs[::-1])]


def _by_key(release, name, files, columns=None):
    """key -> the values of the row, or of some columns."""
    rows = {}
    if name in release.tables:
        entry = release.tables[name]
        for file, table in release.each(name, None):
            if file in files:
                place = tuple(release.keys(name, file).values()) or (file,)
                for row in table.to_pylist():
                    key = (*place, *(row[column] for column in entry["key"]))
                    rows[key] = _hashable(row.values() if columns is None else [row[column] for column in columns])
    return rows


def _hashable(values):
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


def _flips(old, new, name):
    """Labels of rows that both releases have, and that say something else now."""
    columns = [column for column in LABELS if old.has(name, column) and new.has(name, column)]
    if not columns:
        return
    files = [release.tables[name]["files"] for release in (old, new)]
    before, after = (
        _by_key(release, name, files_of_release, columns)
        for release, files_of_release in zip((old, new), _other(files), strict=True)
    )
    for at, column in enumerate(columns):
        pairs = ((before[key][at], after[key][at]) for key in before.keys() & after.keys())
        flips = Counter(pair for pair in pairs if pair[0] != pair[1])
        for (before_flip, other), count in sorted(flips.items(), key=str):
            yield {"table": name, "column": column, "from": before_flip, "to": other, "rows": count}


def _numbers(old, new):
    """Every number that both reports have and that is another now, with intervals where they have some."""
    before, after = (
        {(row["section"], row["table"], row["keys"], row["metric"]): row for row in (rows.to_pylist() if rows else ())}
        for rows in (_metrics(old), _metrics(new))
    )
    rows_of_numbers = []
    for key in sorted(before.keys() & after.keys()):
        earlier, other = before[key], after[key]
        if earlier["value"] != other["value"]:
            row = dict(zip(("section", "table", "keys", "metric"), key, strict=True))
            row |= {"before": earlier["value"], "after": other["value"], "moved": _moved(earlier, other)}
            rows_of_numbers.append(row | {"interval_before": _interval(earlier), "interval_after": _interval(other)})
    return rows_of_numbers


def _metrics(release):
    return release.read("metrics", ["study", "table", "keys", "metric", "value", "low", "high"])


def _interval(row):
    return None if row["low"] is None or row["high"] is None else [row["low"], row["high"]]


def _moved(earlier, other):
    first, second = _interval(earlier), _interval(other)
    if first is None or second is None:
        return True
    return first[0] > second[1] or second[0] > first[1]
