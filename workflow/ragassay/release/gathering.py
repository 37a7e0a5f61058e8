"""Find the tables of a finished run, and the configuration it ran with."""

from pathlib import Path

from ragassay.errors import AssayError
from ragassay.plan import schema
from ragassay.plan.config import of_files
from ragassay.release.contents import is_known
from ragassay.results import all_tables
from ragassay.tables import Table, TableError, keys

EXPORTS = "export"  # below results: copies of tables in other forms


class NotReleasable(AssayError):
    """Something has to be put right before these results can be published."""


def configuration(configfiles: list[str]) -> dict:
    """The checked configuration, with all defaults."""
    return of_files(["config/config.yaml", *configfiles], schema.merged())


def table_files(results) -> dict[Table, list[Path]]:
    """Every declared table that a run has, and its files in the order of their names."""
    results = Path(results)
    if not results.is_dir():
        raise NotReleasable(f"{results}: no such folder, expected the results of a finished run; run `make demo` first")
    placed = [table for table in all_tables().values() if table.path]
    elsewhere = {table.name: table for table in all_tables().values() if not table.path}
    found = {}
    for path in sorted(results.rglob("*.parquet")):
        first = path.relative_to(results).parts[0]
        if first == EXPORTS:
            continue
        table = elsewhere.get(first) or next((table for table in placed if _belongs(table, results, path)), None)
        if table is None or not is_known(table.name):
            expected = "expected a file of a table in ragassay/schemas that ragassay/release/contents.py knows"
            raise NotReleasable(f"{path}: found a table without a schema, {expected}; declare it, or remove the file")
        found.setdefault(table.name, (table, []))[1].append(path)
    if not found:
        raise NotReleasable(f"{results}: found no table, expected those of a finished run; run `make demo` first")
    return dict(found.values())


def _belongs(table, results, path):
    if path.relative_to(results).parts[0].split("{")[0][:4] != table.path[:4]:
        return False  # most are sorted out before a form is compared
    try:
        keys(table, path.relative_to(results))
    except TableError:
        return False
    return True
