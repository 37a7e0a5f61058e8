"""What came of a replay: each file that it made, compared with the one in the release."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


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
