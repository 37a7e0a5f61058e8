"""Files in object stores: fetched whole or not at all, and what a store says is one line."""

import os
import signal
import subprocess
import sys
import time

import pytest

from object_store import SECRET, serving
from scripts.documents import fetch_file as script
from scripts.documents.fetch_file import NotFetched, fetch_file

PLACE = "shards.x/s3/bucket/dt=2026-01/texts.csv"
ADDRESS, NAME = "s3://bucket/dt=2026-01/texts.csv", "bucket/dt=2026-01/texts.csv"
CONTENT = b"id,text\n" + b"1,The ferry sails at nine.\n" * 400


@pytest.fixture
def store(monkeypatch):
    for name in ("AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(script, "BLOCK", 1000)
    with serving({NAME: CONTENT}) as store:
        yield store


@pytest.fixture
def copy(tmp_path):
    return tmp_path / "fetched" / PLACE


def refused(copy, place=PLACE):
    """The one line of a fetch that fails, which leaves nothing."""
    with pytest.raises(NotFetched) as caught:
        fetch_file(str(copy), place)
    assert not list(copy.parent.iterdir() if copy.parent.exists() else ())
    line = str(caught.value)
    assert "\n" not in line and SECRET not in line
    return line


def test_a_copy_has_the_bytes_of_the_object_which_is_read_in_blocks(store, copy):
    fetch_file(str(copy), PLACE)
    assert copy.read_bytes() == CONTENT
    assert store.fetched() == [NAME] * -(-len(CONTENT) // 1000)
    assert [file.name for file in copy.parent.iterdir()] == [copy.name]


def test_a_compressed_object_stays_as_it_is(store, copy):
    store.objects["bucket/texts.gz"] = b"no gzip"
    fetch_file(str(copy), "shards.x/s3/bucket/texts.gz")
    assert copy.read_bytes() == b"no gzip"


def test_a_store_that_is_silent_for_some_seconds_is_waited_for(store, copy):
    def wait(handler):
        if handler.command == "GET" and not store.fetched()[1:]:
            time.sleep(3.5)

    store.fault = wait
    fetch_file(str(copy), PLACE)
    assert copy.read_bytes() == CONTENT and len(store.fetched()) == -(-len(CONTENT) // 1000), "each block once"


def test_an_object_that_is_missing_is_said_with_its_address(store, copy):
    line = refused(copy, "shards.x/s3/bucket/no.csv")
    assert line.startswith("s3://bucket/no.csv: found no such object, expected one; ")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("AWS_ACCESS_KEY_ID", "false", "credentials in the environment"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9", "connect"),
    ],
    ids=["a false key, which is not shown", "a store that cannot be reached"],
)
def test_what_a_store_says_is_one_line(store, copy, monkeypatch, name, value, says):
    monkeypatch.setenv(name, value)
    line = refused(copy)
    assert line.startswith(f"{ADDRESS}: cannot be fetched (") and says in line


def test_hadoop_without_its_library_is_one_line(copy, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    monkeypatch.delenv("LIBHDFS3_CONF", raising=False)
    line = refused(copy, "shards.x/hdfs/node:8020/a.csv")
    assert line.startswith("hdfs://node:8020/a.csv: cannot be fetched (") and "dlopen" not in line


def gone(_):
    """Hangs up."""
    return True


def cut(handler):
    """Hangs up in the middle of a block."""
    handler.send_response(206)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"x" * 500)
    return True


@pytest.mark.parametrize("ends", [gone, cut])
def test_a_store_that_goes_away_in_the_middle(store, copy, ends):
    store.fault = lambda handler: handler.command == "GET" and len(store.fetched()) > 3 and ends(handler)
    assert refused(copy).startswith(f"{ADDRESS}: cannot be fetched (")


def test_an_object_that_is_replaced_while_it_is_read_is_refused(store, copy):
    def replace(handler):
        store.changed += len(store.fetched()) == 3

    store.fault = replace
    assert refused(copy) == f"{ADDRESS}: found another object after it was read, expected one that stays; run again"


def test_an_object_that_is_shorter_than_its_store_says_is_refused(store, copy, monkeypatch):
    monkeypatch.setattr(script, "_blocks", lambda *_: [CONTENT[:-1]])
    bytes_of_it = f"found {len(CONTENT) - 1:,} bytes, expected {len(CONTENT):,} as the store says"
    assert refused(copy).startswith(f"{ADDRESS}: {bytes_of_it}")


KILLED = """
import sys
from scripts.documents import fetch_file
fetch_file.BLOCK = 1000
fetch_file.fetch_file(*sys.argv[1:])
"""


def test_a_kill_in_the_middle_leaves_no_copy_and_the_next_fetch_clears_what_is_left(store, copy):
    def kill(handler):
        if len(store.fetched()) == 4:
            process.send_signal(signal.SIGKILL)
            process.wait()

    store.fault = kill
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(copy), PLACE], env=environment)
    process.wait()
    assert process.returncode == -signal.SIGKILL and not copy.exists()
    assert len(list(copy.parent.iterdir())) == 1
    store.fault = lambda handler: False
    fetch_file(str(copy), PLACE)
    assert copy.read_bytes() == CONTENT and list(copy.parent.iterdir()) == [copy]
