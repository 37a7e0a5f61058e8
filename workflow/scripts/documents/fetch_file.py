"""Fetch one file of the user's out of an object store, for the jobs that read it. Who may read it says the environment,
as for the store's own tools; pyarrow does the talking. The copy is there whole or not at all."""

import contextlib
import datetime
import os
import time
from collections.abc import Iterator
from urllib.parse import quote

import pyarrow as pa
from pyarrow import fs

from ragassay.base.address import of_copy
from ragassay.base.atomic import replacing
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.base.terminal import remember

BLOCK = 16 * 2**20
PROGRESS_SECONDS = 30
PATIENCE = datetime.timedelta(seconds=30)  # with a silent store: else Google has 15 minutes, Amazon 3 seconds
SECRETS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_CLIENT_SECRET")
LETTERS = 300  # of what a store says


class NotFetched(AssayError):
    """An object cannot be fetched; the message names its address."""


def fetch_file(file, place):
    """`place` is the path of the copy below its folder."""
    for name in SECRETS:
        remember(os.environ.get(name, ""))
    address, size, logged = of_copy(place), 0, time.monotonic()
    with _one_line(address):
        store, path = _store(address)
        before = store.get_file_info(path)
    if before.type != fs.FileType.File:
        raise NotFetched(f"{address}: found no such object, expected one; correct the address, or put the file there")
    with replacing(file) as copy:
        for block in _blocks(address, store, path):
            copy.write(block)
            size += len(block)
            if time.monotonic() - logged > PROGRESS_SECONDS:
                logged = time.monotonic()
                log.info("%s: %d of %d MB", address, size // 10**6, before.size // 10**6)
        with _one_line(address):
            after = store.get_file_info(path)
        if (after.size, after.mtime) != (before.size, before.mtime):
            raise NotFetched(f"{address}: found another object after it was read, expected one that stays; run again")
        if size != before.size:
            raise NotFetched(f"{address}: found {size:,} bytes, expected {before.size:,} as the store says; run again")
    log.info("%d bytes", size)


def _store(address):
    """The file system and the path in it. For S3 nothing asks which region a bucket is in: the environment says it."""
    scheme, _, path = address.partition("://")
    if scheme == "s3":
        given = {name: os.environ.get(f"AWS_{name.upper()}") for name in ("region", "default_region")}
        endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
        region = given["region"] or given["default_region"]
        patience = PATIENCE.total_seconds()
        return fs.S3FileSystem(region=region, endpoint_override=endpoint, request_timeout=patience), path
    if scheme == "gs":
        return fs.GcsFileSystem(retry_time_limit=PATIENCE), path
    return fs.FileSystem.from_uri(f"{scheme}://{quote(path, safe='/@:')}")


def _blocks(address, store, path) -> Iterator[bytes]:
    """What happens to those who write them is no matter of this."""
    with _one_line(address), store.open_input_stream(path, compression=None) as stream:
        while block := stream.read(BLOCK):
            yield block


@contextlib.contextmanager
def _one_line(address):
    """Stores say in many ways, and some in many lines, that they cannot be reached or that nobody may read there."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        reason = " ".join((str(error).splitlines() or [type(error).__name__])[0].split())[:LETTERS]
        expected = "expected a store that answers, and credentials in the environment that may read there"
        raise NotFetched(f"{address}: cannot be fetched ({reason}), {expected}") from error


if __name__ == "__main__":
    run(fetch_file, snakemake)
