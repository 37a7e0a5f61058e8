"""Read a corpus out of a vector database. Nothing is written there."""

from pathlib import Path

from ragassay.base.stage import run
from ragassay.corpora.corpus import write_passages
from ragassay.corpora.user_files import PASSAGE_FIELDS, texts
from ragassay.services.collection import KEY, opened, records


def read_collection(passages, collection, entry, pages, cut=None):
    """`collection` and `entry` are its name and entry in the configuration. What was read lies in the file `pages`
    until the table is there, so that a job that was killed reads on.
    """
    columns = entry["columns"] | {"id": entry["columns"]["id"] or KEY}
    with opened(collection, entry) as database:
        rows = records(database, columns, Path(pages))
        write_passages(passages, texts([database.place], columns, PASSAGE_FIELDS, stand_in="title", rows=rows), cut)
    Path(pages).unlink()


if __name__ == "__main__":
    run(read_collection, snakemake)
