"""The three real databases of the tests, each in a folder of its own."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from databases import KINDS, Milvus, Pgvector, Qdrant, postgres_in


@contextlib.contextmanager
def each() -> Iterator[dict]:
    """kind -> the database, still without a collection."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        with postgres_in(folder) as address:
            made = (Qdrant(Path(folder)), Pgvector(address), Milvus(Path(folder)))
            yield dict(zip(KINDS, made, strict=True))
