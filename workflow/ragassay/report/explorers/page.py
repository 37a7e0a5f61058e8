"""An explorer: one HTML page that lists rows, filters them and opens each, and needs nothing but itself and no server;
and the same rows as CSV.

A dossier holds what rows have in common, such as a document with all of its questions. What the list shows and filters
by is one compressed piece, the index; dossiers are in pieces of a few, each unpacked when one of its rows is opened. A
piece is JSON, gzip, base64 in a script element of a type that no browser runs, so that no text in it can be taken for
markup, and the page builds text nodes from it, never markup.

A row has cells, one per column: what a responder answered, what a detector predicts. Each cell has an outcome, and a
finding is a set of outcomes that people look for. The page and the CSV take the values of a row from the same paths, so
that a selection which is downloaded from the page has the columns of the file.
"""

import base64
import csv
import gzip
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ragassay.base import chance, html
from ragassay.base.atomic import replacing, write_text
from ragassay.text.characters import csv_cell

TOGETHER = 25  # dossiers in a piece
MOST_ROWS = 50_000  # on one page
NO_CELL = "-"  # in the index
EXCERPT = 300  # characters


@dataclass(frozen=True)
class Facet:
    """A value of each row that the page filters by, and the order of its values, if it has one."""

    name: str
    title: str
    order: tuple[str, ...] = ()
    is_main: bool = False  # whether the page always shows it
    is_name: bool = False  # whether its values are names from the configuration, which are shown as they are


@dataclass(frozen=True)
class Kind:
    """What the rows of a page are."""

    name: str  # the plural, as in "20 questions"
    facets: tuple[Facet, ...]
    keys: dict[str, str]  # what columns are chosen by, such as `responder`, with a title
    outcomes: tuple[str, ...]  # of cells
    findings: dict[str, tuple[str, tuple[str, ...]]]  # name -> words, outcomes
    orders: dict[str, str]  # numbers of a row that the list can be sorted by, with words
    fields: dict[str, tuple]  # column of the CSV -> the path of its value in the row, or in the dossier behind "^"
    cell_fields: dict[str, dict[str, str]]  # kind of a column -> the end of a CSV column's name -> name in the cell


@dataclass
class Listing:
    """Rows on their way to the page and the file. They come dossier by dossier, so that only one part of a study has to
    be in memory; `share` is the part of the dossiers that the page has room for.
    """

    kind: Kind
    columns: list[dict]  # each with its kind, its name and its keys
    share: float = 1.0
    orders: dict[str, tuple] = field(default_factory=dict)  # of facets whose order only the data say
    rows: int = 0

    def __post_init__(self):
        self.paths = self.kind.fields | {
            f"{column['name']}: {end}": ("cells", at, name)
            for at, column in enumerate(self.columns)
            for end, name in self.kind.cell_fields[column["kind"]].items()
        }
        self._titles, self._listed, self._pieces, self._waiting = [], [], [], []
        self._names = ["id", "text", *self.kind.orders, *(facet.name for facet in self.kind.facets)]
        self._letters = {name: chr(ord("a") + at) for at, name in enumerate(self.kind.outcomes)}

    def write(self, dossiers: Iterable[dict], file, shorten=lambda dossier: dossier) -> None:
        """Write all rows into a CSV file (the path of one) and keep those that the page shows, after `shorten`."""
        with replacing(file) as target:
            lines = io.TextIOWrapper(target, "utf-8", newline="")
            writer = csv.writer(lines, lineterminator="\n")
            writer.writerow(self.paths)
            for dossier in dossiers:
                self.rows += len(dossier["rows"])
                for row in dossier["rows"]:
                    writer.writerow([_cell(value_at(row, dossier, path)) for path in self.paths.values()])
                if chance.share("explorer", dossier["id"]) < self.share:
                    self._show(shorten(dossier))
            lines.flush()
            lines.detach()
        self._pack()

    def _show(self, dossier):
        number = len(self._titles)
        self._titles.append(dossier["title"])
        for at, row in enumerate(dossier["rows"]):
            codes = "".join(self._letters[cell["outcome"]] if cell else NO_CELL for cell in row["cells"])
            values = [row[name] for name in self._names]
            self._listed.append(((*dossier["sorting"], number, at), values, codes))
        self._waiting.append(dossier)
        if len(self._waiting) == TOGETHER:
            self._pack()

    def _pack(self):
        if self._waiting:
            self._pieces.append(packed(self._waiting))
            self._waiting = []

    @property
    def shown(self) -> int:
        return len(self._listed)

    def index(self) -> dict:
        """All rows as columns, in the order of the list: what is equal for many is a number, its place in a list."""
        rows = sorted(self._listed)  # by what dossiers are sorted by, the number of the dossier, that of the row in it
        columns = {name: [values[at] for _, values, _ in rows] for at, name in enumerate(self._names)}
        facets = []
        for facet in self.kind.facets:
            column = columns.pop(facet.name)
            values = _ordered({*column}, self.orders.get(facet.name, facet.order))
            places = {value: place for place, value in enumerate(values)}
            codes = [places[value] for value in column]
            facets.append({"name": facet.name, "is_name": facet.is_name, "values": values, "codes": codes})
        findings = [
            {"name": name, "words": words, "outcomes": [self.kind.outcomes.index(outcome) for outcome in outcomes]}
            for name, (words, outcomes) in self.kind.findings.items()
        ]
        return {
            "together": TOGETHER,
            "titles": self._titles,
            "dossier": [sorting[-2] for sorting, *_ in rows],
            "place": [sorting[-1] for sorting, *_ in rows],
            "facets": facets,
            "columns": self.columns,
            "outcomes": self.kind.outcomes,
            "findings": findings,
            "codes": ["".join(codes[at] for *_, codes in rows) for at in range(len(self.columns))],
            "csv": [[title, *path] for title, path in self.paths.items()],
            **columns,
        }

    def render(
        self, made, page, templates, style, behaviour: list, title: str, subject: str, report: str, file, missing,
        notes=(),
    ) -> int:  # fmt: skip
        """Write the page; return its bytes. `made` is its provenance, `templates` are that of the page and those that
        it imports, `behaviour` are parts of one script, `report` is the way to the report, `file` that of the CSV
        beside the page, `missing` pairs of what is missing and how to get it, and `notes` pairs of what all rows
        together say and why.
        """
        texts = {"title": title, "subject": subject, "report": report, "missing": missing, "notes": notes}
        rows = {"kind": self.kind, "index": packed(self.index()), "pieces": self._pieces, "file": Path(file).name}
        text = html.page(Path(templates[0]).name, templates, style, behaviour, made, {}, **texts, **rows)
        write_text(page, text)
        return len(text)

    def not_shown(self) -> list[tuple[str, str]]:
        """What the page says of rows that it has no room for."""
        if self.shown == self.rows:
            return []
        what = f"This page has room for {self.shown:,} of {self.rows:,} {self.kind.name}, drawn at random."
        return [(what, "The CSV file has all.")]


def value_at(row: dict, dossier: dict, path: tuple):
    """What stands at a path; nothing where a step of it leads to nothing."""
    if len(path) == 1:
        return row[path[0]]
    value, path = (dossier, path[1:]) if path[0] == "^" else (row, path)
    for step in path:
        value = None if value is None else value[step]
    return value


def excerpt(text: str, most: int = EXCERPT) -> str:
    """The beginning of a text, with a mark where it was cut."""
    return text if len(text) <= most else f"{text[: most - 2].rstrip()} …"


def room(count: int, most: int, least: int) -> int:
    """How many characters each of so many texts may have, so that all have at most `most`; at least `least`."""
    return max(least, most // max(1, count))


def packed(value) -> str:
    """Base64 of compressed JSON; the same value always gives the same text."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def _ordered(values, order):
    return [*(value for value in order if value in values), *sorted(values - set(order))]


def _cell(value):
    return csv_cell("; ".join(map(str, value)) if isinstance(value, list) else value)
