"""A small sample to label, and the real server that people label with, as a process that can be killed."""

import contextlib
import http.client
import io
import itertools
import json
import os
import re
import signal
import subprocess
import sys

import yaml

from project import ROOT
from ragassay.base import tables
from ragassay.people.__main__ import main
from ragassay.people.labelling import Labelling
from ragassay.schemas.people import ANNOTATION_ITEMS
from rows import row

GUIDELINES = ROOT / "resources/annotation/guidelines.yaml"
numbers = itertools.count(1)


def item(number, group=1, task="scope", **values):
    """An item of a document that it shares with its neighbour."""
    response = {"response": f"Response {number}.", "responder": "r", "prompt_name": "p"} if task == "defusion" else {}
    about = {"item_id": f"item-{task}-{number:04}", "task": task, "group": group, "position": number}
    about |= {"question_id": f"question-{number}", "doc_id": f"doc-{number // 2}", "title": f"Title {number}"}
    about |= {"document": f"Document {number}. " * 60, "question": f"Question {number}?"}
    return row(ANNOTATION_ITEMS, **about | response | values)


def sample(scope=3, defusion=2, groups=1):
    """So many items of each task in each group."""
    counts = {"scope": scope, "defusion": defusion}
    return [
        item(number, group, task)
        for task, count in counts.items()
        for group in range(1, groups + 1)
        for number in range(1 + count * (group - 1), 1 + count * group)
    ]


def state(items=None, per_item=2, practice=None):
    return Labelling(sample() if items is None else items, per_item, practice)


def click(**values):
    return {"click": f"{next(numbers):08x}", **values}


def project(folder, items, **annotation):
    """A folder in which `python -m ragassay.people` finds a study with this sample."""
    settings = {"folder": "annotation", "guidelines": "guidelines.yaml", "training_items": 2, **annotation}
    (folder / "config").mkdir(parents=True, exist_ok=True)
    (folder / "config/config.yaml").write_text(yaml.safe_dump({"scope": {"annotation": settings}}))
    (folder / "guidelines.yaml").write_bytes(GUIDELINES.read_bytes())
    tables.write(ANNOTATION_ITEMS, folder / "results/annotation_items/careful/careful.parquet", items)
    return folder


def run(folder, *arguments):
    """What `python -m ragassay.people` does and says, without a process of its own."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        status = main(list(map(str, arguments)))
    return subprocess.CompletedProcess(arguments, status, output.getvalue(), errors.getvalue())


class Serving:
    """`python -m ragassay.people serve` in a folder, on a free port, and the clients of those who visit it."""

    def __init__(self, folder, *arguments, port=0):
        command = [sys.executable, "-m", "ragassay.people", "serve", "--port", str(port), *arguments]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
        )
        first, self.warned = self.process.stdout.readline(), ""
        if first.startswith("The study"):
            first, self.warned = self.process.stdout.readline(), first
        assert first.startswith("Label at http"), self.process.stderr.read()
        self.url = first.split()[2]
        self.port, self.visitors = int(re.search(r":(\d+)/", self.url)[1]), []

    def visitor(self, **values):
        self.visitors.append(Client(self.port, **values))
        return self.visitors[-1]

    def person(self, name):
        """Somebody who has entered under this name and joined a group."""
        client = self.visitor()
        client.enter(name)
        assert client.post("/clicks/join", click())[0] == 200
        return client

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for client in self.visitors:
            client.close()
        self.end(signal.SIGKILL)

    def end(self, how):
        if self.process.poll() is None:
            self.process.send_signal(how)
        if not self.process.stdout.closed:
            self.rest = self.process.stdout.read()  # what it said after the address
            self.errors = self.process.communicate()[1]


class Client:
    """Somebody's browser without the browser: keeps the cookie and the token of the last page."""

    def __init__(self, port, host="127.0.0.1"):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.host, self.cookie, self.token = host, None, ""

    def ask(self, method, path, body=None, **headers):
        """Status and body."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers = {"host": f"{self.host}:{self.connection.port}", **headers}
        if self.cookie:
            headers["cookie"] = self.cookie
        try:
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            content = answer.read().decode()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            raise
        self.headers = dict(answer.getheaders())
        if "set-cookie" in self.headers:
            self.cookie = self.headers["set-cookie"].partition(";")[0]
        return answer.status, content

    def get(self, path="/"):
        status, page = self.ask("GET", path)
        if found := re.search(r'name="page-token" content="(\w+)"', page):
            self.token = found[1]
        return status, page

    def post(self, path, content, **headers):
        """Status and what is told."""
        status, text = self.ask("POST", path, json.dumps(content), x_page_token=self.token, **headers)
        return status, json.loads(text)

    def enter(self, name):
        self.get()
        assert self.post("/sign-in", {"name": name})[0] == 200
        return self.get()

    def shown(self, path):
        """What a page is about: kind, place, item and seen; empty if it leads elsewhere."""
        status, page = self.get(path)
        body = re.search(r"<body [^>]*>", page)[0] if status == 200 else ""
        return dict(re.findall(r'data-(\w+)="([^"]*)"', body))

    def close(self):
        with contextlib.suppress(OSError):
            self.connection.close()


def give(client, label="in_scope", **values):
    """Label the item that comes next; status and what is told."""
    shown = client.shown("/label/scope")
    return client.post("/clicks/label", click(item=shown["item"], seen=shown["seen"], label=label, **values))
