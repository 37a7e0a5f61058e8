"""Doors of files: documents, tables, vectors, ledgers, labels, configuration, releases."""

import binascii
import contextlib
import functools
import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import save

from common.figures import ROOT
from fuzzing.door import Door, LetIn, in_file, lenient, storable
from fuzzing.mutations import changed_value
from fuzzing.wire import ITEM
from ragassay.base.errors import Unusable
from ragassay.calls.ledger.journal import encode
from ragassay.calls.ledger.lease import Lease
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.ledger.register import Register
from ragassay.calls.prompts import Prompt
from ragassay.config.schema import merged
from ragassay.config.settings import of_files
from ragassay.config.shards import read_shards
from ragassay.corpora import user_files
from ragassay.documents import parsed_files, sources
from ragassay.documents.documents import article
from ragassay.people import click_log
from ragassay.people.folder import load_guidelines, state
from ragassay.people.page.access import checked_name
from ragassay.queries.query_log import entries
from ragassay.release.verification import checks
from ragassay.studies.poisoning.targets.hygiene import Problem
from ragassay.studies.poisoning.targets.released import FORMATS, released
from ragassay.studies.scope import question_sets
from scripts.search.search_vectors import VectorFiles

COLUMNS = {"id": "id", "text": "text", "title": "title", "answers": "topic"}
SET = {name: name for name in ("doc_id", "question", "question_id", "question_type", "in_scope")} | {"out_of_scope": ""}
RELEVANT = b"query-id,corpus-id,score\nq1,d1,1\nq2,d2,0\n"
ASKED = b"date,text,session\n2026-11-01T10:00:00Z,Is it?,a\n1790000000,Why?,\n"
QUESTIONS = b"doc_id,question,question_id,question_type,in_scope\nd,Is it?,1,a,true\nd,Why?,2,,0\n"
SHARDS = (
    b"shard\tdocuments\ttopics\tfirst_day\tlast_day\tper_topic\n"
    b"a\tx.jsonl\t\t\t\t\nb\t\tnews\t2026-11-01\t2026-11-30\t5\n"
)
GUIDELINES = "resources/annotation/guidelines.yaml"
PROMPT = "resources/prompts/extract_claims.yaml"
TARGETS = {
    "t1": {"question": "Who?", "correct answer": "Bo", "incorrect answer": "Al", "adv_texts": ["It was Al."]},
    "t2": {"id": 2, "question": "Who?", "answer": "Bo", "incorrect_answer": ["Al", "Cy"], "adv_texts": ["a", "b"]},
}  # fmt: skip
HOLDER = {"host": "h", "pid": 1, "at": 1.5}


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


def relevance(path):
    user_files.qrels(str(path), {"q1": "Is it?", "q2": "Why?"})


def question_set(path):
    for question in question_sets.questions([str(path)], SET, {"d": "doc-1"}, "x"):
        storable(question.row["text"], question.own_id, question.row["question_type"])


def targets(path):
    for name in FORMATS:
        for row in released(str(path), name):
            storable(row.detail if isinstance(row, Problem) else [*map(str, row.values())])


def parsed(kind):
    """A web page or a Word file, as the process reads it that can be killed."""
    return lambda content, folder: parsed_files.text_and_title(content, kind)


def pdf(content, folder):
    """Its parser may raise anything, which the process makes a reason of, but not go on for ever."""
    with contextlib.suppress(Exception):
        parsed_files.text_and_title(content, "pdf")


def word(draw):
    """A Word file: a document of paragraphs in a ZIP."""
    content, text = io.BytesIO(), draw.choice(["It was. So.", "", "&lt;", "&a;", "<w:p>" * 50])
    paragraph = f"<w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body>"
    body = f'<w:document xmlns:w="{parsed_files.WORD[1:-1]}">{paragraph}</w:document>'
    with zipfile.ZipFile(content, "w", draw.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as parts:
        parts.writestr(parsed_files.BODY, body)
    return content.getvalue()


def parts_of_pdf(draw):
    stream = draw.choice([b"BT /F1 12 Tf (It was. So.) Tj ET", b"q " * 20, b""])
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]  # fmt: skip
    whole = b"".join(b"%d 0 obj\n%b\nendobj\n" % (number, part) for number, part in enumerate(objects, 1))
    return b"%PDF-1.4\n" + whole + b"trailer\n<< /Root 1 0 R /Size 6 >>\n%%EOF\n"


def given(content):
    """Always the same, to be changed."""
    return lambda draw: content


def shipped(name):
    return lambda draw: (ROOT / name).read_bytes()


def lease(path):
    """What another process that holds a ledger wrote."""
    waiting = Lease(path.parent)
    waiting.private.touch()
    waiting._holder(), waiting._is_stale(path)


def prompt(path):
    loaded = Prompt.load(path)
    values = {name: 3 if label is None else "a" for name, label in loaded.labels.items()}
    json.dumps(loaded.messages(**values)).encode()


def guidelines(path):
    load_guidelines(path, 3)


def shards(path):
    for row in read_shards(path, ("taken",)).values():
        storable([value for value in row.values() if isinstance(value, str)])


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
