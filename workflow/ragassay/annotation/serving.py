"""Serve the pages on which people label: open the log, listen, and say where. The pages are those of `server`."""

import hashlib
import socket
import sys
from pathlib import Path

import uvicorn

from ragassay.annotation import access, folder
from ragassay.annotation.log import Log
from ragassay.annotation.pages import Pages
from ragassay.annotation.server import application
from ragassay.annotation.study import Study, draw_sample
from ragassay.errors import AssayError


class ServingError(AssayError):
    """The pages cannot be served as asked for."""


def serve(study: Study, configfiles: list[str], host: str, port: int, annotators: list[str]) -> None:
    """Until somebody ends it. On other addresses than loopback only people with a token get in."""
    guidelines = study.guidelines()
    tokens = _tokens(study, host, annotators)
    begun = (study.folder / folder.ITEMS).exists()
    if not begun and (Path("Snakefile").exists() or not study.sample.exists()):
        draw_sample(study, configfiles)
    items, current = folder.frozen_items(study.folder, study.sample)
    if not current:
        _say(
            f"The study has another sample by now; people go on with the one in {study.folder}: move it to begin anew."
        )
    log = Log(study.folder / folder.EVENTS)
    per_item = study.annotation["annotators_per_item"]
    labelling = folder.state(items, log.events, per_item, guidelines.practice, log.path)
    listening = listen(host, port)
    name = f"annotator-{hashlib.sha256(str(study.folder.resolve()).encode()).hexdigest()[:8]}"
    pages = Pages(labelling, guidelines, by_name=tokens is None, damaged=log.damaged)
    app = application(labelling, log, pages, access.Access(access.secret_of(study.folder), tokens), name)
    _announce(listening, host, study.folder, tokens)
    settings = {"log_level": "warning", "access_log": False, "server_header": False, "ws": "none", "lifespan": "off"}
    server = uvicorn.Server(uvicorn.Config(app, loop="asyncio", http="h11", timeout_graceful_shutdown=3, **settings))
    try:
        server.run(sockets=[listening])
    finally:
        log.close()


def _tokens(study, host, annotators):
    tokens = access.tokens_of(study.folder, annotators)
    if access.is_loopback(host):
        return tokens or None
    if not tokens:
        expected = "name those who may label, as in: --host 0.0.0.0 --annotators anna ben"
        raise ServingError(f"{host}: other machines can reach this address and nobody has a token yet; {expected}")
    return tokens


def listen(host: str, port: int) -> socket.socket:
    """A socket that people can connect to from now on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends at once only if the protocol is named; else every page waits 40 ms for an acknowledgement
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)  # who is told the address may come at once
    except (OSError, OverflowError) as error:
        listening.close()
        remedy = "choose another with --port or --host"
        raise ServingError(f"{host}:{port}: {getattr(error, 'strerror', None) or error}; {remedy}") from None
    return listening


def _announce(listening, host, path, tokens):
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname(), "localhost": "127.0.0.1"}.get(host, host)
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{listening.getsockname()[1]}/"
    _say(f"Label at {address}  (labels are kept in {path}; Ctrl-C ends this, nothing is lost)")
    if tokens is not None:
        _say(f"Each annotator has a link of their own; they stand in {Path(path, 'tokens.json')}, too:")
        for name, token in sorted(tokens.items()):
            _say(f"  {name}: {address}#token={token}")
        if access.is_loopback(host):
            _say("Delete that file if everybody on this machine may label under any name.")
        else:
            _say("What is sent is not encrypted: across other networks than your own, put a server with TLS before it.")


def _say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
