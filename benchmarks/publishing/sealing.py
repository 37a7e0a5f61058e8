"""What a forger does to change a release without a trace: manifest, card and list fit what lies there."""

import contextlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ragassay.release.verification import readme, table_files
from ragassay.release.verification.digests import batches, logical_digest
from ragassay.release.verification.facts import facts
from ragassay.release.verification.release_folder import MANIFEST, ReleaseFolder, write_sums


def change(folder: Path, file: str, rows, **manifest) -> None:
    """Another table at this place, and other entries of the manifest."""
    pq.write_table(rows, folder / file)
    seal(folder, **manifest)


def with_column(rows: pa.Table, name: str, values: list) -> pa.Table:
    at = rows.column_names.index(name)
    field = rows.schema.field(at)
    field = field.with_nullable(field.nullable or None in values)
    return rows.set_column(at, field, pa.array(values, field.type))


def seal(folder: Path, **changed) -> None:
    manifest = json.loads((folder / MANIFEST).read_text()) | changed
    for entry in manifest["tables"].values():
        for file in entry["files"]:
            rows = pq.read_metadata(folder / file).num_rows
            digest = logical_digest(pq.read_schema(folder / file), batches(folder / file))
            entry["files"][file] = {"rows": rows, "digest": digest}
    (folder / MANIFEST).write_text(json.dumps(manifest))
    release = ReleaseFolder(folder)
    assert not list(table_files.problems(release))
    with contextlib.suppress(LookupError):  # a card of tables that lack what it counts
        for name, text in readme.documents(release, facts(release)).items():
            (folder / name).write_text(text)
    write_sums(folder)
