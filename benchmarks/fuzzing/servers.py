"""Doors of servers: bodies that a guard server and the page of annotators get, and pages that a database gives."""

import asyncio
import functools
import json
import tempfile
from pathlib import Path
from types import SimpleNamespace

import httpx

from fuzzing.door import LetIn, lenient, storable
from fuzzing.fitted_files import made
from fuzzing.wire import ANNA, ITEM
from guard_servers import settings
from ragassay.people.labelling import replayed
from ragassay.people.page import server as people
from ragassay.people.page.access import Access
from ragassay.services import collection
from ragassay.services.serving.application import Server, application
from ragassay.services.serving.fits import Fits

BODIES = [
    {"gate": {"queries": ["Is the ferry old?", "Zyzzy?"]}},
    {"guard": {"question": "Is it?", "texts": ["No.", "A choir."], "similarities": [0.9, 0.4]}},
    {"guard": {"question": "Is it?", "texts": ["No."], "similarities": [1], "vectors": [[1.0, 0.0]]}},
    {"probe": {"states": [[[0.1] * 4] * 3]}},
    {"batch": {"requests": [{"gate": {"queries": ["Is it?"]}}, {"probe": {"states": []}}]}},
]
PAGES = [
    {"keys": [1, "b"], "fields": {"text": ["a. b.", None], "meta": [{"source": "x"}, {}]}, "following": 2},
    {"keys": ["c"], "fields": {"text": ["\u00e4"], "meta": [None]}, "following": None},
]


@functools.cache
def _guard_server():
    folder = made()
    probe = {"folder": str(folder / "probes"), "name": "logistic"}
    guard = {"file": str(folder / "trustrag/guard.json")}
    complete = settings(gate=str(folder / "gate"), guard=guard, probe=probe)
    return application(Server(complete, Fits.load(complete)))


def _posted(app, path, content, **headers):
    """The reply of an application, or what it raises."""

    async def post():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.post(path, content=content, headers={"content-type": "application/json", **headers})

    return asyncio.run(post())


def guard_server(content, folder):
    """A body names where it goes; one that does not goes everywhere."""
    try:
        [(path, body)] = json.loads(content).items()
        content = json.dumps(body).encode()
    except (ValueError, RecursionError, AttributeError):
        path = ""
    for name in [path] if path in ("gate", "guard", "probe", "batch") else ["gate", "guard", "probe", "batch"]:
        reply = _posted(_guard_server(), f"/{name}", content)
        json.loads(reply.text)
        if reply.status_code not in (200, 400, 413, 422):
            raise LetIn(f"{reply.status_code} {reply.text:.200}")


def annotation_server(content, folder):
    """A click as the page posts it, to a server with one person."""
    labelling = replayed([ITEM], ANNA, 2, {"scope": {}, "defusion": {}})
    log = SimpleNamespace(append=lambda event: (storable(event), json.dumps(event, allow_nan=False)))
    access = Access(b"0" * 32, None)
    pages = SimpleNamespace(home=None, guide=None, adjudication=None)  # nobody asks for them
    app = people.application(labelling, log, pages, access, "who")
    headers = {"cookie": f"who={access.cookie('Anna')}", "x-page-token": access.page_token("Anna")}
    for path in ("/clicks/label", "/clicks/skip", "/clicks/undo", "/clicks/practice", "/sign-in"):
        reply = _posted(app, path, content, **headers)
        if reply.status_code >= 500 or not lenient(reply.content).isprintable():
            raise LetIn(f"{path}: {reply.status_code} {reply.text:.200}")


def database(content, folder):
    """Pages of a collection; what a reader stored of them is read again."""
    pages = [collection.Page(**page) for page in _pages(content)]
    source = SimpleNamespace(place="collections.x", pages=lambda *_: pages)
    columns = {"text": "text", "source": "meta.source"}
    for rows in collection.texts(source, columns, folder / "pages"):
        storable(rows.to_pylist())


def _pages(content):
    """Those of the right shape: clients of databases give no others."""
    try:
        pages = [json.loads(line) for line in content.splitlines()]
    except (ValueError, RecursionError):
        return
    wanted = PAGES[0]
    for page in pages:
        if isinstance(page, dict) and page.keys() == wanted.keys() and isinstance(page["keys"], list):
            fields = page["fields"] if isinstance(page["fields"], dict) else {}
            sizes = [len(cells) if isinstance(cells, list) else -1 for cells in fields.values()]
            if fields.keys() == wanted["fields"].keys() and {*sizes} == {len(page["keys"])}:
                yield page


def stored_pages(content, folder):
    """What lies there of a reading that was cut off."""
    (folder / "pages").write_bytes(content)
    source = SimpleNamespace(place="collections.x", pages=lambda *_: [])
    for rows in collection.texts(source, {"text": "text"}, folder / "pages"):
        rows.validate(full=True)


def stored_page(draw):
    """As a reader leaves it."""
    page = collection.Page(["a", "b"], {"text": ["a. b.", "c"]}, 7)
    source = SimpleNamespace(place="collections.x", pages=lambda *_: [page] * draw.randint(1, 3))
    with tempfile.TemporaryDirectory() as folder:
        [*collection.texts(source, {"text": "text"}, Path(folder, "pages"))]
        return Path(folder, "pages").read_bytes()
