"""A section of the report: its description (workflow/report/sections/*.yaml) joined with the metric rows that fill it.

Knows nothing of HTML. Numbers that no part of the description asks for are shown all the same, in plain tables behind
the others.
"""

import json
import re
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import yaml

from ragassay import tables
from ragassay.config import checked
from ragassay.errors import AssayError
from ragassay.schemas.examples import EXAMPLES
from ragassay.schemas.metrics import METRICS

SCHEMA = Path(__file__).resolve().parents[2] / "schemas/section.schema.yaml"


class SectionError(AssayError):
    """A description asks for numbers that are not among the metrics."""


@dataclass
class Part:
    """A table or a figure: `rows` hold one {column: number or key} each, a number being its whole metric row. Of
    examples they hold title and passages, which have part and text. `same` are keys that all rows of a table share, by
    their headings.
    """

    kind: str
    name: str
    title: str
    caption: str
    columns: dict[str, str] = field(default_factory=dict)
    rows: list[dict] = field(default_factory=list)
    axes: dict[str, str | float] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)

    @property
    def drawn(self) -> bool:
        return self.kind in ("bars", "heat", "dots", "lines")


@dataclass
class Section:
    name: str
    title: str
    text: str
    parts: list[Part]


def load(description, metrics, examples=None) -> Section:
    """The section that `description` (a YAML file) draws from `metrics` (a table of metric rows) and `examples`."""
    name = Path(description).stem
    content = checked(yaml.safe_load(Path(description).read_text()), [description], SCHEMA)
    found = _by_table(tables.read(METRICS, metrics).to_pylist())
    shown = _examples(examples) if examples else []
    parts = [
        Part("examples", "examples", part["title"], part["caption"], rows=shown)
        if part["kind"] == "examples"
        else _part(part, found, description)
        for part in content["parts"]
    ]
    used = {part["table"] for part in content["parts"] if part["kind"] != "examples"}
    parts += [_plain(table, rows) for table, rows in found.items() if table not in used]
    return Section(name, content["title"], content["text"], parts)


def _by_table(metrics):
    """table -> its rows, each the keys and, by name, the metrics that share them, in natural order of the keys."""
    found = {}
    for row in metrics:
        keys = json.loads(row["keys"])
        if row["metric"] in keys:
            raise SectionError(f"metrics of {row['study']}: {row['metric']} of {row['table']} is a key and a metric")
        found.setdefault(row["table"], {}).setdefault(row["keys"], dict(keys))[row["metric"]] = row
    return {table: sorted(rows.values(), key=_natural) for table, rows in found.items()}


def _examples(path):
    rows = tables.read(EXAMPLES, path).to_pylist()
    groups = groupby(rows, key=lambda row: (row["example"], row["title"]))
    return [{"title": title, "passages": list(own)} for (_, title), own in groups]


def _natural(row):
    texts = [value for value in row.values() if isinstance(value, str)]
    return [
        [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in re.split(r"(\d+)", text)] for text in texts
    ]


def _part(part, found, where):
    kind, name = part["kind"], part["table"]
    rows = found.get(name, [])
    if kind == "table":
        columns = part["columns"]
        if "spread" in part:
            rows, columns = _spread(rows, columns, **part["spread"])
    elif kind == "bars":
        columns = {part["label"]: part["x"], **(part.get("metrics") or {part["metric"]: part["y"]})}
    else:
        columns = dict.fromkeys([*part["label"], *([] if "by" in part else [part["metric"]])])
        columns |= dict.fromkeys([part["at"]] if kind == "lines" else [])
        columns |= dict.fromkeys([part["shown"]] if "shown" in part else [])
    known = {column for row in rows for column in row}
    missing = [column for column in columns if rows and column not in known]
    if missing:
        expected = f"expected one of: {', '.join(sorted(known))}"
        raise SectionError(
            f"{where}: part {name}: found no key or metric {missing[0]} among its metric rows, {expected}"
        )
    if kind in ("heat", "dots"):
        rows, columns = _labelled(rows, part["label"], part["metric"], part.get("by"), part.get("shown"))
    if kind == "lines":
        rows, columns = _points(rows, part["label"], part["at"], part["metric"])
    axes = {axis: part[axis] for axis in ("x", "y", "line", "diagonal") if axis in part}
    same = _shared(rows, columns) if kind == "table" else {}
    columns = {column: heading for column, heading in columns.items() if column not in same}
    return Part(kind, name, part["title"], part["caption"], columns, rows, axes, dict(same.values()))


def _shared(rows, columns):
    """Keys that are the same in all rows, so that they need no column: key -> (heading, value)."""
    found = {}
    for column, heading in columns.items():
        values = {row[column] if isinstance(row.get(column), str) else None for row in rows}
        if len(rows) > 1 and len(values) == 1 and None not in values:
            found[column] = heading, values.pop()
    keys = {column for row in rows for column in columns if isinstance(row.get(column), str)}
    return found if len(found) < len(keys) else {}


def _labelled(rows, label, metric, by=None, shown=None):
    """Rows that are named by those of their keys that differ, in `label`, and hold the metric of each value of `by`,
    with the value of `shown` beside it.
    """
    used = [row for row in rows if metric in row and all(key in row for key in (*label, by or metric))]
    found = {}
    for name, row in _named(used, label):
        own = row[metric] | ({"shown": row[shown]["value"]} if shown else {})
        found.setdefault(name, {"label": name})[row[by] if by else metric] = own
    columns = dict.fromkeys(row[by] if by else metric for row in used)
    return list(found.values()), {"label": "label", **{name: name for name in columns}}


def _points(rows, label, at, metric):
    """Points of curves that are named by those of their keys that differ; `at` is a key or a metric."""
    used = [row for row in rows if all(column in row for column in (*label, at, metric))]
    found = []
    for name, row in _named(used, label):
        place = row[at] if isinstance(row[at], str) else row[at]["value"]
        if place is not None:
            found.append({"label": name, "at": float(place), "value": row[metric]})
    return found, {"label": "label", "value": metric}


def _named(rows, label):
    """(name, row) for each, named by those keys in `label` that differ between rows, in natural order."""
    telling = [key for key in label if len({row[key] for row in rows}) > 1] or label[-1:]
    for row in sorted(rows, key=lambda row: _natural({key: row[key] for key in telling})):
        yield ", ".join(row[key] for key in telling), row


def _spread(rows, columns, by, metric):
    """Rows whose keys differ in one alone become one, with a column for each of its values that holds the metric."""
    found = {}
    for row in rows:
        same = {name: value for name, value in row.items() if isinstance(value, str) and name != by}
        own = found.setdefault(tuple(sorted(same.items())), same)
        own |= {f"{by} {row[by]}": row.get(metric)} if by in row else row
    values = dict.fromkeys(row[by] for row in rows if by in row)
    return list(found.values()), columns | {f"{by} {value}": value for value in values}


def _plain(table, rows):
    columns = {name: name.replace("_", " ") for row in rows for name in row}
    return Part("table", table, table.replace("_", " "), "", columns, rows)
