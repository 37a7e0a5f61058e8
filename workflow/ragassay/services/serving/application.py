"""The guard server: a fitted gate, guard, screen and probe behind HTTP, and a proxy in front of a service.

What cannot be judged is refused, in one line, and never let through. A new fit is loaded beside the old one and takes
its place when it is warm, so that no request is lost; if it cannot be loaded, the old one stays.
"""

import asyncio
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from html import escape
from typing import Annotated, Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from starlette.exceptions import HTTPException

from ragassay.base.errors import AssayError
from ragassay.base.stage import log
from ragassay.base.terminal import printable
from ragassay.people.page.connections import serving
from ragassay.services.serving.fits import NAMES, Fits, ServerError
from ragassay.services.serving.limits import Limits, Metrics
from ragassay.services.serving.proxy import Proxy
from ragassay.text.characters import SURROGATE


def _whole(text):
    if SURROGATE.search(text):
        raise ValueError("found half of a character, expected text")
    return text


MOST = {"fail_fast": True, "max_length": 1_000}  # items of a list, which ends at its first error
Text = Annotated[str, AfterValidator(_whole)]  # which goes into the reply
Texts = Annotated[list[Text], Field(**MOST)]
Numbers = Annotated[list[float], Field(fail_fast=True)]
Vectors = Annotated[list[Numbers], Field(**MOST)]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def only_fields(cls, given: Any) -> Any:
        more = [name for name in given if name not in cls.model_fields] if isinstance(given, dict) else []
        if more:
            raise ValueError(f"found the field {more[0]!r:.40}, expected {', '.join(cls.model_fields)}")
        return given


class GateQueries(Body):
    queries: Texts = Field(description="What was asked.")


class GuardTexts(Body):
    question: Text = Field(description="What was asked.")
    texts: Texts = Field(description="What the search returned, best first.")
    similarities: Numbers = Field(description="As the search gives them.")
    vectors: Vectors | None = Field(None, description="Those of the texts, if the guard groups texts.")


class ScreenTexts(Body):
    texts: Texts = Field(description="What comes into the index.")
    vectors: Vectors | None = Field(None, description="Theirs, if the screen compares with questions.")


class ProbeStates(Body):
    states: Annotated[list[Vectors], Field(**MOST)] = Field(description="Generations x layers x width.")


class Batch(Body):
    requests: list[dict[str, Any]] = Field(
        description='Each a name with its body: {"gate": {"queries": ["..."]}}.', fail_fast=True, max_length=100
    )


BODIES = dict(zip(NAMES, (GateQueries, GuardTexts, ScreenTexts, ProbeStates), strict=True))
TEXTS = {
    "gate": "Is each query inside what the corpus knows?",
    "guard": "Was any of these texts planted for the question?",
    "screen": "Does any of these texts look planted before anybody has asked?",
    "probe": "Did planted text decide these answers? Reads states of the model.",
}


class Server:
    """What the endpoints share. `settings` are the configuration's `guard_server`."""

    def __init__(self, settings: dict[str, Any], fits: Fits, proxy: Proxy | None = None):
        self.settings, self.fits, self.proxy = settings, fits, proxy
        self.metrics, self.is_ready = Metrics(), False
        self.pool, self.reloading = ThreadPoolExecutor(os.cpu_count()), asyncio.Lock()

    async def compute(self, function, *arguments):
        """In a thread, so that others are served meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, partial(function, *arguments))

    async def ask(self, name: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        answers = await self.compute(self.fits.ask, name, body)
        for answer in answers:
            alarm = answer.get("removed", answer.get("poisoned", not answer.get("in_knowledge", True)))
            self.metrics.count("decisions", by=name, alarm=str(bool(alarm)).lower())
        return answers

    async def reload(self) -> str:
        """The version that serves from now on."""
        async with self.reloading:
            try:
                fits = await self.compute(Fits.load, self.settings)
            except (AssayError, OSError):
                self.metrics.count("reloads", result="failed")
                raise
            self.metrics.count("reloads", result="done")
            self.fits = fits
            if self.proxy:
                self.proxy.decisions.settle()
            return fits.version


def application(server: Server, token: str = "") -> FastAPI:
    proxy = server.proxy

    @asynccontextmanager
    async def running(_):
        async with proxy.running(server) if proxy else nullcontext():
            server.is_ready = True
            yield
            server.is_ready = False
        server.pool.shutdown(cancel_futures=True)

    app = FastAPI(title="ragassay guard server", docs_url=None, redoc_url=None, lifespan=running)

    @app.exception_handler(AssayError)
    async def refused(_, error: AssayError):
        return JSONResponse(_refused(error), 422)

    @app.exception_handler(HTTPException)
    async def unanswered(_, error: HTTPException):
        return JSONResponse(_refused(error.detail), error.status_code)

    @app.exception_handler(RequestValidationError)
    async def invalid(_, error: RequestValidationError):
        return JSONResponse(_refused(_in_one_line(error.errors())), 422)

    for name in server.fits.names():
        app.post(f"/{name}", summary=TEXTS[name])(_endpoint(server, name))

    @app.post("/batch", summary="Several of these at once; each has its answers or its error.")
    async def batch(body: Batch) -> list[dict[str, Any]]:
        return [await _one(server, request) for request in body.requests]

    @app.post("/reload", summary="Load the fits again from their files.")
    async def reload() -> dict[str, str]:
        return {"version": await server.reload()}

    @app.get("/health", summary="Whether the process answers.")
    async def health() -> dict[str, str]:
        return {"status": "alive"}

    @app.get("/ready", summary="Whether it serves, and with which fit.")
    async def ready(response: Response) -> dict[str, Any]:
        response.status_code = 200 if server.is_ready else 503
        return {"ready": server.is_ready, "version": server.fits.version, "serves": server.fits.names()}

    @app.get("/metrics", summary="Counts for Prometheus.", response_class=PlainTextResponse)
    async def metrics():
        return PlainTextResponse(server.metrics.text(), media_type="text/plain; version=0.0.4")

    @app.get("/", include_in_schema=False)
    async def page():
        return HTMLResponse(_page(app.openapi()))

    if proxy:
        if proxy.path in [route.path for route in app.routes]:
            raise ServerError(f"guard_server.proxy.address: found the path {proxy.path}, which this server has itself")

        @app.post(proxy.path, summary="Ask the service behind this server.")
        async def ask(request: Request) -> Response:
            return await proxy.ask(await request.body())

    paths = {route.path: server.settings["seconds"] for route in app.routes}
    if proxy:
        paths[proxy.path] += proxy.settings["seconds"]
    app.add_middleware(Limits, paths=paths, metrics=server.metrics, token=token, settings=server.settings)
    return app


def _endpoint(server, name):
    async def ask(body):
        return await server.ask(name, body.model_dump(exclude_none=True))

    ask.__annotations__ = {"body": BODIES[name], "return": list[dict[str, Any]]}
    return ask


async def _one(server, request):
    """The answers to a part of a batch, or why there are none."""
    [(name, body), *more] = request.items() or [("", None)]
    if more or name not in BODIES:
        return _refused(f"found {', '.join(request) or 'nothing'}, expected one of {', '.join(server.fits.names())}")
    try:
        checked = BODIES[name].model_validate(body)
        return {name: await server.ask(name, checked.model_dump(exclude_none=True))}
    except AssayError as error:
        return _refused(error)
    except ValueError as error:
        return _refused(_in_one_line(error.errors()))


def _refused(why):
    """The body of a refusal, which may repeat what came: a key with half of a character fits into no reply."""
    return {"error": printable(str(why))}


def _in_one_line(errors):
    first = errors[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body") or "body"
    return f"{place}: {first['msg'].removeprefix('Value error, ')}" + (
        f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    )


def _page(openapi):
    """All endpoints on one page that loads nothing from elsewhere."""
    rows = [
        f"<tr><td>{method.upper()}</td><td><code>{escape(path)}</code></td><td>{escape(entry['summary'])}</td></tr>"
        for path, methods in openapi["paths"].items()
        for method, entry in methods.items()
    ]
    title = escape(openapi["info"]["title"])
    return (
        f"<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1><table>{''.join(rows)}</table>"
        '<p>Bodies and answers are described in <a href="openapi.json">openapi.json</a>.'
    )


def listener(app: FastAPI, server: Server) -> uvicorn.Server:
    """Ready to serve at a socket; it ends when all requests are answered."""
    settings = server.settings
    return serving(app, settings["seconds"], settings["most_connections"], lifespan="on", timeout_graceful_shutdown=60)


def reload_on_hangup(server: Server) -> None:
    """kill -HUP loads new fits; what goes wrong is logged, and the old ones stay."""

    async def reload():
        try:
            log.info("serves the fit %s", await server.reload())
        except (AssayError, OSError) as error:
            log.error("the new fit cannot be loaded, the old one stays: %s", error)

    loop = asyncio.get_running_loop()
    tasks = set()
    loop.add_signal_handler(signal.SIGHUP, lambda: tasks.add(loop.create_task(reload())))
