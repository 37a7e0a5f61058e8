"""Models of the hub before a run: what is missing is named with its size, and downloaded on demand. A server on
loopback plays the hub; the client is the real one, in a process of its own, since it reads the hub's address once.
"""

import hashlib
import os
import subprocess
import sys

import pytest

from models import save_encoder
from project import ROOT
from services import Service

COMMIT = "3" * 40
ENTRIES = """
from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan.models import of_hub
from ragassay.running import downloads
own = {"encoders": {"little": {"kind": "transformers", "model": "some/encoder"}}}
entries = of_hub(checked(own, [], merged()))
"""


def hub(folder=None):
    """Serves the files of a folder as the model some/encoder."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()} if folder else {}
    sizes = [{"path": name, "size": len(content), "type": "file", "oid": COMMIT} for name, content in files.items()]
    siblings = [{"rfilename": name, "size": len(content)} for name, content in files.items()]

    def replies(path):
        path = path.partition("?")[0]
        content, headers = files.get(path.rpartition("/")[2]), {"X-Repo-Commit": COMMIT}
        if content is not None:
            return 200, headers | {"ETag": f'"{hashlib.sha256(content).hexdigest()}"'}, content
        if files and path.startswith("/api/models/some/encoder/tree/"):
            return 200, headers, sizes
        if files and path.startswith("/api/models/some/encoder"):
            return 200, headers, {"id": "some/encoder", "sha": COMMIT, "siblings": siblings}
        return 404, headers, b""

    return Service(replies)


@pytest.fixture
def run(tmp_path):
    """Run code in a process for which the hub is at an address and whose cache is in the test's folder."""

    def in_process(code, address, **more):
        own = {
            "HF_ENDPOINT": address.removesuffix("/ask"),
            "HF_HOME": str(tmp_path / "cache"),
            "PYTHONPATH": str(ROOT / "workflow"),
        }
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "HTTP"))} | own | more
        command = [sys.executable, "-c", ENTRIES + code]
        return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)

    return in_process


def test_what_is_missing_is_named_with_its_size_and_fetched_on_demand(run, tmp_path):
    entry = save_encoder(tmp_path / "little")
    (tmp_path / "little/pytorch_model.bin").write_bytes(b"pickled" * 1000)
    read = [path for path in (tmp_path / "little").iterdir() if path.suffix in (".safetensors", ".json", ".txt")]
    size = sum(path.stat().st_size for path in read)
    with hub(tmp_path / "little") as served:
        named = run("[entry] = downloads.lacking(entries).values(); print(downloads._problem(entry))", served.address)
        assert not [asked for asked in served.asked if "/resolve/" in asked["path"]]
        code = (
            "[entry] = downloads.lacking(entries).values(); downloads.fetch(entry); print(downloads.lacking(entries))"
        )
        fetched = run(code, served.address)
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
    with hub() as served:
        unknown = run(code, served.address).stdout.splitlines()
    offline = run(code, "http://127.0.0.1:9", HF_HUB_OFFLINE="1").stdout.splitlines()
    for lines in (unknown, offline):
        assert len(lines) == 2 and "some/encoder (of unknown size: " in lines[0]
        assert lines[1].startswith("some/encoder: the hub does not give it (")
