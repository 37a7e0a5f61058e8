"""A grid: the cells in which names meet, such as a dataset, a retriever, an attack, a defence and a responder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, product

from ragassay.base.errors import AssayError

MOST = 50_000  # cells, which Snakemake plans in about ten seconds


class Cell(dict):
    """The names that meet in one cell, which are read like the wildcards of a job: `cell.dataset`."""

    __getattr__ = dict.__getitem__


class Grid:
    """Cells of the same names, each once, in the order in which they are given."""

    def __init__(self, cells: Iterable[Mapping[str, str]]):
        given = list(islice(cells, MOST + 1))
        if len(given) > MOST:
            what = f"found more than {MOST:,} combinations of {', '.join(given[0])}, expected at most so many"
            raise AssayError(f"configuration: {what}; name fewer in an entry of its `cells`")
        self.cells = list({tuple(cell.items()): Cell(cell) for cell in given}.values())

    @classmethod
    def of_entries(cls, entries: Iterable[Mapping], *names: str) -> Grid:
        """All that meet in each of these entries, which list datasets, retrievers and so on for a `dataset`, a
        `retriever`.
        """
        rows = (row for entry in entries for row in product(*(entry[f"{name}s"] for name in names)))
        return cls.of_rows(names, rows)

    @classmethod
    def of_rows(cls, names: Iterable[str], rows: Iterable[tuple]) -> Grid:
        names = tuple(names)
        return cls(dict(zip(names, row, strict=True)) for row in rows)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __contains__(self, cell: Mapping[str, str]) -> bool:
        return cell in self.cells

    def column(self, name: str) -> list[str]:
        """The different names in one place of the cells."""
        return list(dict.fromkeys(cell[name] for cell in self.cells))

    def by(self, *names: str) -> Grid:
        """The cells with these names alone."""
        return Grid({name: cell[name] for name in names} for cell in self.cells)

    def where(self, keeps: Callable[[Cell], bool]) -> Grid:
        """The cells of which this is true."""
        return Grid(filter(keeps, self.cells))

    def over(self, pattern: str) -> list[str]:
        """The pattern filled in with the names of each cell, each path once."""
        return list(dict.fromkeys(self.each(pattern)))

    def each(self, pattern: str) -> list[str]:
        """The same with one path for each cell, for stages that read them side by side."""
        return [pattern.format_map(cell) for cell in self.cells]
