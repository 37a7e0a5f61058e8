"""Each table file of a release against the manifest: its columns, its rows in the order of their keys, its values."""

import re
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ragassay.release.verification.digests import LogicalDigest, batches
from ragassay.release.verification.release_folder import ReleaseFolder

SECRETS = (
    r"(^|[^A-Za-z0-9])((sk|pk|rk)-[A-Za-z0-9]{16}|hf_[A-Za-z0-9]{16}|gh[opsu]_[A-Za-z0-9]{16}|xox[abp]-[0-9]"
    r"|AKIA[0-9A-Z]{12}|gsk_[A-Za-z0-9]{16}|tgp_v1[_]|github_pat[_]|AIza[A-Za-z0-9_-]{16})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)
SECRET = re.compile(SECRETS)
REFUSED = (pa.ArrowException, OSError, ValueError)  # what pyarrow raises for damaged files


def problems(release: ReleaseFolder) -> Iterator[str]:
    for table, entry in release.tables.items():
        for file, wanted in sorted(entry["files"].items()):
            try:
                yield from (f"{file}: {problem}" for problem in _of_file(release.folder / file, entry, wanted))
            except REFUSED as error:
                yield f"{file}: damaged or no Parquet file of table {table} ({str(error).splitlines()[0][:100]})"


def _of_file(path, entry, wanted):
    columns = {column["name"]: column["type"] for column in entry["columns"]}
    schema = pq.read_schema(path)
    found = {field.name: str(field.type) for field in schema}
    if list(found.items()) != list(columns.items()):
        yield f"found the columns {found}, expected {columns} as in manifest.json"
        return
    digest, last, ordered = LogicalDigest(schema), None, True
    required = [column["name"] for column in entry["columns"] if not column["null"]]
    texts = [name for name, kind in columns.items() if kind == "string"]
    for batch in batches(path):
        digest.add(batch)
        ordered = ordered and _ascending(batch, entry["key"], last)
        last = batch.slice(batch.num_rows - 1).select(entry["key"])
        for name in required:
            if batch[name].null_count:
                yield f"column {name} is empty in a row, expected a value in each"
        for name in texts:
            if (at := pc.index(pc.match_substring_regex(batch[name], SECRETS), True).as_py()) >= 0:
                yield f"column {name} holds what looks like a secret in row {digest.rows - batch.num_rows + at + 1}"
    if not ordered:
        yield f"its rows are not in the order of their key ({', '.join(entry['key'])}), or a key comes twice"
    if digest.rows != wanted["rows"]:
        yield f"found {digest.rows} rows, expected {wanted['rows']}"
    if digest.hexdigest() != wanted["digest"]:
        yield "its values are not those that were released (another logical digest)"


def _ascending(batch, key, last):
    """Whether each key is above the one before, also above the last one of the batch before."""
    rows = batch.select(key)
    before = rows.slice(0, rows.num_rows - 1)
    after = rows.slice(1)
    if last is not None:
        before = pa.Table.from_batches([last, before]).combine_chunks()
        after = pa.Table.from_batches([rows])
    equal, above = None, None
    for name in key:
        less, same = pc.less(before[name], after[name]), pc.equal(before[name], after[name])
        above = less if above is None else pc.or_(above, pc.and_(equal, less))
        equal = same if equal is None else pc.and_(equal, same)
    return pc.all(above).as_py() is not False
