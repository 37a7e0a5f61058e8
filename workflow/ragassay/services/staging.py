"""Poisoned passages in a vector database, to test a service that searches there; and out of it again.

They go only into a collection whose entry says `staging: true`, under keys that follow from their ids. Before the first
is written, a manifest on disk says which will be written where; it is deleted after the last was removed. So whatever
is killed when, the manifest names all that may be there, and `clean` removes exactly that.
"""

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragassay.base import tables
from ragassay.base.atomic import creating
from ragassay.base.errors import AssayError
from ragassay.services.collection import opened

FOLDER = Path("staging")  # of manifests, one a collection
BATCH = 100  # rows that are written or removed at a time
PLACE = ("kind", "address", "collection")  # where a collection is


class StagingError(AssayError):
    """Nothing is written there, or nothing removed."""


@contextlib.contextmanager
def staging(name: str, entry: dict[str, Any], passages: list[dict], encoder: dict[str, Any] | None) -> Iterator[None]:
    """Around whatever is asked while passages are in a collection: what an earlier time left there is removed first,
    and they are removed in the end, whatever went wrong in between.
    """
    clean(name, entry)
    try:
        stage(name, entry, passages, embedded(passages, encoder))
        yield
    finally:
        clean(name, entry)


def embedded(passages: list[dict], encoder: dict[str, Any] | None) -> list[list[float]]:
    """The vector of each passage, by an entry of `encoders` with its name; nothing without one."""
    if encoder is None:
        return []
    from ragassay.models.encoders.embed import Embedder
    from ragassay.models.encoders.encoder import Encoder

    return Embedder(Encoder(**encoder), "embeddings").embed([row["text"] for row in passages], "passage").tolist()


def stage(name: str, entry: dict[str, Any], passages: list[dict], vectors: list[list[float]]) -> int:
    """Put passages with `passage_id` and `text` into a collection; returns how many there are."""
    check(name, entry)
    manifest = FOLDER / f"{name}.json"
    ids = [_checked_id(passage["passage_id"], name) for passage in passages]
    if not ids:
        raise StagingError(f"collections.{name}: found no passage to put there, expected poisoned ones")
    with opened(name, entry, writes=True) as collection:
        keys = collection.keys(ids)
        taken = collection.present(keys)
        if taken or len({*keys}) < len(keys):
            problem = f"found {len(taken)} of {len(keys)} keys in the collection already, expected none"
            raise StagingError(f"collections.{name}: {problem}; nothing was written")
        try:
            with creating(manifest) as file:
                file.write(json.dumps({key: entry[key] for key in PLACE} | {"passages": ids}, indent=1).encode())
        except FileExistsError as error:
            raise StagingError(
                f"{manifest}: found passages of an earlier time, expected none; first: ragassay clean-staging {name}"
            ) from error
        for at in range(0, len(ids), BATCH):
            part = slice(at, at + BATCH)
            fields = [_fields(entry["columns"], passage) for passage in passages[part]]
            collection.put(keys[part], vectors[part], fields)
    return len(ids)


def clean(name: str, entry: dict[str, Any]) -> int:
    """Remove what `stage` put there, or began to put there; returns how many may have been there."""
    check(name, entry)
    manifest = FOLDER / f"{name}.json"
    try:
        written = json.loads(manifest.read_bytes())
        ids = [_checked_id(passage, name) for passage in written["passages"]]
        place = {key: written[key] for key in PLACE}
    except FileNotFoundError:
        return 0
    except (ValueError, KeyError, TypeError) as error:
        raise StagingError(f"{manifest}: found no manifest ({error!s:.80}), expected it as it was written") from error
    if place != {key: entry[key] for key in PLACE}:
        here, there = ("{collection} at {address}".format(**part) for part in (entry, place))
        raise StagingError(f"collections.{name}: found {here}, expected {there}, as {manifest} has it")
    with opened(name, entry, writes=True) as collection:
        keys = collection.keys(ids)
        for at in range(0, len(keys), BATCH):
            collection.remove(keys[at : at + BATCH])
        if left := collection.present(keys):
            raise StagingError(
                f"collections.{name}: found {len(left)} passages that stayed, expected none; clean again"
            )
    manifest.unlink()
    return len(ids)


def staged() -> list[str]:
    """The collections that may hold poisoned passages."""
    return sorted(path.stem for path in FOLDER.glob("*.json") if not path.name.startswith("."))


def check(name: str, entry: dict[str, Any]) -> None:
    """Refuse a collection that is none for tests."""
    if entry["staging"] is not True:
        raise StagingError(
            f"collections.{name}: found no staging: true, so nothing is written or removed there; name a collection"
            " that nobody but your test uses"
        )


def _checked_id(passage, name):
    if not isinstance(passage, str) or not re.match(tables.POISONED, passage):
        raise StagingError(f"collections.{name}: found the passage {passage!r:.60}, expected the id of a poisoned one")
    return passage


def _fields(columns, passage):
    """A row as the service has its others; what a poisoned passage has not is empty."""
    values = {"id": passage["passage_id"], "text": passage["text"], "document_id": passage["passage_id"]}
    row = {}
    for name, path in columns.items():
        *outer, last = path.split(".")
        inner = row
        for part in outer:
            inner = inner.setdefault(part, {})
        if path:
            inner[last] = values.get(name, "")
    return row
