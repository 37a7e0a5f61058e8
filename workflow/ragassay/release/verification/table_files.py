"""Each table file of a release against the manifest: its columns, its rows in the order of their keys, its values."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ragassay.release.verification.digests import LEAST_UNFOLDED, FilePass, Oversized, batches, crash, first
from ragassay.release.verification.release_folder import ReleaseFolder

SECRETS = (
    r"(^|[^A-Za-z0-9])((sk|pk|rk)-[A-Za-z0-9]{16}|hf_[A-Za-z0-9]{16}|gh[opsu]_[A-Za-z0-9]{16}|xox[abp]-[0-9]"
    r"|AKIA[0-9A-Z]{12}|gsk_[A-Za-z0-9]{16}|tgp_v1[_]|github_pat[_]|AIza[A-Za-z0-9_-]{16})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)
SECRET = re.compile(SECRETS)
MOST_TIMES_ALL = 50  # bytes of all tables in memory, one after the other, against their size
MOST_TOO_LARGE = 8  # files, after which no other is looked at
TOO_LARGE = "takes more memory than is allowed; with a clone of the project, more is: --memory GIGABYTES"


def problems(release: ReleaseFolder) -> Iterator[str]:
    """Several files are looked at side by side; those that take too much memory so, each alone."""
    ids = {name for entry in release.tables.values() for name in entry["key"]}
    ids |= {column for _, column, *_ in release.manifest["references"]}
    places = [(table, file) for table, files in release.files.items() for file in files]
    most = LEAST_UNFOLDED + MOST_TIMES_ALL * sum((release.folder / file).stat().st_size for _, file in places)
    too_large = []

    def of_file(place):
        table, file = place
        if len(too_large) >= MOST_TOO_LARGE:
            return None
        try:
            return [f"{file}: {problem}" for problem in _of_file(release, file, table, ids, most)]
        except MemoryError:
            too_large.append(file)
            return None
        except Exception as error:  # noqa: BLE001  which concerns this file alone
            return [f"{file}: damaged or no Parquet file of table {table} ({crash(error)})"]

    with ThreadPoolExecutor() as pool:
        outcomes = list(zip(places, pool.map(of_file, places), strict=True))
    alone = 0  # files that take too much memory by themselves
    for place, outcome in outcomes:
        too_large.clear()
        outcome = of_file(place) if outcome is None else outcome
        yield from [f"{place[1]}: {TOO_LARGE}"] if outcome is None else outcome
        alone += outcome is None
        if alone == MOST_TOO_LARGE:
            return  # so may be all that are left: each takes its time


def _of_file(release, file, table, ids, most):
    """A table that is not what the manifest says, from one pass over its file that later checks use, too. Ids are not
    searched for secrets.
    """
    _unfold(release, 0, most)
    entry, path = release.tables[table], release.folder / file
    wanted, texts = entry["files"][file], release.manifest["texts"].get(table, ())
    columns = {column["name"]: column["type"] for column in entry["columns"]}
    schema = pq.read_schema(path)
    present = {field.name: str(field.type) for field in schema}
    if list(present.items()) != list(columns.items()):
        yield f"found the columns {present}, expected {columns} as in manifest.json"
        return
    seen, last, ordered = FilePass(schema, release.watched(table)), None, True
    searched = [name for name, kind in columns.items() if kind == "string" and name not in ids]
    for batch in batches(path):
        _unfold(release, batch.nbytes, most)
        start, distinct = seen.rows, seen.add(batch)
        for name in searched:
            values = batch[name] if name in texts else distinct[name] if name in distinct else batch[name].unique()
            if pc.any(pc.match_substring_regex(values, SECRETS)).as_py():
                at = first(pc.match_substring_regex(batch[name], SECRETS))
                yield f"column {name} holds what looks like a secret in row {start + at + 1}"
        ordered = ordered and _ascending(batch, entry["key"], last)
        last = batch.slice(batch.num_rows - 1).select(entry["key"])
    release.passes[file] = seen
    for name in (column["name"] for column in entry["columns"] if not column["null"] and seen.missing[column["name"]]):
        yield f"column {name} is empty in {seen.missing[name]} rows, expected a value in each"
    if not ordered:
        yield f"its rows are not in the order of their key ({', '.join(entry['key'])}), or a key comes twice"
    if seen.rows != wanted["rows"]:
        yield f"found {seen.rows} rows, expected {wanted['rows']}"
    if seen.digest() != wanted["digest"]:
        yield "its values are not those that were released (another logical digest)"


def _unfold(release, size, most):
    release.unfolded += size
    if release.unfolded > most:
        raise Oversized(f"all tables so far unfold to more than {most // 10**6} MB, {MOST_TIMES_ALL} times their size")


def _ascending(batch, key, last):
    """Whether each key is above the one before, also above the last one of the batch before."""
    rows = batch.select(key)
    before, after = rows.slice(0, rows.num_rows - 1), rows.slice(1)
    if last is not None:
        before = pa.Table.from_batches([last, before]).combine_chunks()
        after = pa.Table.from_batches([rows])
    equal, above = None, None
    for name in key:
        less, same = pc.less(before[name], after[name]), pc.equal(before[name], after[name])
        above = less if above is None else pc.or_(above, pc.and_(equal, less))
        equal = same if equal is None else pc.and_(equal, same)
    return pc.all(above).as_py() is not False
