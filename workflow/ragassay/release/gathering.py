"""Find the tables that a configuration plans, all of them finished, and the configuration itself. Snakemake says what
is planned and whether anything is still to be done; whatever else lies below results stays there."""

import csv
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ragassay.base import pipeline
from ragassay.base.address import is_copy
from ragassay.base.errors import AssayError
from ragassay.base.tables import Table, TableError, keys
from ragassay.config import schema
from ragassay.config.settings import of_files, read
from ragassay.release.contents import is_known
from ragassay.results import all_tables

EXPORTS = "export"  # below results: copies of tables in other forms
EVERYTHING = "report"  # the target that has all tables
DONE = "no update"


class NotReleasable(AssayError):
    """Something has to be put right before these results can be published."""


def configuration(configfiles: list[str]) -> dict:
    """The checked configuration, with all defaults."""
    return of_files([*pipeline.settings_files(), *configfiles], schema.merged())


def check_licence(configfiles: list[str]) -> None:
    """Refuses sources of the user's own under title, licence and note of the demo."""
    contents = [read(file) for file in configfiles]
    sources = any("sources" in (content.get("release") or {}) for content in contents)
    if sources and not any(content.get("export") for content in contents):
        problem = f"found none in {', '.join(configfiles)}, which gives release.sources"
        remedy = "add title, licence and licence_note, else the release has those of the demo"
        raise NotReleasable(f"export: {problem}, expected it beside them; {remedy}")


def planned(configfiles: list[str], targets: Iterable[str] = ()) -> list[Path]:
    """The tables that a run with these files and targets makes; raises NotReleasable if one of them is not made yet."""
    targets = [*targets] or [EVERYTHING]
    given = ["--configfile", *configfiles] if configfiles else []
    command = pipeline.snakemake("--summary", *given, "--", *targets)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("Building DAG")]
        raise NotReleasable(f"snakemake cannot plan this configuration: {' '.join(lines[-3:])[:500]}")
    rows = list(csv.DictReader(done.stdout.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = [row for row in rows if not is_copy(row["output_file"])]
    made = [row for row in rows if row["status"] != "removed temp file"]
    if waiting := Counter(row["rule"] for row in made if row["plan"] != DONE):
        rules = ", ".join(f"{rule} ({count})" for rule, count in waiting.most_common(5))
        remedy = f"run: {pipeline.run_command(*given, '--', *targets)}"
        raise NotReleasable(f"results: found files that are still to be made, by {rules}, expected none; {remedy}")
    if missing := [row["output_file"] for row in made if row["status"] == "missing"]:
        # Snakemake does not make a table again from which all others were made, unless it is asked for by name.
        remedy = f"run: {pipeline.run_command(*given, '--', *missing[:5])}"
        raise NotReleasable(f"results: found {len(missing)} planned files that are missing, expected none; {remedy}")
    return [Path(row["output_file"]) for row in made if row["output_file"].endswith(".parquet")]


def shard_files(shards) -> dict[str, list[str]]:
    """shard -> what users brought as its documents, of the shards that are not crawled."""
    with Path(shards).open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["shard"]: [row["documents"]] for row in rows if row["documents"]}


def left_behind(results: Path, files: Iterable[Path]) -> Counter:
    """Table -> how many of its files lie below results and are none of these."""
    others = {path for path in results.rglob("*.parquet") if path.relative_to(results).parts[0] != EXPORTS}
    return Counter(path.relative_to(results).parts[0] for path in others - set(files))


def table_files(results: Path, files: Iterable[Path]) -> dict[Table, list[Path]]:
    """Every declared table among these files below results, with its files in the order of their names."""
    if not results.is_dir():
        raise NotReleasable(
            f"{results}: no such folder, expected the results of a finished run; run `{pipeline.study_command()}` first"
        )
    declared, tables = all_tables(), {}
    placed = [table for table in declared.values() if table.path]
    for path in sorted(files):
        first = path.relative_to(results).parts[0]
        if first == EXPORTS:
            continue
        table = declared.get(first)
        if table is None or table.path:
            table = next((table for table in placed if _belongs(table, results, path)), None)
        if table is None or not is_known(table.name):
            expected = "expected one in ragassay/schemas that says whose texts it holds, or `release`"
            raise NotReleasable(f"{path}: found a table without a schema, {expected}; declare it")
        tables.setdefault(table.name, (table, []))[1].append(path)
    if not tables:
        raise NotReleasable(
            f"{results}: found no table, expected those of a finished run; run `{pipeline.study_command()}` first"
        )
    return dict(tables.values())


def _belongs(table, results, path):
    if path.relative_to(results).parts[0].split("{")[0][:4] != table.path[:4]:
        return False  # most are sorted out before a form is compared
    try:
        keys(table, path.relative_to(results))
    except TableError:
        return False
    return True
