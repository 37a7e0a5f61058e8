"""Read a corpus out of a vector database. Nothing is written there."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base.stage import run
from ragassay.corpora.corpus import write_passages
from ragassay.corpora.user_files import PASSAGE_FIELDS, TextError
from ragassay.documents.sources import warn_of_empty
from ragassay.services.collection import KEY, opened, texts


def read_collection(passages, collection, entry, pages, cut=None):
    """`collection` and `entry` are its name and entry in the configuration. What was read lies in the file `pages`
    until the table is there, so that a job that was killed reads on.
    """
    columns = entry["columns"] | {"id": entry["columns"]["id"] or KEY}
    with opened(collection, entry) as database:
        write_passages(passages, _usable(database.place, columns, texts(database, columns, Path(pages))), cut)
    Path(pages).unlink()


def _usable(place, columns, tables) -> Iterator[pa.Table]:
    """Rows with a text, which their title may stand in for, and an id that no other has."""
    keys, empty = {}, []  # id -> key of its row
    for rows in tables:
        rows = rows.set_column(rows.column_names.index("text"), "text", pc.coalesce(rows["text"], rows["title"]))
        has_text = rows["text"].is_valid()
        empty += [f"{place} row {key}" for key in rows["key"].filter(pc.invert(has_text)).to_pylist()]
        rows = rows.filter(has_text)
        for name, key in zip(rows["id"].to_pylist(), rows["key"].to_pylist(), strict=True):
            if name is None:
                raise TextError(f"{place} row {key}: found nothing in {columns['id']!r}, expected a value")
            if (first := keys.setdefault(name, key)) != key:
                raise TextError(f"{place} row {key}: found the id {name!r} of row {first}, expected each once")
        yield rows.select(["id", "text", *PASSAGE_FIELDS])
    warn_of_empty(empty, columns["text"], len(keys))
    if not keys:
        raise TextError(f"{place}: found no row, expected at least one")


if __name__ == "__main__":
    run(read_collection, snakemake)
