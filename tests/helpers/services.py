"""RAG services on loopback, each a function of the question; and the entries of the configuration that ask them."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, RESPONSES
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.schemas.services import SERVICE_ANSWERS, SERVICE_PASSAGES
from ragassay.studies.scope.votes import DEFUSED, NOT_DEFUSED
from scripts.responses.ask_service import ask_service
from scripts.services.measure_services import measure_services
from study import document, question

PATHS = {"answer": "$.answer", "passages": "$.passages", "text": "$.text", "id": "$.id", "score": "$.score"}
PATHS |= {"source": "$.source", "cost": None, "error": "$.error"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        length = int(self.headers.get("content-length") or 0)
        service, body = self.server.service, self.rfile.read(length).decode()
        service.asked.append({"path": self.path, "headers": dict(self.headers.items()), "body": body})
        reply = service.replies(body or self.path)
        status, headers, content = reply if isinstance(reply, tuple) else (200, {}, reply)
        if not isinstance(content, Iterator):  # else pieces, whose length the headers say
            content = [content if isinstance(content, bytes) else json.dumps(content).encode()]
            headers = {"content-length": str(len(content[0])), **headers}
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(OSError):  # the client has read enough
            for piece in content if self.command != "HEAD" else ():
                self.wfile.write(piece)

    do_HEAD = do_POST = do_PUT = do_GET

    def log_message(self, *_):
        pass


class Service:
    """`replies` makes of a request's body (of its path, where it has none) the reply: JSON, bytes, or a status, headers
    and one of these. `asked` lists what came.
    """

    def __init__(self, replies):
        self.replies, self.asked = replies, []

    def __enter__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.service = self
        self.address = f"http://127.0.0.1:{self.server.server_port}/ask"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def entry(address=None, **more) -> dict:
    """The settings of `services.mine` with all defaults, as the call layer gets them; paths are laid over the usual."""
    service = {"kind": "json", "method": "POST", "function": None, "headers": {}, "body": {"question": "{question}"}}
    service |= {"local_server": None, "local_settings": {}, "local_inputs": []}
    service |= {name: more.pop(name) for name in list(more) if name in service}
    service["reply"] = PATHS | more.pop("reply", {})
    price = {"input": 0, "output": 0, "request": more.pop("price", 0)}
    settings = {"provider": "service", "model": "1", "base_url": address, "longest_answer": 1, "concurrency": 4}
    return {**settings, "price": price, "timeout": 20.0, "service": service, **more}


# A small archive whose card is known: what each document says, a question that it answers, one that it does not.
ARCHIVE = {
    "harbour": (
        "The harbour of Pell opened in 1931 after nine years of work.",
        "When did the harbour of Pell open?",
        "1931",
    ),
    "bakery": (
        "The bakery on Mill Street sells 400 loaves on every market day.",
        "How many loaves does it sell?",
        "400",
    ),
    "choir": ("The choir of Saint Orla is led by Maren Tolk since last spring.", "Who leads the choir?", "Maren Tolk"),
    "bridge": ("The bridge at Orne was closed for repairs until the ninth of May.", "Which bridge was closed?", "Orne"),
}
BEYOND = {name: f"What was the colour of the {name}?" for name in ARCHIVE}  # out of scope: no document says it
PLANTED = "The harbour of Pell, the bakery, the choir and the bridge are all run by Captain Vex of Zandor."


def passage(name):
    return {"text": ARCHIVE[name][0], "id": name, "score": 1.0, "source": f"{name}.txt"}


def _about(question):
    return next(name for name in ARCHIVE if name in question or ARCHIVE[name][1] == question)


def right(question):
    """Right by construction: answers from the document what it says, declines the rest."""
    name = _about(question)
    text, answered, _ = ARCHIVE[name]
    answer = f"{text} [1]" if question == answered else "The passages do not say."
    return {"answer": answer, "passages": [passage(name)]}


def always_answers(question):
    return {"answer": "It was Captain Vex of Zandor in 1777 [4].", "passages": [passage(_about(question))]}


def always_refuses(question):
    return {"answer": "I cannot answer that from the passages.", "passages": [passage(_about(question))]}


def echoes_poison(question):
    """Believes a planted passage, which it finds for every question."""
    return {"answer": "It is run by Captain Vex of Zandor [1].", "passages": [{"text": PLANTED, "id": "planted"}]}


def of_question(answer):
    """What `Service` takes, of a function of the question."""
    return lambda body: answer(json.loads(body)["question"])


def path(folder, table, name, prompt=""):
    """A file below `folder`, where its keys stand in its path."""
    places = {"generator": "set", "responder": f"service:{name}", "shard": "set", "judge": "careful", "prompt": prompt}
    return folder / f"{table.path.format(**places)}.parquet"


def asker(tmp_path):
    """A function that asks a service all questions and returns the rows that `ask_service` writes, by table."""
    files = {"documents": tmp_path / "documents.parquet", "questions": tmp_path / "questions.parquet"}
    tables.write(DOCUMENTS, files["documents"], [document(name, text) for name, (text, *_) in ARCHIVE.items()])
    rows = [question(name, at, "in_scope", text) for at, (name, (_, text, _)) in enumerate(ARCHIVE.items())]
    rows += [
        question(name, at, "out_of_scope", text) | {"question_type": "near_miss" if at < 13 else "far_away"}
        for at, (name, text) in enumerate(BEYOND.items(), 10)
    ]
    tables.write(QUESTIONS, files["questions"], rows)

    def of(name, replies, asks=2):
        written = {
            table.name: path(tmp_path, table, name, "question_alone")
            for table in (RESPONSES, SERVICE_ANSWERS, SERVICE_PASSAGES)
        }
        for file in written.values():
            file.parent.mkdir(parents=True, exist_ok=True)
        with Service(replies) as service:
            model = {"name": f"service:{name}", **entry(service.address)}
            calls, ledger = tmp_path / f"calls-{name}.parquet", tmp_path / f"ledger-{name}"
            ask_service(**files, **written, calls=calls, model=model, ledger=ledger, asks=asks, most_rejected=0.5)
        assert {tuple(json.loads(request["body"])) for request in service.asked} == {("question",)}
        return {name: tables.read(table, written[table.name]).to_pylist() for name, table in TABLES.items()}

    return of


def labelled(folder, name, rows):
    """The file of a judge that reads the services' own words in responses to out-of-scope questions."""
    labels = []
    for row in rows:
        label = DEFUSED if "do not say" in row["text"] or "cannot" in row["text"] else NOT_DEFUSED
        shared = {key: row[key] for key in ("question_id", "doc_id", "responder", "prompt_name")}
        shared |= {"label": label, "margin": 0.0, "defused_votes": 1, "not_defused_votes": 0, "abstained": 0}
        labels.append(shared | {"judge": "careful", "prompt": "p"})
    file = path(folder, DEFUSION_LABELS, name, "question_alone")
    file.parent.mkdir(parents=True, exist_ok=True)
    tables.write(DEFUSION_LABELS, file, [row for row in labels if int(row["question_id"].split("-")[1]) >= 10])
    return file


def measured(folder, services):
    """The files of metrics and outcomes of services by their names, each a function of the question."""
    asked = asker(folder)
    labels = [
        labelled(folder, name, asked(name, of_question(answer))["responses"]) for name, answer in services.items()
    ]
    answers = [path(folder, SERVICE_ANSWERS, name) for name in services]
    files = {"metrics": folder / "metrics.parquet", "outcomes": folder / "outcomes.parquet"}
    measure_services(answers, labels, **files, resamples=50, seed=1, flips=9999)
    return files


TABLES = {"responses": RESPONSES, "answers": SERVICE_ANSWERS, "passages": SERVICE_PASSAGES}
