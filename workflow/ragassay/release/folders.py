"""Folders that are written as a whole: built beside their place, then moved there. No file of an older one remains."""

import contextlib
import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from ragassay.base.atomic import beside, clear_leftovers


@contextlib.contextmanager
def building(path) -> Iterator[Path]:
    """A folder to write into, which takes the place of `path` when the block ends well."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    clear_leftovers(path)
    temporary = beside(path, "building")
    temporary.mkdir()
    try:
        yield temporary
        shutil.rmtree(path, ignore_errors=True)
        temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_lines(path: Path, rows: Iterable[dict]) -> None:
    """One row a line, as JSON."""
    with path.open("w", encoding="utf-8", newline="\n") as target:
        target.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
