"""Where content from outside enters: for each door how such content looks when all is well, and what reads it. Whatever
a reader raises beside an error of its kind, and whatever it lets in that is not to be stored, is a finding.
"""

import base64
import binascii
import datetime
import functools
import hashlib
import io
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import load, save

from fuzzing import inputs
from fuzzing.mutations import changed_value
from ragassay.base import card
from ragassay.base.errors import AssayError, Unusable
from ragassay.calls.batches.submission import SentBatch
from ragassay.calls.ledger.journal import encode
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.ledger.register import Register
from ragassay.calls.model import Failure, Model
from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.wire.failures import failure_in_reply, failure_of
from ragassay.calls.wire.replies import completion
from ragassay.calls.wire.service_replies import error_in, read_reply
from ragassay.config.schema import merged
from ragassay.config.settings import of_files
from ragassay.corpora import user_files
from ragassay.documents import sources
from ragassay.documents.documents import article, moment
from ragassay.grading.verdicts import parse_verdict
from ragassay.news.extraction.page import read_page
from ragassay.news.feeds.feed import parse
from ragassay.news.feeds.feed_lists import outlines
from ragassay.news.fetching import robots
from ragassay.news.fetching.links import NotALink, link
from ragassay.news.opt_outs import OptOuts
from ragassay.people import _label_files, click_log
from ragassay.people.folder import state
from ragassay.people.labelling import replayed
from ragassay.people.page import clicks
from ragassay.people.page.access import checked_name
from ragassay.queries.query_log import entries
from ragassay.release.verification import checks
from ragassay.text.characters import refusal
from scripts.news.extract_articles import date_of
from scripts.search.search_vectors import VectorFiles

MODEL = Model("m", "openai", "m")
PATHS = {"answer": "$.answer", "passages": "$.passages", "cost": "$.cost.usd", "error": "$.error"}
PATHS |= {name: f"$.{name}" for name in ("text", "id", "score", "source")}
COLUMNS = {"id": "id", "text": "text", "title": "title", "answers": "topic"}
ITEM = {"item_id": "item-scope-0001", "task": "scope", "group": 1, "position": 1}
ANNA = [{"event": "join", "person": "Anna", "group": 1, "click": "0000000f", "at": 1}]
NOW = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)


class Door(NamedTuple):
    sample: Callable[[random.Random], bytes]  # content as it should be, or nearly
    enter: Callable[[bytes, Path], object]  # in a folder of its own
    known: tuple[type[Exception], ...] = (AssayError,)  # what a reader may raise


class LetIn(Exception):
    """Something was let in that is not to be stored, or that says what it was not told."""


def entered(door: Door, content: bytes, folder: Path) -> None:
    """Raises what nobody foresaw."""
    try:
        door.enter(content, folder)
    except door.known as error:
        if not str(error).isprintable() and str(error).replace("\n", "").isprintable() is False:
            raise LetIn(f"a message that steers a terminal: {error!r:.200}") from error


def _storable(*texts):
    for text in texts:
        if wrong := refusal(text):
            raise LetIn(wrong)


def _text(name):
    return lambda draw: inputs.text(draw, name)


def _json(examples, lines=False, form="{}"):
    """A value, or one a line, in the form of what it stands in."""

    def sample(draw):
        chosen = [draw.choice(examples) for _ in range(draw.randint(1, 4) if lines else 1)]
        values = [changed_value(draw, value) if draw.random() < 0.7 else value for value in chosen]
        written = [form.replace("{}", json.dumps(value, ensure_ascii=draw.random() < 0.5)) for value in values]
        return "\n".join(written).encode("utf-8", "surrogatepass")

    return sample


def _file(name, read):
    """Content as a file of this name, which `read` gets."""

    def enter(content, folder):
        path = folder / name
        path.write_bytes(content)
        return read(path)

    return enter


def _lenient(content):
    """Bodies come decoded, whatever they were."""
    return content.decode("utf-8", "replace")


def _feed(content, folder):
    for entry in parse(content, "https://a.example/feed", "text/xml").entries:
        _storable(entry.title, entry.published)
        moment(entry.published_at and datetime.datetime.fromtimestamp(entry.published_at, datetime.UTC))


def _page(content, folder):
    page = read_page(content, "text/html", "https://a.example/1")
    date_of("", page["dates"], "https://a.example/2026/10/03/x", NOW)


def _robots(content, folder):
    rules = robots.rules(content)
    rules.allows("https://a.example/a b?x=%41", "ragassay")
    if not rules.delay("ragassay") >= 0:
        raise LetIn(f"a pause of {rules.delay('ragassay')} s")


def _reply(content, folder):
    answers, usage = completion(
        _lenient(content), lambda error, lost: failure_in_reply(error, "from a server", MODEL, lost)
    )
    if min(usage.prompt, usage.cached, usage.completion) < 0 or not usage.served.isprintable():
        raise LetIn(f"{usage}")
    for answer in answers:
        answer.text.encode()


def _error(content, folder):
    try:
        error = json.loads(content)
    except (ValueError, RecursionError):
        error = _lenient(content)
    for status in (400, 403, 404, 422, 429, 500):
        failure_of(status, error, "from a server", MODEL)


def _batch(content, folder):
    """Lines of an output file, with a caller that keeps nothing."""
    batch = object.__new__(SentBatch)
    row = SimpleNamespace(id="x", worst=0.0)
    batch.rows, batch.job, batch.lost, batch.paid = {"x": row}, SimpleNamespace(id="b"), 0.0, 0.0

    def receive(row, body):
        try:
            return completion(body, lambda error, lost: failure_in_reply(error, "a", MODEL, lost))[0], 0.0
        except Failure as failure:
            return failure

    batch.caller = SimpleNamespace(model=MODEL, receive=receive, fail=lambda row, failure: failure)
    for line in io.BytesIO(content):
        row, reply = batch._read(line)
        if row:
            batch._outcome(row, reply)


def _documents(path):
    for record in sources.records([str(path)]):
        if record.reason:
            continue
        try:
            row = article(record.fields, "2026-11", record.source_id, record.title)
        except Unusable:
            continue
        _storable(row["text"], row["title"], row["topic"], row["source_id"])
        pa.scalar(row["published_at"], pa.timestamp("ms", tz="UTC"))


def _corpus(path):
    for row in user_files.texts([str(path)], COLUMNS, ("title",), ("answers",)):
        _storable(list(row.values()))


def _parquet(draw):
    rows = [{"id": "1", "text": draw.choice(["a. b.", "", "\x1b"]), "date": draw.choice([None, "x", "2026-10-03"])}] * 3
    content = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), content, compression=draw.choice(["none", "zstd"]))
    return content.getvalue()


def _arrow(draw):
    content = io.BytesIO()
    table = pa.table({"text": ["a. b.", None, "c"], "id": [1, 2, 3]})
    with pa.ipc.new_stream(content, table.schema) as stream:
        stream.write_table(table)
    return content.getvalue()


def _vectors(kind):
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

    return Door(sample, _file(f"x.{kind}", read))


def _signed(examples):
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


def _ledger(path):
    ledger = Ledger(path.parent)
    _ = ledger.dollars, ledger.dollars_at_risk, ledger.possibly_billed_twice, ledger.served
    for key in ("ab" * 32, "00" * 32):
        [*ledger.bodies(key)], [*ledger.refusals(key)]
    [*ledger.unsettled()], [*ledger.open_batches()]
    ledger.close()


def _register(path):
    register = Register(path.parent, "/x/ledger")
    granted, others = register.grant(0.1, 0.1, 1.0)
    if not (granted <= 1.1 and 0 <= others < 1e12):  # less than nothing where others have spent more than all
        raise LetIn(f"granted {granted} beside {others}")


def _grants(path):
    with Register(path.parent, "/x/ledger").shared() as (kept, _):
        kept["jobs"]["host 3 ef"] = [0]


def _click(content, folder):
    try:
        click = json.loads(content)
        wrong = refusal(click)
    except (ValueError, RecursionError):
        return
    if wrong or not isinstance(click, dict):
        return
    labelling = replayed([ITEM], ANNA, 2, {"scope": {}, "defusion": {}})
    for kind in clicks.KINDS:
        if event := clicks.decide(labelling, "Anna", kind, click):
            _storable(event)
            json.dumps(event, allow_nan=False).encode()
            labelling.apply(event)


def _clicks(path):
    events = click_log.read(path)
    state([ITEM], events, 2, {}, path)


def _imported(read):
    def enter(content, folder):
        for given in read(_lenient(content), "x", "Anna"):
            checked_name(given.annotator)
            json.dumps([given.item, given.role, given.label, given.seconds, given.at], allow_nan=False)

    return enter


def _asked(path):
    for _, entry in entries([str(path)], {"date": "date", "text": "text", "session": "session"}):
        if not isinstance(entry, Unusable):
            _storable(entry.text, entry.session)


def _configuration(path):
    of_files([path], _schema())


@functools.cache
def _schema():
    return merged()


def _addresses(content, folder):
    lines = _lenient(content).splitlines()
    opt_outs = OptOuts(lines)
    for line in [*lines, "https://a.example/%2F/.."]:
        opt_outs.matches(line)
        opt_outs.matches(link(line, "https://a.example/b/"))


def _judgement(content, folder):
    text = _lenient(content)
    parse_verdict(text), parse_numbered(text, "stop", 2), parse_object(text, "stop", ("verdict",))


def _service(content, folder):
    body = _lenient(content)
    error_in(body, PATHS["error"], "services.x")
    reply = read_reply(body, PATHS, "services.x")
    reply.answer.encode()
    json.dumps(reply.passages, allow_nan=False).encode()


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


def _release(path):
    """A table that is there, a list of digests that is not: each problem is a line."""
    table = path.parent / "tables/documents/2026-11.parquet"
    table.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"doc_id": ["a"], "text": ["b"]}), table)
    for problem in checks.problems(path.parent):
        if "\n" in problem or not problem.isprintable():
            raise LetIn(problem)


def _fitted(name, path, open_and_use):
    """A folder with what was fitted, of which the content is one file of JSON, signed, or one array."""

    def sample(draw):
        about = json.loads(path().read_text())
        about = changed_value(draw, about) if draw.random() < 0.9 else about
        return json.dumps(about).encode()

    def enter(content, folder):
        try:
            about = card.signed(json.loads(content))
        except (ValueError, RecursionError, AttributeError):
            (folder / name).write_bytes(content)
        else:
            (folder / name).write_text(json.dumps(about))
        for other in path().parent.iterdir():
            if other.name != name and other.is_file():
                (folder / other.name).write_bytes(other.read_bytes())
        return open_and_use(folder)

    return Door(sample, enter)


def _numbers(path, open_and_use):
    """Arrays of a probe whose digest is right, with numbers, types and shapes that are not."""

    def sample(draw):
        arrays = load(path().with_name("heads.safetensors").read_bytes())
        name = draw.choice(sorted(arrays))
        values = np.array(arrays[name])
        with np.errstate(all="ignore"):
            match draw.randrange(4):
                case 0 if values.size and values.dtype.kind == "f":
                    values.reshape(-1)[draw.randrange(values.size)] = draw.choice([np.nan, np.inf, 1e38])
                case 1:
                    values = values.astype(draw.choice([np.float64, np.int8, bool]))
                case 2:
                    values = values[None] if draw.random() < 0.5 else values.reshape(-1)[: values.size // 2]
                case _:
                    del arrays[name]
        if name in arrays:
            arrays[name] = np.ascontiguousarray(values)
        return base64.b64encode(save(arrays))

    def enter(content, folder):
        try:
            weights = base64.b64decode(content)
        except ValueError:
            weights = content
        (folder / "heads.safetensors").write_bytes(weights)
        about = json.loads(path().read_text())
        about["weights"] = hashlib.sha256(weights).hexdigest()
        (folder / "card.json").write_text(json.dumps(card.signed(about)))
        return open_and_use(folder)

    return Door(sample, enter)


@functools.cache
def _made():
    """A gate, guards and probes as stages write them: the small ones of the tests."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/helpers"))
    import fitted

    folder = Path(tempfile.mkdtemp(prefix="fuzz-fitted-"))
    fitted.write_gate(folder / "gate", "mss")
    (folder / "guards").mkdir()
    fitted.write_guards(folder / "guards")
    fitted.write_probes(folder / "probes")
    for kind in ("trustrag", "chain"):
        (folder / kind).mkdir()
        (folder / "guards" / f"{kind}.json").rename(folder / kind / "guard.json")
    return folder


def _gated(folder):
    from ragassay import Gate

    if any(not 0 <= decision.p_value <= 1 for decision in Gate.load(folder)(["Is the ferry old?", "Zyzzy?"])):
        raise LetIn("a p-value that is none")


def _guarded(folder):
    from ragassay import Guard

    texts = ["Is the ferry of the isle old? No.", "A choir."]
    Guard.load(folder / "guard.json")("Is the ferry of the isle old?", texts, [0.9, 0.4], np.eye(2))


def _probed(folder):
    from ragassay import Probe

    for kind in ("logistic", "lens", "triplet"):
        verdicts = Probe.load(folder, kind).judge(np.ones((2, 3, 4), np.float32))
        if any(verdict.score != verdict.score for verdict in verdicts):
            raise LetIn("a score that is none")


UNUSABLE, FAILURE = (AssayError, Unusable), (AssayError, Failure)
DOORS = {
    "feeds": Door(_text("feed"), _feed, UNUSABLE),
    "pages": Door(_text("page"), _page, UNUSABLE),
    "robots": Door(_text("robots"), _robots),
    "lists of feeds": Door(_text("opml"), lambda content, folder: outlines(content), UNUSABLE),
    "addresses and opt-outs": Door(_text("opt_outs"), _addresses, (AssayError, NotALink)),
    "replies": Door(_json(inputs.REPLIES), _reply, FAILURE),
    "streams": Door(_json(inputs.EVENTS, lines=True, form="data: {}\n"), _reply, FAILURE),
    "errors of providers": Door(_json(inputs.ERRORS), _error),
    "output files of batches": Door(
        _json(inputs.REPLIES, lines=True, form='{"custom_id": "b-x", "response": {"status_code": 200, "body": {}}}'),
        _batch,
    ),
    "lines of batches": Door(
        _json([{"custom_id": "b-x", "response": {"status_code": 400, "body": {}}, "error": {}}]), _batch
    ),
    "replies of services": Door(_json(inputs.SERVICE), _service, FAILURE),
    "streams of services": Door(_json(inputs.SERVICE, lines=True, form="data: {}\n"), _service, FAILURE),
    "judgements": Door(_text("judgement"), _judgement),
    "JSON lines": Door(_json(inputs.DOCUMENTS, lines=True), _file("x.jsonl", _documents)),
    "CSV": Door(_text("csv"), _file("x.csv", _documents)),
    "texts with headers": Door(_text("header"), _file("x.md", _documents)),
    "Parquet": Door(_parquet, _file("x.parquet", _documents)),
    "Arrow": Door(_arrow, _file("x.arrow", _documents)),
    "corpora": Door(_json(inputs.DOCUMENTS, lines=True), _file("x.jsonl", _corpus)),
    "vectors of numpy": _vectors("npy"),
    "vectors of safetensors": _vectors("safetensors"),
    "logs of queries": Door(_json(inputs.SPANS), _file("x.jsonl", _asked)),
    "ledgers": Door(_signed(inputs.LEDGER), _file("x.jsonl", _ledger)),
    "registers of money": Door(_json(inputs.REGISTER), _file("money.json", _register)),
    "registers of grants": Door(
        _json([{"jobs": {"host 1 ab": [1.0, 2], "host 2 cd": [0.5]}}]), _file("grants.json", _grants)
    ),
    "clicks": Door(_json(inputs.CLICKS), _click),
    "logs of clicks": Door(_signed(inputs.EVENTS_OF_CLICKS), _file("x.jsonl", _clicks)),
    "imports as CSV": Door(_text("labels"), _imported(_label_files.read_csv)),
    "imports of Label Studio": Door(_json([inputs.STUDIO]), _imported(_label_files.read_label_studio)),
    "configuration": Door(_text("configuration"), _file("x.yaml", _configuration)),
    "releases": Door(_json([MANIFEST]), _file("manifest.json", _release)),
    "gates": _fitted("gate.json", lambda: _made() / "gate/gate.json", _gated),
    "guards": _fitted("guard.json", lambda: _made() / "trustrag/guard.json", _guarded),
    "chains of guards": _fitted("guard.json", lambda: _made() / "chain/guard.json", _guarded),
    "probes": _fitted("card.json", lambda: _made() / "probes/card.json", _probed),
    "weights of probes": _numbers(lambda: _made() / "probes/card.json", _probed),
}
