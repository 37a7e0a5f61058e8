"""100,000 texts of each database, read as documents and by its client's bare scroll, in processes of their own."""

import json
import tempfile
import time
from pathlib import Path

from common.figures import figure
from common.memory import peak_megabytes, task
from rag.staging import each
from ragassay.services.collection import KEY, PAGE, opened, texts

COUNT, PART = 100_000, 5_000
TEXT = "The harbour of Pell opened after nine years of work, and the ferry has called there ever since."


def reading():
    with each() as databases:
        for kind, database in databases.items():
            database.make("articles", [])
            for start in range(0, COUNT, PART):
                database.add("articles", [(at, f"{at}. {TEXT}") for at in range(start + 1, start + PART + 1)])
            database.release()
            seconds, megabytes, rows = task("ours", json.dumps(database.entry))
            bare, _, others = task("bare", json.dumps(database.entry))
            figure(f"read_{kind}_missing", COUNT - rows + abs(others - rows), "texts", "== 0")
            figure(f"read_{kind}", seconds, "s", f"<= {2 * bare:.4g}", bare)
            figure(f"read_{kind}_memory", megabytes, "MB", "<= 500")


def ours(entry):
    """Seconds, peak megabytes and texts of the connector, with the file that a killed reading goes on from."""
    columns = {"id": KEY, "text": "body", "source": "meta.source"}
    with tempfile.TemporaryDirectory() as folder, opened("mine", json.loads(entry)) as collection:
        begin = time.perf_counter()
        pages = texts(collection, columns, Path(folder, "pages"))
        rows = sum(len(page) - page["text"].null_count for page in pages)
        return time.perf_counter() - begin, peak_megabytes(), rows


def bare(entry):
    """The same of the client alone."""
    entry = json.loads(entry)
    with opened("mine", entry) as collection:
        client, name = collection.client, entry["collection"]
        begin = time.perf_counter()
        rows = sum(BARE[entry["kind"]](client, name))
        return time.perf_counter() - begin, peak_megabytes(), rows


def _qdrant(client, name):
    cursor = None
    while True:
        points, cursor = client.scroll(
            name, limit=PAGE, offset=cursor, with_payload=["body", "meta"], with_vectors=False
        )
        yield len(points)
        if cursor is None:
            return


def _pgvector(client, name):
    last = 0
    while rows := client.execute(
        f'SELECT key, body, meta FROM "{name}" WHERE key > %s ORDER BY key LIMIT {PAGE}', (last,)
    ).fetchall():
        last = rows[-1][0]
        yield len(rows)


def _milvus(client, name):
    client.load_collection(name)
    rows = client.query_iterator(name, batch_size=PAGE, output_fields=["key", "body", "meta"])
    while page := rows.next():
        yield len(page)
    rows.close()


BARE = {"qdrant": _qdrant, "pgvector": _pgvector, "milvus": _milvus}
TASKS = {"ours": ours, "bare": bare}
