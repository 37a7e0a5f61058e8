"""`ragassay show`: what a run found, in the terminal, and its report, in a browser or at an address."""

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ragassay.base import pipeline
from ragassay.base.errors import AssayError
from ragassay.config import schema
from ragassay.config.settings import of_files
from ragassay.plan.report import places
from ragassay.running.command_line import read_all
from ragassay.running.summary import findings, show

ALL = 1000  # findings


class ShowError(AssayError):
    """There is no report to show."""


def show_report(words: list[str], port: int | None = None) -> None:
    """With a port the report is served there until Ctrl-C; without one, a browser opens it, if there is a screen."""
    laid_over = pipeline.configfiles(words)
    read_all(laid_over)
    files = [*pipeline.settings_files(), *laid_over]
    place = places(of_files(files, schema.merged()), files)
    front = Path(place["report"], "index.html")
    if not front.exists():
        command = pipeline.run_command(*(["--configfile", *laid_over] if laid_over else []))
        raise ShowError(f"{front}: no such file, expected the report of a run; make it: {command}")
    lines = findings(Path(f"results/findings/{place['name']}.parquet"), ALL)
    sys.stdout.write("\n".join([*lines, f"report: {front.resolve().as_uri()}", ""]))
    if port is None:
        show(front)
        sys.stdout.write("next: open this address in a browser, or serve it: ragassay show --serve\n")
    else:
        serve(front.parent, port)


def serve(folder: Path, port: int) -> None:
    """On this machine only; a colleague reaches it through ssh."""
    with server_of(folder, port) as server:
        sys.stdout.write(f"served at http://127.0.0.1:{server.server_port}/ until you press Ctrl-C\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.stdout.write("\n")


def server_of(folder: Path, port: int) -> ThreadingHTTPServer:
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), partial(QuietHandler, directory=str(folder)))
    except OSError as error:
        raise ShowError(f"--port: cannot listen at {port} ({error.strerror}), expected a free port, or 0") from error


class QuietHandler(SimpleHTTPRequestHandler):
    """Files below one folder, and no line for each request."""

    def log_message(self, *_):
        pass
