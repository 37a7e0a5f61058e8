"""Models of the hub before a run: what is missing is named with its size, and downloaded on demand. A server on
loopback plays the hub; the client is the real one, in a process of its own, since it reads the hub's address once.
"""

import hashlib
import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from models import save_encoder
from project import ROOT

COMMIT = "3" * 40
ENTRIES = """
from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan.models import of_hub
from ragassay.running import downloads
own = {"encoders": {"little": {"kind": "transformers", "model": "some/encoder"}}}
entries = of_hub(checked(own, [], merged()))
"""


@contextmanager
def hub(folder):
    """Serves the files of a folder as the model some/encoder; gives the address and the paths that were asked for."""
    files, asked = {path.name: path.read_bytes() for path in folder.iterdir()} if folder else {}, []

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            path = self.path.partition("?")[0]
            asked.append((self.command, path))
            name = path.rpartition("/")[2]
            if files and path.startswith("/api/models/some/encoder/tree/"):
                kinds = {"type": "file", "oid": COMMIT}
                self._reply(json.dumps([{"path": file, "size": len(files[file]), **kinds} for file in files]).encode())
            elif files and path.startswith("/api/models/some/encoder"):
                siblings = [{"rfilename": file, "size": len(content)} for file, content in files.items()]
                self._reply(json.dumps({"id": "some/encoder", "sha": COMMIT, "siblings": siblings}).encode())
            elif name in files:
                self._reply(files[name], {"ETag": f'"{hashlib.sha256(files[name]).hexdigest()}"'})
            else:
                self.send_error(404)

        def _reply(self, content, headers=None):
            self.send_response(200)
            for key, value in {"X-Repo-Commit": COMMIT, "Content-Length": str(len(content)), **(headers or {})}.items():
                self.send_header(key, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def run(tmp_path):
    """Run code in a process for which the hub is at an address and whose cache is in the test's folder."""

    def in_process(code, address, **more):
        own = {"HF_ENDPOINT": address, "HF_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT / "workflow")}
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "HTTP"))} | own | more
        command = [sys.executable, "-c", ENTRIES + code]
        return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)

    return in_process


def test_what_is_missing_is_named_with_its_size_and_fetched_on_demand(run, tmp_path):
    entry = save_encoder(tmp_path / "little")
    (tmp_path / "little/pytorch_model.bin").write_bytes(b"pickled" * 1000)
    read = [path for path in (tmp_path / "little").iterdir() if path.suffix in (".safetensors", ".json", ".txt")]
    size = sum(path.stat().st_size for path in read)
    with hub(tmp_path / "little") as (address, asked):
        named = run("[entry] = downloads.lacking(entries).values(); print(downloads._problem(entry))", address)
        assert not [path for _, path in asked if "/resolve/" in path]
        code = (
            "[entry] = downloads.lacking(entries).values(); downloads.fetch(entry); print(downloads.lacking(entries))"
        )
        fetched = run(code, address)
    assert "found neither a folder 'some/encoder' nor a model of that name" in named.stdout
    assert f"to download some/encoder ({size / 1000:.3g} kB), add --config download=True" in named.stdout
    assert fetched.stdout == "{}\n", fetched.stderr
    assert fetched.stderr.startswith("Downloading some/encoder (")
    snapshot = tmp_path / "cache/hub/models--some--encoder/snapshots" / COMMIT
    assert sorted(path.name for path in snapshot.iterdir()) == sorted(path.name for path in read)
    assert entry["model"] == str(tmp_path / "little")


def test_a_hub_that_does_not_know_it_or_is_not_asked_is_a_line(run, tmp_path):
    code = """
[entry] = downloads.lacking(entries).values()
print(downloads._problem(entry))
try:
    downloads.fetch(entry)
except downloads.DownloadError as error:
    print(error)
"""
    with hub(None) as (address, _):
        unknown = run(code, address).stdout.splitlines()
    offline = run(code, "http://127.0.0.1:9", HF_HUB_OFFLINE="1").stdout.splitlines()
    for lines in (unknown, offline):
        assert len(lines) == 2 and "some/encoder (of unknown size: " in lines[0]
        assert lines[1].startswith("some/encoder: the hub does not give it (")
