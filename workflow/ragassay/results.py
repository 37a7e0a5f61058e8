"""The door for notebooks: open a folder of results and read its tables as pandas frames.
`Results("results").frame("responses", prompt="basic")` gives rows with the keys of their files as columns,
`metrics("scope", "table_2")` numbers of the report, `tables()` what is there. Files that a run found to be left over
(`left_over.txt`) are not read."""

import importlib
import json
import pkgutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import schemas
from ragassay.base import tables
from ragassay.base.errors import AssayError, closest, closest_file
from ragassay.base.pipeline import study_command
from ragassay.base.tables import REJECTS, Table, key_names, keys
from ragassay.report import index_notes
from ragassay.report.figures import pieces
from ragassay.schemas.corpora import HELD_OUT, INDEX_RECALL


class ResultsError(AssayError):
    """No such folder, table, key or number."""


def all_tables() -> dict[str, Table]:
    """Every table that is declared, by its name."""
    names = sorted(module.name for module in pkgutil.iter_modules(schemas.__path__))
    modules = [importlib.import_module(f"ragassay.schemas.{name}") for name in names]
    declared = {value.name: value for module in modules for value in vars(module).values() if isinstance(value, Table)}
    return dict(sorted((declared | {REJECTS.name: REJECTS}).items()))


class Results:
    """The tables below one folder, which is `results` in a project."""

    def __init__(self, folder="results"):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise ResultsError(
                f"{folder}: no such folder, expected one that a run wrote{closest_file(folder)};"
                f" run `{study_command()}`"
            )
        self._tables = all_tables()
        left = self.folder / "left_over.txt"
        lines = left.read_text().splitlines() if left.is_file() else []
        self._left_over = {self.folder / Path(line).relative_to("results") for line in lines}

    def tables(self) -> pd.DataFrame:
        """What is there: each table with the number of its files, the keys of their paths, and what a row is."""
        files = {name: len(self._files(table)) for name, table in self._tables.items()}
        rows = [(name, files[name], ", ".join(_keys_of(table)), table.row) for name, table in self._tables.items()]
        frame = pd.DataFrame(rows, columns=["table", "files", "keys", "description"]).set_index("table")
        return frame[frame["files"] > 0]

    def frame(self, table: str, /, columns: list[str] | None = None, **chosen: Any) -> pd.DataFrame:
        """The rows of all files of a table, or of those with these keys: `frame("responses", prompt=["basic", "cot"])`.

        The keys of a file, such as generator and shard, are the first columns; `columns` says which others are read.
        """
        if table not in self._tables:
            raise self._no("table", table, self._tables)
        declaration = self._tables[table]
        files = self._files(declaration)
        if not files:
            raise ResultsError(f"{self.folder}: found no file of table {table}; run the rule that writes it")
        for name, values in chosen.items():
            files = self._narrowed(declaration, files, name, values)
        names = declaration.schema.names if columns is None else list(columns)
        for name in names:
            if name not in declaration.schema.names + _keys_of(declaration):
                raise self._no(f"column of table {table}", name, declaration.schema.names)
        names = [name for name in names if name in declaration.schema.names]
        if declaration.path:
            return tables.frame(declaration, files, names)
        parts = [tables.read(declaration, path, names).to_pandas() for path in files]
        for part, values in zip(parts, files.values(), strict=True):
            part.insert(0, "file", values["file"])
        return pd.concat(parts, ignore_index=True)

    def metrics(self, section: str, table: str, intervals: bool = False) -> pd.DataFrame:
        """A table of the report's numbers: a row per combination of keys, a column per metric.

        If some rows have one key more than the others and hold one metric, the values of that key become columns, as
        the topics of Table 2 do. `intervals` adds the ends of each interval as `{metric}_low` and `{metric}_high`. A
        table that only another section has is taken from there. Where some rows rest on an index, the last column,
        `index`, says what it finds. For counts and abstentions: `frame("metrics")`.
        """
        rows = self.frame("metrics")
        if section not in set(rows["section"]):
            raise self._no("section", section, set(rows["section"]))
        of_section = rows[rows["section"] == section]
        if table not in set(of_section["table"]):
            elsewhere = sorted(set(rows.loc[rows["table"] == table, "section"]))
            if not elsewhere:
                raise self._no(f"table of section {section}", table, set(of_section["table"]))
            if len(elsewhere) > 1:
                expected = f"expected one of the sections that have one: {', '.join(elsewhere)}"
                raise ResultsError(f"{self.folder}: section {section} has no table {table}, {expected}")
            of_section = rows[rows["section"] == elsewhere[0]]
        rows = of_section[of_section["table"] == table]
        of_rows = [json.loads(text) for text in rows["keys"]]
        remarks = self._index_remarks(of_rows)
        return _as_reported([*zip(of_rows, rows.itertuples(), remarks, strict=True)], intervals)

    def _index_remarks(self, of_rows: list[dict]) -> list[list[str]]:
        """Of rows with these keys, what indexes find that they rest on. Rows that name a corpus and no retriever rest
        on those that search it without its held-out documents.
        """
        files = self._files(INDEX_RECALL)
        remarks = index_notes.remarks(files)
        dividing = {of_path["retriever"] for of_path in files.values() if HELD_OUT in of_path["corpus"]}
        rows = []
        for row in of_rows:
            names = [row[name] for name in index_notes.SEARCHING if name in row]
            names = dividing if "corpus" in row and not names else names
            rows.append([line for retriever, line in remarks.items() if retriever in names])
        return rows

    def _files(self, table) -> dict[Path, dict]:
        """The files of a table, each with the keys of its path; without a path of its own, its place is the one key."""
        if table.path:
            pattern = table.path.format_map(dict.fromkeys(key_names(table), "*"))
            paths = sorted({*self.folder.glob(f"{pattern}.parquet")} - self._left_over)
            return {path: keys(table, path) for path in paths}
        folder = self.folder / table.name
        paths = sorted({*folder.rglob("*.parquet")} - self._left_over)
        return {path: {"file": path.relative_to(folder).with_suffix("").as_posix()} for path in paths}

    def _narrowed(self, table, files, name, values):
        """The files whose key is one of the values, each of which has to occur."""
        if name not in _keys_of(table):
            raise self._no(f"key of table {table.name}", name, _keys_of(table))
        values = [values] if isinstance(values, str) else list(values)
        there = {of_path[name] for of_path in files.values()}
        for value in values:
            if value not in there:
                raise self._no(f"{name} of table {table.name}", value, there)
        return {path: of_path for path, of_path in files.items() if of_path[name] in values}

    def _no(self, what, name, expected):
        expected = sorted(expected)
        among = f"expected one of: {', '.join(expected)}{closest(name, expected)}" if expected else "which has none"
        return ResultsError(f"{self.folder}: {name!r} is no {what}, {among}")


def _keys_of(table):
    return key_names(table) if table.path else ["file"]


def _as_reported(rows, intervals) -> pd.DataFrame:
    """Metric rows, each with its keys, as one frame with a row per combination of keys in their natural order."""
    spread = _spread_key([(named, row) for named, row, _ in rows])
    lines, resting = {}, defaultdict(dict)
    for named, row, remarks in sorted(rows, key=lambda of_row: spread in of_row[0]):
        column = named.pop(spread) if spread in named else row.metric
        name = json.dumps(named)
        resting[name] |= dict.fromkeys(remarks)
        line = lines.setdefault(name, named)
        line[column] = row.value
        if intervals and pd.notna(row.low):
            line |= {f"{column}_low": row.low, f"{column}_high": row.high}
    names = sorted(lines, key=pieces)
    frame = pd.DataFrame([lines[name] for name in names])
    if any(resting.values()):
        frame[index_notes.COLUMN] = [" ".join(resting[name]) for name in names]
    return frame


def _spread_key(rows):
    """The one key that some rows have beside those of all, if these rows are about one metric."""
    common = set.intersection(*(set(named) for named, _ in rows))
    more = {key for named, _ in rows for key in named} - common
    metrics = {row.metric for named, row in rows if more & named.keys()}
    return more.pop() if len(more) == 1 and len(metrics) == 1 else None
