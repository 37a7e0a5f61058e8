"""Batches of the loopback server, in the shapes of OpenAI and of Together.

A batch runs by the clock: nothing happens between two looks at it, and when one comes after its end (it is done, it
expired or was cancelled) all its rows are answered, logged and put into the output and error files at once. Rows of a
batch that ended early are answered in order up to the share of its time that it had; a row that goes missing was
generated and is billed.
"""

import json
import random
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tools.provider.behaviour import Behaviour, chance
from tools.provider.chat import Model, check
from tools.provider.files import Files
from tools.provider.http import Refused
from tools.provider.log import Log, digest

ENDPOINT = "/v1/chat/completions"
TOGETHER = {"cancelled": "CANCELLED", "completed": "COMPLETED", "expired": "EXPIRED", "failed": "FAILED"}
TOGETHER |= {"validating": "VALIDATING", "in_progress": "IN_PROGRESS", "finalizing": "IN_PROGRESS"}


@dataclass
class Batch:
    id: str
    number: int
    input_file_id: str
    request: dict  # what the client asked for
    rows: list = field(default_factory=list)
    errors: list = field(default_factory=list)  # of the input; such a batch fails
    created: float = field(default_factory=time.time)
    cancelled: float | None = None
    ended: float | None = None
    status: str = "validating"
    output_file_id: str | None = None
    error_file_id: str | None = None
    completed: int = 0
    failed: int = 0

    def openai(self) -> dict:
        times = {f"{self.status}_at": int(self.ended)} if self.ended else {}
        return {
            "id": self.id,
            "object": "batch",
            "endpoint": self.request["endpoint"],
            "completion_window": self.request.get("completion_window", "24h"),
            "metadata": self.request.get("metadata"),
            "input_file_id": self.input_file_id,
            "output_file_id": self.output_file_id,
            "error_file_id": self.error_file_id,
            "status": self.status,
            "created_at": int(self.created),
            "expires_at": int(self.created) + 86_400,
            "errors": {"object": "list", "data": self.errors} if self.errors else None,
            "request_counts": {"total": len(self.rows), "completed": self.completed, "failed": self.failed},
            **times,
        }

    def together(self) -> dict:
        return {
            "id": self.id,
            "endpoint": self.request["endpoint"],
            "input_file_id": self.input_file_id,
            "output_file_id": self.output_file_id,
            "error_file_id": self.error_file_id,
            "status": TOGETHER[self.status],
            "created_at": datetime.fromtimestamp(self.created, UTC).isoformat(),
            "completed_at": self.ended and datetime.fromtimestamp(self.ended, UTC).isoformat(),
            "progress": 100.0 * (self.completed + self.failed) / max(1, len(self.rows)),
            "error": self.errors[0]["message"] if self.errors else None,
        }


class Batches:
    def __init__(self, files: Files, model: Model, log: Log):
        self.files, self.model, self.log = files, model, log
        self.batches = {}  # id -> Batch
        self.contents = {}  # digest of the input -> how many batches were created for it

    def create(self, request, behaviour: Behaviour) -> Batch:
        if not isinstance(request, dict) or request.get("endpoint") != ENDPOINT:
            raise Refused(400, f"Invalid 'endpoint': expected {ENDPOINT!r}.", param="endpoint")
        content = self.files.get(str(request.get("input_file_id"))).content
        key = digest(content.decode(errors="replace"))
        number = len(self.batches) + 1
        batch = Batch(f"batch_{number:06}", number, request["input_file_id"], request)
        batch.rows, batch.errors = rows(content)
        if batch.errors:
            batch.status, batch.ended = "failed", batch.created
        else:
            self.contents[key] = self.contents.get(key, 0) + 1
        self.batches[batch.id] = batch
        return batch

    def get(self, name: str, behaviour: Behaviour) -> Batch:
        if name not in self.batches:
            raise Refused(404, f"No batch found with id '{name}'.", param="id")
        self.look(self.batches[name], behaviour)
        return self.batches[name]

    def cancel(self, name: str, behaviour: Behaviour) -> Batch:
        batch = self.get(name, behaviour)
        if batch.ended:
            raise Refused(409, f"Cannot cancel a batch with status '{batch.status}'.")
        batch.cancelled = time.time()
        return self.get(name, behaviour)

    def listed(self, behaviour: Behaviour) -> list[Batch]:
        """All batches, newest first."""
        return [self.get(name, behaviour) for name in reversed(self.batches)]

    def look(self, batch: Batch, behaviour: Behaviour) -> None:
        """Bring the batch up to now."""
        if batch.ended:
            return
        ends = {"completed": behaviour.batch_seconds, "expired": behaviour.batch_expires_after}
        if batch.cancelled:
            ends["cancelled"] = batch.cancelled - batch.created
        end = min(ends, key=ends.get)
        gone = time.time() - batch.created
        if gone < ends[end]:
            share = gone / ends["completed"]
            batch.status = "validating" if share < 0.1 else "in_progress" if share < 0.9 else "finalizing"
            batch.completed = int(len(batch.rows) * share)
            return
        batch.status, batch.ended = end, batch.created + ends[end]
        reached = len(batch.rows) if end == "completed" else int(len(batch.rows) * ends[end] / ends["completed"])
        self.run(batch, reached, behaviour)

    def run(self, batch: Batch, reached: int, behaviour: Behaviour) -> None:
        """Answer the rows that the batch reached and write its files."""
        output, errors, batch.completed = [], [], 0
        for index, row in enumerate(batch.rows):
            name = f"{batch.number}/{index}"
            if index >= reached:
                if batch.status == "expired":
                    errors.append(line(row, name, None, {"code": "batch_expired", "message": "The window is over."}))
                continue
            status, body, missing = self.answer(row, name, behaviour)
            batch.completed += status == 200
            batch.failed += status != 200
            if not missing:
                (output if status == 200 else errors).append(line(row, name, (status, body), None))
        if behaviour.batch_shuffled:
            random.Random(f"{behaviour.seed}/{batch.number}").shuffle(output)
        if output:
            batch.output_file_id = self.files.add(f"{batch.id}_output.jsonl", "batch_output", lines(output)).id
        if errors:
            batch.error_file_id = self.files.add(f"{batch.id}_error.jsonl", "batch_output", lines(errors)).id

    def answer(self, row: dict, name: str, behaviour: Behaviour) -> tuple[int, dict, bool]:
        """Status and body of a row, and whether it goes missing."""
        found = {"batch": row["custom_id"], "key": digest(row["body"])}
        try:
            size = check(row["body"], behaviour)
            if chance(behaviour.seed, name, "error") < behaviour.batch_errors:
                raise Refused(500, "The model failed on this row." + behaviour.error_text, "server_error")
        except Refused as refused:
            self.log.asked("batch_row", name, str(refused.status), billed=0, **found)
            return refused.status, refused.body, False
        prompt = digest(row["body"]["messages"])
        done = self.model.complete(row["body"], size, prompt, f"batch/{name}", behaviour, f"batch-{name}")
        missing = chance(behaviour.seed, name, "missing") < behaviour.batch_missing
        self.log.asked("batch_row", name, "missing" if missing else "answer", prompt=prompt, **found, **done.bill())
        return done.status, json.loads(done.body), missing


def rows(content: bytes) -> tuple[list[dict], list[dict]]:
    """The rows of an input file, and what is wrong with it."""
    found, errors, seen = [], [], set()
    for number, text in enumerate(content.splitlines(), start=1):
        try:
            row = json.loads(text)
            code = wrong(row, seen)
        except ValueError:
            code = "invalid_json_line"
        if code:
            errors.append({"code": code, "line": number, "message": f"Line {number}: {code}.", "param": None})
        else:
            seen.add(row["custom_id"])
            found.append(row)
    if not found and not errors:
        errors.append({"code": "empty_file", "line": None, "message": "The input file is empty.", "param": None})
    return found, errors


def wrong(row, seen: set) -> str:
    if not isinstance(row, dict) or not isinstance(row.get("body"), dict):
        return "invalid_request"
    if not isinstance(row.get("custom_id"), str) or not row["custom_id"]:
        return "missing_required_parameter"
    if row["custom_id"] in seen:
        return "duplicate_custom_id"
    if row.get("url", ENDPOINT) != ENDPOINT:  # Together's rows have neither
        return "mismatched_endpoint"
    return "" if row.get("method", "POST") == "POST" else "invalid_method"


def line(row: dict, name: str, response: tuple | None, error: dict | None) -> dict:
    if response:
        response = {"status_code": response[0], "request_id": f"req_{name}", "body": response[1]}
    return {"id": f"batch_req_{name}", "custom_id": row["custom_id"], "response": response, "error": error}


def lines(found: list[dict]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in found)
