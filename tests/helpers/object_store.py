"""A small store that talks as S3 does, on loopback: one version of each object, and the ways in which a store fails."""

import contextlib
import os
import re
import threading
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

KEY, SECRET = "a-key", "a secret that nobody prints"


class Store(ThreadingHTTPServer):
    """`objects` are by bucket and key; `asked` are requests; `fault` gets each first, and says whether that was all."""

    daemon_threads = True

    def __init__(self, objects):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects, self.asked, self.changed = dict(objects), [], 1_790_000_000
        self.fault = lambda handler: False

    def handle_error(self, *_):
        """Who asked has gone away: some tests kill them."""

    @property
    def environment(self):
        """What a user sets to reach it."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.server_port}",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def fetched(self, method="GET"):
        """The objects that were asked for so."""
        return [path for asked, path in self.asked if asked == method and "?" not in path]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        store, name = self.server, self.path.strip("/").replace("%3D", "=")
        store.asked.append((self.command, name))
        if store.fault(self):
            self.close_connection = True
            return
        if f"Credential={KEY}/" not in self.headers.get("Authorization", ""):
            self.answer(403, b"<Error><Code>InvalidAccessKeyId</Code><Message>no such key</Message></Error>")
        elif name not in store.objects:
            self.answer(404, b"")
        else:
            self.give(store.objects[name])

    do_HEAD = do_GET

    def give(self, content):
        size, part = len(content), content
        headers = {"ETag": '"1"', "Last-Modified": formatdate(self.server.changed, usegmt=True)}
        if asked := re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")):
            start, end = (int(number) for number in asked.groups())
            part = content[start : end + 1]
            headers["Content-Range"] = f"bytes {start}-{start + len(part) - 1}/{size}"
        self.answer(206 if asked else 200, part, size if self.command == "HEAD" else len(part), headers)

    def answer(self, status, content, length=None, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_):
        """Nothing."""


@contextlib.contextmanager
def serving(objects):
    """A store with these objects, which this process and its children reach by their environment."""
    with Store(objects) as store, mock.patch.dict(os.environ, store.environment):
        thread = threading.Thread(target=store.serve_forever, args=[0.05], daemon=True)
        thread.start()
        try:
            yield store
        finally:
            store.shutdown()
            thread.join()
