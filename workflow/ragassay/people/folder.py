"""The folder that keeps the labels of one sample: what was shown, and how people labelled it.

items.parquet   the sample when labelling began; a later sample does not change what people label
events.jsonl    the clicks; only this file needs a backup
tokens.json     tokens of annotators, if the page was served to other machines
secret          signs the cookies
"""

import shutil
from pathlib import Path

from ragassay.base import tables
from ragassay.base.atomic import replacing
from ragassay.base.errors import AssayError
from ragassay.people import click_log, labelling
from ragassay.schemas.people import ANNOTATION_ITEMS

ITEMS, EVENTS = "items.parquet", "events.jsonl"


class FolderError(AssayError):
    """The files of the folder do not belong together."""


def frozen_items(folder, sample) -> tuple[list[dict], bool]:
    """The items that people label, and whether they are still those of the sample, as they are at first."""
    own, sample = Path(folder, ITEMS), Path(sample)
    if not own.exists():
        items = items_in(sample)
        if not items:
            raise FolderError(f"{sample}: the sample is empty, expected questions; see scope.annotation.questions")
        try:
            with replacing(own) as copy, sample.open("rb") as source:
                shutil.copyfileobj(source, copy)
        except OSError as error:
            raise FolderError(f"{own}: {error.strerror}; expected a place where a file can be written") from error
        return items, True
    return items_in(own), not sample.exists() or sample.read_bytes() == own.read_bytes()


def items_in(path):
    return tables.read(ANNOTATION_ITEMS, path).to_pylist()


def state(items: list[dict], events: list[dict], per_item: int, practice: dict, where) -> labelling.Labelling:
    """Who has labelled what. Refuses events about unknown items."""
    known = {row["item_id"] for row in items}
    strange = {event["item"] for event in events if event["event"] in ("label", "undo", "skip")} - known
    if strange:
        found = f"found labels of {len(strange)} items that {ITEMS} does not hold, such as {min(strange)}"
        raise FolderError(
            f"{where}: {found}; expected both files from the same time: put back the one that was replaced"
        )
    return labelling.replayed(items, events, per_item, practice)


def read_state(items_path, events_path, per_item: int) -> labelling.Labelling:
    """The same, read from files without writing to them."""
    return state(items_in(items_path), click_log.read(events_path), per_item, {}, events_path)
