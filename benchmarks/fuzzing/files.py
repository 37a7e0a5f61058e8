"""Doors of files: documents, tables, vectors, ledgers, labels, configuration, releases."""

import binascii
import functools
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import save

from fuzzing.door import Door, LetIn, in_file, lenient, storable
from fuzzing.mutations import changed_value
from fuzzing.wire import ITEM
from ragassay.base.errors import Unusable
from ragassay.calls.ledger.journal import encode
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.ledger.register import Register
from ragassay.config.schema import merged
from ragassay.config.settings import of_files
from ragassay.corpora import user_files
from ragassay.documents import sources
from ragassay.documents.documents import article
from ragassay.people import click_log
from ragassay.people.folder import state
from ragassay.people.page.access import checked_name
from ragassay.queries.query_log import entries
from ragassay.release.verification import checks
from scripts.search.search_vectors import VectorFiles

COLUMNS = {"id": "id", "text": "text", "title": "title", "answers": "topic"}


def documents(path):
    for record in sources.records([str(path)]):
        if record.reason:
            continue
        try:
            row = article(record.fields, "2026-11", record.source_id, record.title)
        except Unusable:
            continue
        storable(row["text"], row["title"], row["topic"], row["source_id"])
        pa.scalar(row["published_at"], pa.timestamp("ms", tz="UTC"))


def corpus(path):
    for row in user_files.texts([str(path)], COLUMNS, ("title",), ("answers",)):
        storable(list(row.values()))


def parquet(draw):
    rows = [{"id": "1", "text": draw.choice(["a. b.", "", "\x1b"]), "date": draw.choice([None, "x", "2026-10-03"])}] * 3
    content = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), content, compression=draw.choice(["none", "zstd"]))
    return content.getvalue()


def arrow(draw):
    content = io.BytesIO()
    table = pa.table({"text": ["a. b.", None, "c"], "id": [1, 2, 3]})
    with pa.ipc.new_stream(content, table.schema) as stream:
        stream.write_table(table)
    return content.getvalue()


def vectors(kind):
    def sample(draw):
        array, content = np.ones((2, 3), draw.choice([np.float32, np.float16, np.int64])), io.BytesIO()
        if kind == "safetensors":
            return save({"vectors": array})
        np.save(content, array)
        return content.getvalue()

    def read(path):
        path.with_suffix(".ids").write_text("a\nb\n")
        files = VectorFiles([path])
        blocks = [*files.blocks(pa.chunked_array([["b", "a"]]))]
        if not all(np.isfinite(block).all() for block in blocks):
            raise LetIn("a vector that is no numbers")

    return Door(sample, in_file(f"x.{kind}", read))


def signed(examples):
    """Lines of a ledger or a log of clicks whose checksums are right, whatever they say."""

    def sample(draw):
        chosen = [changed_value(draw, value) if draw.random() < 0.5 else value for value in examples]
        return b"".join(map(_line, chosen))

    return sample


def _line(record):
    if isinstance(record, dict):
        try:
            return encode(record)
        except ValueError:  # a number that JSON does not have
            pass
    text = json.dumps(record).encode()
    return b"%08x %d %b\n" % (binascii.crc32(text), len(text), text)


def ledger(path):
    ledger = Ledger(path.parent)
    _ = ledger.dollars, ledger.dollars_at_risk, ledger.possibly_billed_twice, ledger.served
    for key in ("ab" * 32, "00" * 32):
        [*ledger.bodies(key)], [*ledger.refusals(key)]
    [*ledger.unsettled()], [*ledger.open_batches()]
    ledger.close()


def register(path):
    register = Register(path.parent, "/x/ledger")
    granted, others = register.grant(0.1, 0.1, 1.0)
    if not (granted <= 1.1 and 0 <= others < 1e12):  # less than nothing where others have spent more than all
        raise LetIn(f"granted {granted} beside {others}")


def grants(path):
    with Register(path.parent, "/x/ledger").shared() as (kept, _):
        kept["jobs"]["host 3 ef"] = [0]


def click_file(path):
    events = click_log.read(path)
    state([ITEM], events, 2, {}, path)


def imported(read):
    def enter(content, folder):
        for given in read(lenient(content), "x", "Anna"):
            checked_name(given.annotator)
            json.dumps([given.item, given.role, given.label, given.seconds, given.at], allow_nan=False)

    return enter


def asked(path):
    for _, entry in entries([str(path)], {"date": "date", "text": "text", "session": "session"}):
        if not isinstance(entry, Unusable):
            storable(entry.text, entry.session)


def configuration(path):
    of_files([path], _schema())


@functools.cache
def _schema():
    return merged()


MANIFEST = {
    "version": "2026-11", "title": "a", "licence": "b", "licence_note": "", "language": "en", "signed": False,
    "poisoned": False, "run_words": 4, "sources": {"a": {"licence": "x", "texts": True}}, "models": [], "texts": {},
    "tables": {"documents": {"path": "documents/{shard}", "row": "a", "key": ["doc_id"], "files": {
        "tables/documents/2026-11.parquet": {"rows": 1, "digest": "ab" * 32}},
        "columns": [{"name": "doc_id", "type": "string", "null": False}, {"name": "text", "type": "string",
        "null": True}]}},
    "prompts": {}, "poison": [], "references": [["documents", "doc_id", "documents", "doc_id"]],
    "funnels": [["documents/{shard}"]], "replay": {"given": [], "rebuilt": [], "rules": []},
}  # fmt: skip


def release(path):
    """A table that is there, a list of digests that is not: each problem is a line."""
    table = path.parent / "tables/documents/2026-11.parquet"
    table.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"doc_id": ["a"], "text": ["b"]}), table)
    for problem in checks.problems(path.parent):
        if "\n" in problem or not problem.isprintable():
            raise LetIn(problem)
