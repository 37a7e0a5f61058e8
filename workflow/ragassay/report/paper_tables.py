"""What the papers behind the studies print, table by table (resources/papers/), beside our numbers where a run made
them. It runs nothing: see the command `ragassay reproduce`.
"""

import itertools
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragassay.base.errors import AssayError, closest, unknown
from ragassay.base.pipeline import matching
from ragassay.config.schema import load
from ragassay.config.settings import read, schema_problems, with_defaults
from ragassay.report.findings import metric_rows

SCHEMA = Path(__file__).with_name("paper_tables.schema.yaml")
NOTHING = ("-", "NA")  # in the place of a number
REST = "1 - "


class PaperError(AssayError):
    """A table has no such name, or the file of a paper cannot be read."""


@dataclass
class Number:
    """One number of a paper and of a run; `row` is our metric row, or None where no run made it."""

    keys: dict[str, str]
    metric: str  # as the paper calls it
    printed: float | None
    row: dict | None = None

    @property
    def ours(self) -> tuple[float | None, float | None, float | None]:
        """Value, lower and upper end of the interval."""
        return (None, None, None) if self.row is None else (self.row["value"], self.row["low"], self.row["high"])


def papers() -> dict[str, dict]:
    """study -> what its paper prints."""
    return {Path(name).stem: _checked(file) for name, file in sorted(matching("resources/papers/*.yaml").items())}


def _checked(file):
    paper, schema = read(file), load(SCHEMA)
    problems = [f"{file}: {'.'.join(map(str, path))}: {text}" for path, text in schema_problems(paper, schema)]
    if problems:
        raise PaperError("\n".join(problems))
    paper = with_defaults(paper, schema)
    for name, table in paper["tables"].items():
        missing = [need for need in table["needs"] if need not in paper["inputs"]]
        if missing:
            raise PaperError(f"{file}: {name}.needs: {unknown('input', missing[0], paper['inputs'])}")
        table.setdefault("study", file.stem)
        table.setdefault("target", f"results/metrics/{table['study']}.parquet")
    return paper


def named(name: str) -> tuple[str, dict, dict]:
    """Study, paper and table of a name such as `raguard/table-1`."""
    every = papers()
    names = [f"{study}/{table}" for study, paper in every.items() for table in paper["tables"]]
    if name not in names:
        near = closest(name, names) or closest(name.partition("/")[0], every)
        raise PaperError(f"found no table {name!r}{near}, expected one that `ragassay reproduce` lists")
    study, table = name.split("/")
    return study, every[study], every[study]["tables"][table]


def columns(table: dict) -> list[dict[str, str]]:
    """The keys of each column, its metric among them."""
    every = [
        dict(zip(group, values, strict=True))
        for group in table["columns"]
        for values in itertools.product(*group.values())
    ]
    return [{"metric": next(iter(table["metrics"]))} | column for column in every]


def lines(name: str, table: dict) -> list[list[str]]:
    """The words of each line of a paper's numbers; those in quotes are one."""
    split = [shlex.split(line) for line in table["numbers"].splitlines() if line.strip()]
    width = len(table["rows"]) + len(columns(table))
    for words in split:
        if len(words) != width:
            raise PaperError(f"{name}: numbers: found {len(words)} words in {' '.join(words)!r}, expected {width}")
    return split


def printed(name: str, table: dict) -> list[Number]:
    """The paper's numbers, row by row."""
    numbers, of_columns = [], columns(table)
    for words in lines(name, table):
        row = dict(zip(table["rows"], words, strict=False))
        for column, word in zip(of_columns, words[len(row) :], strict=True):
            keys = {**row, **column, **row}  # in the order of the line
            metric = keys.pop("metric")
            value = None if word in NOTHING else float(word) / (100 if table["percent"] else 1)
            numbers.append(Number(keys, metric, value))
    return numbers


def dollars(model: dict, requests: float, prompt_tokens: float, answer_tokens: float) -> float:
    """What as many requests to an entry of `models` cost; those that wait for a batch cost a share of it."""
    price = model["price"]
    paid = prompt_tokens * price["input"] + answer_tokens * price["output"]
    return requests * paid * (price["batch"] if model["mode"] == "batch" else 1) / 1e6


def names_of(table: dict, numbers: list[Number]) -> dict[str, list[str]]:
    """key -> all names of a table, which say what has to run for it."""
    names = {key: list(values) for key, values in table["keys"].items()}
    for number in numbers:
        for key, value in number.keys.items():
            if value not in names.setdefault(key, []):
                names[key].append(value)
    return names


def compared(name: str, table: dict, metrics, stands_for: dict[str, str]) -> list[Number]:
    """The paper's numbers, each with our row for the same keys. Of a figure, which prints none, all rows of ours.
    `stands_for` says what stands in our tables for a name of the paper's.
    """
    rows = metric_rows(metrics)
    keys = {key: [stands_for.get(value, value) for value in values] for key, values in table["keys"].items()}
    numbers = printed(name, table)
    if not numbers:
        return list(_all_rows(table, rows, keys))
    for number in numbers:
        wanted = keys | {key: [stands_for.get(value, value)] for key, value in number.keys.items()}
        of_metric = [row for row in rows if _is_of(table["metrics"][number.metric], row)]
        matching_rows = [row for row in of_metric if _agrees(row["keys"], wanted)]
        if len(matching_rows) > 1:
            raise PaperError(
                f"{name}: found {len(matching_rows)} rows for {number.metric} of {number.keys}, expected one"
            )
        number.row = _turned(table["metrics"][number.metric], matching_rows[0]) if matching_rows else None
    return numbers


def _all_rows(table, rows, keys) -> Iterator[Number]:
    for metric, place in table["metrics"].items():
        for row in rows:
            if _is_of(place, row) and _agrees(row["keys"], keys):
                yield Number(row["keys"], metric, None, _turned(place, row))


def place_of(place: str) -> tuple[list[str], str]:
    """Tables and metric of ours; rows of one cell stand in one of these tables alone."""
    names, metric = place.removeprefix(REST).split(".")
    return names.split("/"), metric


def _is_of(place, row):
    names, metric = place_of(place)
    return row["metric"] == metric and row["table"] in names


def _agrees(keys, wanted):
    """Whether no key has another name. A row need not have all keys, as rates of removal have no responder."""
    return all(keys.get(key, values[0]) in values for key, values in wanted.items())


def _turned(place, row):
    """What is left to 1, if that is what the paper prints."""
    if not place.startswith(REST) or row["value"] is None:
        return row
    low, high = (None if row[end] is None else 1 - row[end] for end in ("high", "low"))
    return row | {"value": 1 - row["value"], "low": low, "high": high}
