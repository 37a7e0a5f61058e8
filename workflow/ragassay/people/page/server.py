"""The app behind the labelling pages. One thread does everything, and nothing is awaited between deciding a click and
storing it, so no two clicks are decided on the same state."""

import hashlib
import json
import socket
import sys
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from ragassay.people import folder
from ragassay.people.click_log import Log, LogError, read
from ragassay.people.folder import Study, draw_sample
from ragassay.people.labelling import LABELS, Labelling, Person
from ragassay.people.page import clicks, pages
from ragassay.people.page.access import LOOPBACK, Access, AccessError, is_own_host, lookalike, secret_of, tokens_of
from ragassay.people.page.connections import ServingError, listen, serving
from ragassay.text import characters

LARGEST_BODY = 64 * 1024
STATUS = {AccessError: 403, LogError: 503}  # a refused click has its own
FILES = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
HEADERS = {
    "content-security-policy": pages.POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def application(labelling: Labelling, log: Log, shown: pages.Pages, access: Access, cookie: str) -> FastAPI:
    """`cookie` is the cookie's name; it differs between servers, since browsers share cookies between ports."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    files = {name: (pages.FOLDER / name).read_bytes() for name in FILES}

    def who(request: Request) -> Person | None:
        name = access.name_in(request.cookies.get(cookie))
        return None if name is None else labelling.people.get(name) or Person(name, 0)

    def page(request: Request, render) -> Response:
        person = who(request)
        if person is None:
            return HTMLResponse(shown.sign_in(access.page_token(None)))
        text = render(person, access.page_token(person.name))
        return RedirectResponse("/", 303) if text is None else HTMLResponse(text)

    @app.middleware("http")
    async def guard(request: Request, answer):
        if access.tokens is None and not is_own_host(request.headers.get("host")):
            reply = JSONResponse({"error": "This page is reached as http://127.0.0.1 only."}, 421)
        else:
            reply = await answer(request)
        reply.headers.update(HEADERS)
        return reply

    async def refused(_, error):
        return JSONResponse({"error": str(error)}, STATUS.get(type(error)) or error.status)

    for kind in (clicks.Refused, *STATUS):
        app.add_exception_handler(kind, refused)

    def show(path: str, render) -> None:
        @app.get(path)
        async def answer(request: Request):
            return page(request, render)

    show("/", shown.home)
    show("/guidelines", shown.guide)
    show("/adjudication", shown.adjudication)
    show("/labels", lambda person, token: shown.labels(person, token, None))

    @app.get("/label/{task}")
    async def task(request: Request, task: str):
        return page(request, lambda person, token: shown.task(person, task, token) if task in LABELS else None)

    @app.get("/labels/{place}")
    async def labels(request: Request, place: str, sheet: str = "", at: str = ""):
        number = int(sheet) if sheet.isdecimal() and len(sheet) < 10 else 1
        return page(request, lambda person, token: shown.labels(person, token, place, number, at))

    @app.get("/labels/{place}/{item}")
    async def label(request: Request, place: str, item: str):
        return page(request, lambda person, token: shown.label(person, token, place, item))

    @app.get("/{name}")
    async def file(name: str):
        return Response(files[name], media_type=FILES[name]) if name in FILES else Response(status_code=404)

    @app.post("/sign-in")
    async def sign_in(request: Request):
        given = await _content(request)
        _from_own_page(request, access, None)
        name = access.signed_in(given, labelling.people)
        if alike := lookalike(name, labelling.people):
            raise AccessError(alike)
        reply = JSONResponse({"name": name})
        reply.set_cookie(cookie, access.cookie(name), httponly=True, samesite="strict", max_age=90 * 86_400)
        return reply

    @app.post("/sign-out")
    async def sign_out(request: Request):
        await _content(request)
        person = who(request)
        _from_own_page(request, access, person and person.name)
        reply = JSONResponse({})
        reply.delete_cookie(cookie, httponly=True, samesite="strict")
        return reply

    @app.post("/clicks/{kind}")
    async def click(request: Request, kind: str):
        given = await _content(request)
        person = who(request)
        if person is None:
            raise clicks.Refused(401, "You are not signed in.")
        _from_own_page(request, access, person.name)
        if kind not in clicks.KINDS:
            raise clicks.Refused(404, "There is no such click.")
        event = clicks.decide(labelling, person.name, kind, given)
        if event:
            log.append(event)
            labelling.apply(event)
        return JSONResponse({"stored": True, **_feedback(labelling, kind, given)})

    return app


def _feedback(labelling, kind, click):
    """The training round's feedback after an answer."""
    if kind != "practice":
        return {}
    item = next(items[click["item"]] for items in labelling.practice.values() if click["item"] in items)
    return {"right": click["label"] == item["label"], "label": item["label"], "because": item["because"]}


def _from_own_page(request, access, name):
    origin, host = request.headers.get("origin"), request.headers.get("host")
    if origin is not None and origin.partition("://")[2] != host:
        raise clicks.Refused(403, "This click came from another site.")
    if not access.is_page_token(request.headers.get("x-page-token"), name):
        raise clicks.Refused(403, "This page is of another time or person: load it again.")


async def _content(request):
    """The JSON object of a request, if it is not larger than people write."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_BODY:
            raise clicks.Refused(413, "This is longer than anything that the page sends.")
    try:
        content = json.loads(body or b"{}")
        refusal = characters.refusal(content)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise clicks.Refused(400, "found no JSON object, expected one")
    if refusal:
        raise clicks.Refused(400, refusal)
    return content


def serve(study: Study, configfiles: list[str], host: str, port: int, annotators: list[str]) -> None:
    """Serve until interrupted. On addresses other than loopback, only people with a token can enter."""
    guidelines = study.guidelines()
    tokens = _tokens(study, host, annotators)
    begun = (study.folder / folder.ITEMS).exists()
    if not begun and (Path("Snakefile").exists() or not study.sample.exists()):
        draw_sample(study, configfiles)
    items, current = folder.frozen_items(study.folder, study.sample)
    if not current:
        _say(f"The study has a newer sample; people go on with the one in {study.folder}: move it to start afresh.")
    log = Log(study.folder / folder.EVENTS)
    per_item = study.annotation["annotators_per_item"]
    labelling = folder.state(items, log.events, per_item, guidelines.practice, log.path)
    listening = listen(host, port)
    name = f"annotator-{hashlib.sha256(str(study.folder.resolve()).encode()).hexdigest()[:8]}"
    shown = pages.Pages(labelling, guidelines, by_name=tokens is None, damaged=log.damaged)
    app = application(labelling, log, shown, Access(secret_of(study.folder), tokens), name)
    _announce(listening, host, study.folder, tokens)
    server = serving(app, lifespan="off", timeout_graceful_shutdown=3)
    try:
        server.run(sockets=[listening])
    finally:
        log.close()


def _tokens(study, host, annotators):
    people = {event.get("person") for event in read(study.folder / folder.EVENTS)} if annotators else ()
    tokens = tokens_of(study.folder, annotators, people)
    if host in LOOPBACK:
        return tokens or None
    if not tokens:
        expected = "name the annotators, as in: --host 0.0.0.0 --annotators anna ben"
        problem = "other machines can reach this address and no annotator has a token yet"
        raise ServingError(f"{host}: {problem}; {expected}")
    return tokens


def _announce(listening, host, path, tokens):
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname(), "localhost": "127.0.0.1"}.get(host, host)
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{listening.getsockname()[1]}/"
    _say(f"Label at {address}  (labels are kept in {path}; stop with Ctrl-C, nothing is lost)")
    if tokens is not None:
        _say(f"Each annotator has a separate link (also in {Path(path, 'tokens.json')}):")
        for name, token in sorted(tokens.items()):
            _say(f"  {name}: {address}#token={token}")
        if host in LOOPBACK:
            _say("Delete that file if everybody on this machine may label under any name.")
        else:
            _say("Traffic is not encrypted: outside your own network, put a server with TLS in front.")


def _say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
