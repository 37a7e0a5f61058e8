"""Doors of what comes over the wire: pages, replies, judgements, clicks."""

import datetime
import io
import json
from types import SimpleNamespace

from fuzzing.door import LetIn, lenient, storable
from ragassay.calls.batches.submission import SentBatch
from ragassay.calls.model import Failure, Model
from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.providers.service import error_in, read_reply
from ragassay.calls.wire.failures import failure_in_reply, failure_of
from ragassay.calls.wire.replies import completion
from ragassay.documents.documents import moment
from ragassay.grading.verdicts import parse_verdict
from ragassay.news.extraction.page import read_page
from ragassay.news.feeds.feed import parse
from ragassay.news.fetching import robots
from ragassay.news.fetching.links import link
from ragassay.news.opt_outs import OptOuts
from ragassay.people.labelling import replayed
from ragassay.people.page import clicks
from ragassay.text.characters import refusal
from scripts.news.extract_articles import date_of

MODEL = Model("m", "openai", "m")
PATHS = {"answer": "$.answer", "passages": "$.passages", "cost": "$.cost.usd", "error": "$.error"}
PATHS |= {name: f"$.{name}" for name in ("text", "id", "score", "source")}
ITEM = {"item_id": "item-scope-0001", "task": "scope", "group": 1, "position": 1}
ANNA = [{"event": "join", "person": "Anna", "group": 1, "click": "0000000f", "at": 1}]
NOW = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)


def feed(content, folder):
    for entry in parse(content, "https://a.example/feed", "text/xml").entries:
        storable(entry.title, entry.published)
        moment(entry.published_at and datetime.datetime.fromtimestamp(entry.published_at, datetime.UTC))


def page(content, folder):
    page = read_page(content, "text/html", "https://a.example/1")
    date_of("", page["dates"], "https://a.example/2026/10/03/x", NOW)


def robots_file(content, folder):
    rules = robots.rules(content)
    rules.allows("https://a.example/a b?x=%41", "ragassay")
    if not rules.delay("ragassay") >= 0:
        raise LetIn(f"a pause of {rules.delay('ragassay')} s")


def reply(content, folder):
    answers, usage = completion(
        lenient(content), lambda error, lost: failure_in_reply(error, "from a server", MODEL, lost)
    )
    if min(usage.prompt, usage.cached, usage.completion) < 0 or not usage.served.isprintable():
        raise LetIn(f"{usage}")
    for answer in answers:
        answer.text.encode()


def error_reply(content, folder):
    try:
        error = json.loads(content)
    except (ValueError, RecursionError):
        error = lenient(content)
    for status in (400, 403, 404, 422, 429, 500):
        failure_of(status, error, "from a server", MODEL)


def batch(content, folder):
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


def click(content, folder):
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
            storable(event)
            json.dumps(event, allow_nan=False).encode()
            labelling.apply(event)


def addresses(content, folder):
    lines = lenient(content).splitlines()
    opt_outs = OptOuts(lines)
    for line in [*lines, "https://a.example/%2F/.."]:
        opt_outs.matches(line)
        opt_outs.matches(link(line, "https://a.example/b/"))


def judgement(content, folder):
    text = lenient(content)
    parse_verdict(text), parse_numbered(text, "stop", 2), parse_object(text, "stop", ("verdict",))


def service(content, folder):
    body = lenient(content)
    error_in(body, PATHS["error"], "services.x")
    [answer], _ = read_reply(body, PATHS, "services.x")
    answer.text.encode()
    json.dumps(answer.passages, allow_nan=False).encode()
