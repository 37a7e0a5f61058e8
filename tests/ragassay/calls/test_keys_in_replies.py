"""A server that gives the key back, in forty kinds of replies, online and in batches: the key is written nowhere."""

import json
import logging

import pyarrow.parquet as pq
import pytest

from ragassay.calls._workers import Unanswered
from ragassay.calls.batches import batch_caller
from ragassay.calls.complete import complete
from ragassay.calls.model import Job, ModelError, Request
from ragassay.calls.providers.openai import Provider
from ragassay.calls.wire.clients import Official

KEY = "sk-own/key-7f3a91c04de852b6"  # JSON may write its slash in two ways
SAID = f"Incorrect API key provided: {KEY}."
STATUSES = [400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 418, 422, 425, 429, 500, 502, 503, 504, 529]
PAGE = f"<html><body><h1>Blocked</h1>Authorization: Bearer {KEY}</body></html>"
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)


def reply(**changed):
    """A whole reply with one answer, as text."""
    choice = {"index": 0, "message": {"content": "Yes."}, "finish_reason": "stop"}
    choice |= {name: changed.pop(name) for name in ("message", "finish_reason") if name in changed}
    usage = {"prompt_tokens": 9, "completion_tokens": 2}
    return json.dumps({"model": "loopback", "choices": [choice], "usage": usage} | changed)


def error(**fields):
    return json.dumps({"error": {"message": "No.", **fields}})


KINDS = {str(status): (status, error(message=SAID)) for status in STATUSES} | {
    "code": (400, error(code=KEY)),
    "parameter": (400, error(param=KEY)),
    "type": (500, error(type=KEY, message=None)),
    "list": (400, json.dumps([{"error": {"code": 400, "message": SAID}}])),
    "place": (422, json.dumps({"detail": [{"loc": ["header", KEY], "msg": "invalid", "input": KEY}]})),
    "text": (500, SAID),
    "page": (403, PAGE),
    "escaped": (400, '{"error": {"message": "key ' + ESCAPED + '"}}'),
    "slashes": (400, error(message=SAID).replace("/", "\\/")),
    "half": (500, error(message=SAID)[:-5]),
    "page with status 200": (200, PAGE),
    "error with status 200": (200, error(message=SAID)),
    "cut off": (200, reply(system_fingerprint=KEY)[:-4]),
    "stream that breaks off": (200, f'data: {{"id": "{KEY}", "choices": []}}\n\n'),
    "answer": (200, reply(message={"content": SAID})),
    "escaped answer": (200, reply(message={"content": "key"}).replace("key", ESCAPED)),
    "refusal": (200, reply(message={"content": None, "refusal": SAID})),
    "thoughts": (200, reply(message={"content": "Yes.", "reasoning_content": SAID})),
    "end": (200, reply(finish_reason=KEY)),
    "end without text": (200, reply(finish_reason=KEY, message={"content": ""})),
    "name of the model": (200, reply(model=KEY)),
    "usage": (200, reply(usage={"prompt_tokens": KEY})),
    "no choices": (200, reply(choices=KEY)),
}


@pytest.fixture(autouse=True)
def key(monkeypatch, quick):
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    monkeypatch.setattr("ragassay.calls._caller.ATTEMPTS", 2)
    monkeypatch.setattr(batch_caller, "QUIET_SECONDS", 0.0)


def ask(folder, model, caplog, capfd, questions):
    """All that is written where these are asked: files, log, terminal, errors, answers."""
    messages = [[{"role": "user", "content": f"Is harbour {question} open?"}] for question in questions]
    asked, found = [Request(message, {"max_tokens": 60}) for message in messages], []
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "ragassay"):
        try:
            found += list(complete(asked, model, folder / "ledger", folder / "calls.parquet"))
        except (ModelError, Unanswered) as stopped:
            found.append(f"{stopped!r}")
    written = repr([found, caplog.text, *capfd.readouterr()]).encode()
    for file in folder.rglob("*"):
        written += file.read_bytes() if file.is_file() else b""
        written += repr(pq.read_table(file).to_pylist()).encode() if file.suffix == ".parquet" else b""
    return written


def holds_the_key(written):
    return any(part in written for part in (b"7f3a91c04de852b6", ESCAPED[-60:].encode()))


def test_online_a_key_that_a_server_gives_back_is_written_nowhere(model, tmp_path, monkeypatch, caplog, capfd):
    async def post(self, body):
        status, text = KINDS[kind]
        return status, {"retry-after": KEY, "x-request-id": KEY}, text

    monkeypatch.setattr(Official, "post", post)
    found = {}
    for kind in KINDS:
        found[kind] = ask(tmp_path / kind, model("http://127.0.0.1:9/v1"), caplog, capfd, range(2))
    assert [kind for kind, written in found.items() if holds_the_key(written)] == []
    assert sum(b"[key]" in written for written in found.values()) >= 35, "what was said is there, but for the key"


def test_in_batches_a_key_that_a_server_gives_back_is_written_nowhere(model, tmp_path, monkeypatch, caplog, capfd):
    """One batch holds all kinds of replies; it has ended once it is created."""
    sent = {}

    async def upload(self, content, name):
        sent[name] = content
        return name

    async def create(self, file, sha256):
        return Job("batch-1", file, sha256, "completed", 0.0, [file], error=SAID)

    async def download(self, file):
        rows = [{"error": {"message": SAID}}, {"response": {"status_code": 200, "body": None}}]
        rows += [{"response": {"status_code": status, "body": in_json(text)}} for status, text in KINDS.values()]
        names = [json.loads(line)["custom_id"] for line in sent[file].splitlines()]
        lines = [json.dumps({"custom_id": name} | row) for name, row in zip(names, rows, strict=False)]
        content = "\n".join(lines).encode()
        return content, len(content)

    for act in (upload, create, download):
        monkeypatch.setattr(Provider, act.__name__, act)
    count = len(KINDS) + 3  # of one nothing comes back
    written = ask(tmp_path, model("http://127.0.0.1:9/v1", mode="batch"), caplog, capfd, range(count))
    assert written.count(b"[key]") >= 35 and not holds_the_key(written)


def in_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return text
