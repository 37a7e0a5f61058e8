"""A section of the report: its description (workflow/report/sections/*.yaml) joined with the metric rows that fill it.

Knows nothing of HTML. Numbers that no part of the description asks for stand in the section's CSV file alone.
"""

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from urllib.parse import urlencode

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.pipeline import typed
from ragassay.config import schema
from ragassay.config.settings import checked, read
from ragassay.report import figures, index_notes
from ragassay.report.provenance import named
from ragassay.schemas.report import EXAMPLES, METRICS

SCHEMA = Path(__file__).with_name("section.schema.yaml")
FILTERS = "responder", "prompt", "dataset", "retriever", "attack", "defence"  # keys that lists of rows are filtered by
AXES = ("x", "y", "line", "diagonal", "first", "controls")  # what a chart needs beside its marks


class SectionError(AssayError):
    """A description asks for numbers that are not among the metrics."""


@dataclass
class ReportPart:
    """A table, a figure or examples. The rows of a table hold one {column: number or key} each, a number being its
    whole metric row; those of a figure are its marks, those of examples have a title and passages. `same` are keys that
    all rows of a table share, by their headings.
    """

    kind: str
    name: str
    title: str
    caption: str
    columns: dict[str, str] = field(default_factory=dict)
    rows: list[dict] = field(default_factory=list)
    axes: dict[str, str | float] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    anchor: str = ""  # on its page
    resting: str = ""  # on which indexes

    @property
    def drawn(self) -> bool:
        return self.kind in figures.KINDS


@dataclass
class ReportSection:
    name: str
    title: str
    text: str
    parts: list[ReportPart]
    details: list[ReportPart] = field(default_factory=list)  # for readers who open them
    numbers: str = ""  # the section whose metrics it describes
    tables: set[str] = field(default_factory=set)  # of these metrics, those that it shows
    question: str = ""
    command: str = ""
    notes: list[str] = field(default_factory=list)  # on the models that its numbers rest on


def load(
    description, metrics, examples=None, notes: dict[str, str] | None = None, indexes: dict[str, str] | None = None
) -> ReportSection:
    """The section that `description` (a YAML file) draws from `metrics` (a table of metric rows) and `examples`.
    `notes` says of some models what a reader has to know who sees their numbers; `indexes` are remarks on indexes, for
    the captions of the parts that rest on them.
    """
    content, rows = described(description), tables.read(METRICS, metrics).to_pylist()
    by_table = _by_table(rows)
    passages = _examples(examples) if examples else []
    parts, counts = [], Counter()
    for wanted in parts_of(content):
        part = _part(wanted, by_table, passages, description)
        place = wanted.get("table", part.kind)
        counts[place] += 1
        part.anchor = f"{Path(description).stem}-{place}" + (f"-{counts[place]}" if counts[place] > 1 else "")
        part.resting = " ".join(index_notes.of_number(indexes or {}, *by_table.get(wanted.get("table"), [])))
        part.caption = " ".join(filter(None, (part.caption, part.resting)))
        parts.append(part)
    _distinct([part.name for part in parts if part.drawn], description)
    return ReportSection(
        name=Path(description).stem,
        title=content["title"],
        text=content["text"],
        parts=parts[: len(content["parts"])],
        details=parts[len(content["parts"]) :],
        numbers=Path(metrics).stem,
        tables={part["table"] for part in parts_of(content) if "table" in part},
        question=content.get("question", ""),
        command=content.get("command", ""),
        notes=list(named(notes or {}, (row["keys"] for row in rows)).values()),
    )


def parts_of(content: dict) -> list[dict]:
    """What a section shows, with what it shows to readers who open its details."""
    return [*content["parts"], *content["details"]]


def link(content: dict, section: str, table: str) -> str:
    """Where a page shows a table: its first part, or the section if it has none."""
    shown = any(part.get("table") == table for part in parts_of(content))
    return f"#{section}-{table}" if shown else f"#{section}"


def rows_address(content: dict, finding: dict, pages: Collection[str]) -> str | None:
    """Where the rows stand that a finding is about: a list among these pages, with the finding's keys as filters."""
    rule = next(rule for rule in content["findings"] if rule["name"] == finding["finding"])
    keys = json.loads(finding["keys"])
    if "shows" not in rule or not keys:
        return None
    whose = "{generator}/{judge}" if rule["shows"]["list"] == "questions" else "attacks"
    try:
        page = f"explorer/{whose.format(**keys)}.html"
    except KeyError:
        return None
    chosen = {name: keys[name] for name in FILTERS if name in keys}
    return f"{page}#{urlencode({'finding': rule['shows']['finding']} | chosen)}" if page in pages else None


def described(description) -> dict:
    """The content of a description, checked."""
    content = checked(read(description), [description], schema.load(SCHEMA))
    return content | ({"command": typed(content["command"])} if "command" in content else {})


def _distinct(names, where):
    """Figures are files named like their tables."""
    for name in names:
        if names.count(name) > 1:
            raise SectionError(
                f"{where}: found {names.count(name)} figures {name}, expected one; give the others a name"
            )


def _by_table(metrics):
    """table -> its rows, each the keys and, by name, the metrics that share them, in natural order of the keys."""
    grouped = {}
    for row in metrics:
        keys = json.loads(row["keys"])
        if row["metric"] in keys:
            raise SectionError(f"metrics of {row['study']}: {row['metric']} of {row['table']} is a key and a metric")
        grouped.setdefault(row["table"], {}).setdefault(row["keys"], dict(keys))[row["metric"]] = row
    return {table: sorted(rows.values(), key=figures.natural) for table, rows in grouped.items()}


def _examples(path):
    rows = tables.read(EXAMPLES, path).to_pylist()
    groups = groupby(rows, key=lambda row: (row["example"], row["title"]))
    return [{"title": title, "passages": list(passages)} for (_, title), passages in groups]


def _part(part, by_table, passages, where):
    kind = part["kind"]
    if kind == "examples":
        return ReportPart(kind, kind, part["title"], part["caption"], rows=passages)
    name = part["table"]
    rows = by_table.get(name, [])
    if kind == "table":
        rows, columns = (
            _spread(rows, part["columns"], **part["spread"]) if "spread" in part else (rows, part["columns"])
        )
    else:
        columns = dict.fromkeys(figures.asked(part))
    available = {column for row in rows for column in row}
    missing = [column for column in columns if rows and column not in available]
    if missing:
        expected = f"expected one of: {', '.join(sorted(available))}"
        raise SectionError(
            f"{where}: part {name}: found no key or metric {missing[0]} among its metric rows, {expected}"
        )
    if kind != "table":
        axes = {axis: part[axis] for axis in AXES if axis in part}
        return ReportPart(
            kind, part.get("name", name), part["title"], part["caption"], {}, figures.marks(part, rows), axes
        )
    same = _shared(rows, columns)
    columns = {column: heading for column, heading in columns.items() if column not in same}
    return ReportPart(kind, name, part["title"], part["caption"], columns, rows, same=dict(same.values()))


def _shared(rows, columns):
    """Keys that are the same in all rows, so that they need no column: key -> (heading, value)."""
    shared = {}
    for column, heading in columns.items():
        values = {row[column] if isinstance(row.get(column), str) else None for row in rows}
        if len(rows) > 1 and len(values) == 1 and None not in values:
            shared[column] = heading, values.pop()
    keys = {column for row in rows for column in columns if isinstance(row.get(column), str)}
    return shared if len(shared) < len(keys) else {}


def _spread(rows, columns, by, metric, first=()):
    """Rows whose keys differ in one alone become one, with a column for each of its values that holds the metric; those
    of some values come first.
    """
    spread = {}
    for row in rows:
        same = {name: value for name, value in row.items() if isinstance(value, str) and name != by}
        line = spread.setdefault(tuple(sorted(same.items())), same)
        line |= {f"{by} {row[by]}": row.get(metric)} if by in row else row
    seen = dict.fromkeys(row[by] for row in rows if by in row)
    values = dict.fromkeys([*(value for value in first if value in seen), *seen])
    return list(spread.values()), columns | {f"{by} {value}": value for value in values}
