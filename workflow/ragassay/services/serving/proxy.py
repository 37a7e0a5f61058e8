"""A guard server in front of a service: it asks the gate, passes the question on, and lets the guard judge the passages
of the reply. If a service replies with passages alone, as a search does, those that were removed are taken out. If it
replies with an answer, too, it made that from all of them, so that the answer is declined, or goes out, as configured.

It sends questions to the address of the configuration and nowhere else: a redirect is an error. With `observe` replies
go out as they came, and the log says what would have been decided.

The log has a row for each question that passed, written at once to a file of its day, as JSON lines, and turned into
the day's Parquet table when the day is over, when a new fit is loaded and when the server stops or starts. A table has
the columns of a query log, so that a run can assay the traffic.
"""

import contextlib
import copy
import datetime
import json
import os
import time
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from starlette.responses import JSONResponse, Response

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.terminal import shown
from ragassay.schemas.services import DECISIONS
from ragassay.services.gate import ANSWER
from ragassay.services.serving.fits import GATE, GUARD, ServerError
from ragassay.studies.poisoning.defences.defence import VECTORS
from ragassay.text.characters import replaced

FILTERED, DECLINED, FAILED = "filtered", "declined", "failed"
ACTION = "x-ragassay-action"
PASSED = ("content-type", "retry-after")  # of the service's headers


class Proxy:
    """`settings` are the configuration's `guard_server.proxy`."""

    def __init__(self, settings: dict[str, Any], observe: bool = False):
        self.settings, self.observe = settings, observe
        self.path = urlsplit(settings["address"]).path or "/ask"
        variable = settings["key_variable"]
        self.headers = {"authorization": f"Bearer {os.environ[variable]}"} if variable else {}
        self.decisions = Decisions(settings["log"])

    @contextlib.asynccontextmanager
    async def running(self, server):
        guard = server.fits.guard
        if guard and VECTORS in guard.needs:
            raise ServerError(
                f"{guard.path}: found a guard that needs vectors, expected one that needs none: a proxy has none"
            )
        self.server, timeout = server, aiohttp.ClientTimeout(total=self.settings["seconds"])
        async with aiohttp.ClientSession(timeout=timeout) as self.session:
            yield
        self.decisions.settle()

    async def ask(self, body: bytes) -> Response:
        begun, row = time.perf_counter(), dict.fromkeys(("p_value", "passages", "problem", "status"))
        row |= {"action": FAILED, "observed": self.observe, "removed": [], "version": self.server.fits.version}
        question = self._question(body)
        try:
            reply = await self._decided(question, body, row)
        except AssayError as error:
            row["problem"], row["action"] = str(error), FAILED
            reply = JSONResponse({"error": str(error)}, 502)
        self.decisions.add({"text": question, **row, "seconds": time.perf_counter() - begun})
        self.server.metrics.count("proxied", action=row["action"])
        reply.headers[ACTION] = row["action"]
        return reply

    def _question(self, body):
        try:
            question = at(json.loads(body), self.settings["question"])
            question.encode()  # which refuses half a character
        except (ValueError, RecursionError, AttributeError):
            question = None
        if not isinstance(question, str) or not question.strip():
            raise ServerError(f"found no question in {self.settings['question']!r} of the body, expected a text there")
        return question

    async def _decided(self, question, body, row):
        """The reply, and in `row` what was decided."""
        action = await self._gated(question, row)
        if action != ANSWER and not self.observe:
            row["action"] = action
            return self._decline()
        status, headers, content = await self._service(body)
        row["status"] = status
        as_it_came = Response(content, status, headers)
        if status != 200:
            return as_it_came
        try:
            reply = self._reply(headers, content)
            removed = await self._removed(question, reply, row)
        except AssayError as error:
            if not self.observe:
                raise
            row["problem"] = str(error)
            return as_it_came
        answered = isinstance(at(reply, self.settings["answer"]), str)
        row["action"] = action
        if action == ANSWER and removed:
            row["action"] = DECLINED if answered and self.settings["removed"] == "decline" else FILTERED
        if self.observe or not removed:
            return as_it_came
        if row["action"] == DECLINED:
            return self._decline()
        passages = at(reply, self.settings["passages"])
        kept = [passage for number, passage in enumerate(passages) if number not in removed]
        # Escaped, so that halves of characters go out as they came.
        return Response(json.dumps(put(reply, self.settings["passages"], kept)), media_type="application/json")

    async def _gated(self, question, row):
        """What the gate says is to be done."""
        if not self.server.fits.gate:
            return ANSWER
        try:
            [decision] = await self.server.ask(GATE, {"queries": [question]})
        except AssayError as error:
            if not self.observe:
                raise
            row["problem"] = str(error)
            return FAILED
        row["p_value"] = decision["p_value"]
        return decision["action"]

    async def _removed(self, question, reply, row):
        """The numbers of passages that the guard removes."""
        passages = at(reply, self.settings["passages"])
        if passages is None and not self.server.fits.guard:
            return set()
        if not isinstance(passages, list):
            raise ServerError(
                f"found no list in {self.settings['passages']!r} of the service's reply, expected passages"
            )
        row["passages"] = len(passages)
        if not self.server.fits.guard or not passages:
            return set()
        texts, scores = ([at(passage, self.settings[name]) for passage in passages] for name in ("text", "score"))
        texts = [replaced(text) if isinstance(text, str) else text for text in texts]
        request = {"question": question, "texts": texts, "similarities": scores}
        judgements = await self.server.ask(GUARD, request)
        row["removed"] = [judgement["reason"] or "" for judgement in judgements if judgement["removed"]]
        return {number for number, judgement in enumerate(judgements) if judgement["removed"]}

    def _reply(self, headers, content):
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            kind = headers.get("content-type", "nothing")
            raise ServerError(f"found {shown(kind)} in the service's reply, expected JSON") from error

    async def _service(self, body):
        """Status, headers and content of the service's reply."""
        address, most = self.settings["address"], self.settings["most_bytes"]
        headers = self.headers | {"content-type": "application/json"}
        try:
            async with self.session.post(address, data=body, headers=headers, allow_redirects=False) as reply:
                if 300 <= reply.status < 400:
                    raise ServerError(
                        f"{address}: found a redirect to elsewhere, expected an answer; name that address"
                    )
                content = bytearray()
                async for part in reply.content.iter_any():
                    content += part
                    if len(content) > most:
                        raise ServerError(f"{address}: found a reply of more than {most} bytes")
                return (
                    reply.status,
                    {name: reply.headers[name] for name in PASSED if name in reply.headers},
                    bytes(content),
                )
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = shown(str(error) or "no reply in time")
            raise ServerError(f"{address}: the service does not answer ({reason})") from error

    def _decline(self):
        reply = put({}, self.settings["answer"], self.settings["declines"])
        return JSONResponse(put(reply, self.settings["passages"], []))


class Decisions:
    """`folder` holds one table a day, in UTC."""

    def __init__(self, folder: str | Path):
        self.folder, self.file = Path(folder), None
        self.folder.mkdir(parents=True, exist_ok=True)
        self.settle()

    def add(self, row: dict[str, Any]) -> None:
        """Nothing that is added is lost when the process is killed."""
        now = datetime.datetime.now(datetime.UTC)
        path = self.folder / f"{now:%Y-%m-%d}.jsonl"
        if self.file is not None and Path(self.file.name) != path:
            self.settle()
        if self.file is None:
            self.file = path.open("a", encoding="utf-8")
        stamped = {"date": int(now.timestamp() * 1000), "decision_id": uuid.uuid4().hex} | row
        self.file.write(json.dumps(stamped) + "\n")
        self.file.flush()

    def settle(self) -> None:
        """Put what was added into the tables. A row that a table has already is not put there twice."""
        if self.file is not None:
            self.file.close()
            self.file = None
        for journal in sorted(self.folder.glob("*.jsonl")):
            table = journal.with_suffix(".parquet")
            rows = tables.read(DECISIONS, table).to_pylist() if table.exists() else []
            present = {row["decision_id"] for row in rows}
            added = [json.loads(line) for line in journal.read_text(encoding="utf-8").split("\n")[:-1]]
            for row in added:
                row["date"] = datetime.datetime.fromtimestamp(row["date"] / 1000, datetime.UTC)
            tables.write(DECISIONS, table, rows + [row for row in added if row["decision_id"] not in present])
            journal.unlink()


def at(value: Any, path: str) -> Any:
    """What stands at a path such as `result.answer`; None if nothing does."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def put(reply: dict, path: str, value: Any) -> dict:
    """The reply with something else at a path."""
    reply = copy.deepcopy(reply)
    *outer, last = path.split(".")
    inner = reply
    for name in outer:
        inner = inner.setdefault(name, {})
    inner[last] = value
    return reply
