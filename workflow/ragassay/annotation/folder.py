"""The folder in which the labels of one sample are kept: what was shown, and what people said of it.

items.parquet   the sample as it was when labelling began; a later sample does not change what people label
events.jsonl    what people clicked, which is all that has to be saved
tokens.json     tokens of annotators, if the page was served to other machines
secret          what cookies are signed with
"""

import shutil
from pathlib import Path

from ragassay import tables
from ragassay.annotation import labelling, log
from ragassay.atomic import replacing
from ragassay.errors import AssayError
from ragassay.schemas.annotation_items import ANNOTATION_ITEMS

ITEMS, EVENTS = "items.parquet", "events.jsonl"


class FolderError(AssayError):
    """What is in the folder does not fit together."""


def frozen_items(folder, sample) -> tuple[list[dict], bool]:
    """The items that people label, and whether they are still those of the sample. At first they are."""
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
    """Who has labelled what; refuses events about items that are not there."""
    known = {row["item_id"] for row in items}
    strange = {event["item"] for event in events if event["event"] in ("label", "undo", "skip")} - known
    if strange:
        found = f"found labels of {len(strange)} items that {ITEMS} does not hold, such as {min(strange)}"
        raise FolderError(
            f"{where}: {found}; expected both files from the same time: put back the one that was replaced"
        )
    return labelling.replayed(items, events, per_item, practice)


def read_state(items_path, events_path, per_item: int) -> labelling.Labelling:
    """The same from files, without writing to them."""
    return state(items_in(items_path), log.read(events_path), per_item, {}, events_path)
