"""Labels to and from other tools: checked, and stored in the log like clicks. Importing one twice stores it once."""

import dataclasses
import uuid
from pathlib import Path

from ragassay.base.atomic import write_text
from ragassay.base.pipeline import run_command
from ragassay.people import _label_files, folder
from ragassay.people._label_files import ExchangeError, GivenLabel
from ragassay.people.click_log import Log, read
from ragassay.people.folder import Study
from ragassay.people.labelling import ADJUDICATOR, ANNOTATOR, LABELS, Labelling
from ragassay.people.page.access import AccessError, checked_name, lookalike
from ragassay.people.page.clicks import LONGEST_COMMENT
from ragassay.text import characters

# form -> what writes items with their labels as the text of a file, and what reads labels from one
FORMS = {
    "csv": (_label_files.csv_text, _label_files.read_csv),
    "label-studio": (_label_files.label_studio_json, _label_files.read_label_studio),
}
ENDINGS = {".csv": "csv", ".json": "label-studio"}


def form_of(file) -> str:
    ending = Path(file).suffix.lower()
    if ending not in ENDINGS:
        raise ExchangeError(f"{file}: found the ending {ending!r}, expected {' or '.join(ENDINGS)}; or say --form")
    return ENDINGS[ending]


def exported(study: Study, form: str) -> tuple[str, int, int]:
    """The text of the file, and how many items and labels are in it."""
    items, _ = _items(study)
    labelling = _state(study, items, read(study.folder / folder.EVENTS))
    rows = sorted(items, key=lambda row: (list(LABELS).index(row["task"]), row["group"], row["position"]))
    labels = {row["item_id"]: [] for row in rows}
    for person in labelling.people.values():
        for (role, item), vote in person.votes.items():
            given = GivenLabel(item, person.name, role, vote.label, vote.comment, vote.at, vote.seconds, "")
            labels[item].append(given)
    written, _ = FORMS[form]
    return written(rows, labels), len(rows), sum(map(len, labels.values()))


def save(file, text: str) -> None:
    """Write the file whole or not at all."""
    try:
        write_text(file, text)
    except OSError as error:
        raise ExchangeError(f"{file}: {error.strerror}; expected a file that can be written") from error


def imported(study: Study, file, form: str, annotator: str | None, replace: bool) -> dict[str, int]:
    """Store the labels of a file, all or none. Returns how many were new and how many were already stored."""
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not in UTF-8"
        raise ExchangeError(f"{file}: {reason}; expected a file with labels") from error
    _, read_labels = FORMS[form]
    labels = read_labels(text, str(file), annotator)
    items, frozen = _items(study)
    if not frozen:
        folder.frozen_items(study.folder, study.sample)
    log = Log(study.folder / folder.EVENTS)
    try:
        labelling = _state(study, items, log.events)
        labels = _named(labels, labelling)
        new = [given for given in labels if _is_new(labelling, given, replace)]
        for given in new:
            for event in _events(labelling, given):
                log.append(event)
                labelling.apply(event)
    finally:
        log.close()
    return {"new": len(new), "same": len(labels) - len(new)}


def _items(study):
    """The items, and whether labelling has begun."""
    for path, frozen in ((study.folder / folder.ITEMS, True), (study.sample, False)):
        if path.exists():
            return folder.items_in(path), frozen
    raise ExchangeError(f"{study.sample}: no such file; draw the sample first: {run_command(str(study.sample))}")


def _state(study, items, events) -> Labelling:
    return folder.state(items, events, study.annotation["annotators_per_item"], {}, study.folder)


def _named(labels, labelling):
    """Labels under checked names, none of which looks like another or like that of a known annotator."""
    names, named = set(labelling.people), []
    for given in labels:
        try:
            name = checked_name(given.annotator, names)
        except AccessError as error:
            expected = "or say whose labels they are with --annotator"
            raise ExchangeError(f"{given.where}: annotator: {error}; {expected}") from None
        if alike := lookalike(name, names):
            raise ExchangeError(f"{given.where}: annotator: {alike}")
        names.add(name)
        named.append(dataclasses.replace(given, annotator=name))
    return named


def _is_new(labelling, given, replace):
    """Checks one label. False if it is stored already."""
    if given.item not in labelling.items:
        raise ExchangeError(f"{given.where}: found the item {given.item!r:.60}, expected one of this sample")
    labels = LABELS[labelling.items[given.item]["task"]]
    if given.label not in labels:
        raise ExchangeError(f"{given.where}: found the label {given.label!r:.60}, expected one of {', '.join(labels)}")
    if given.role not in (ANNOTATOR, ADJUDICATOR):
        raise ExchangeError(f"{given.where}: found the role {given.role!r:.60}, expected {ANNOTATOR} or {ADJUDICATOR}")
    if unfit := characters.refusal(given.comment):
        raise ExchangeError(f"{given.where}: comment: {unfit}")
    if len(given.comment) > LONGEST_COMMENT:
        expected = f"expected at most {LONGEST_COMMENT:,} characters"
        raise ExchangeError(f"{given.where}: comment: found {len(given.comment):,} characters, {expected}")
    person = labelling.people.get(given.annotator)
    vote = person.votes.get((given.role, given.item)) if person else None
    if vote is None:
        return True
    if (vote.label, vote.comment) == (given.label, given.comment):
        return False
    if not replace:
        difference = f"found {given.label} for {given.item} by {given.annotator}, expected {vote.label} as stored here"
        raise ExchangeError(f"{given.where}: {difference}, with the same comment; to let the file win, add --replace")
    return True


def _events(labelling, given):
    person = labelling.people.get(given.annotator)
    group = labelling.items[given.item]["group"]
    same = {"person": given.annotator, "at": given.at}
    if given.role == ANNOTATOR and (person is None or group not in person.groups):
        yield {**same, "event": "join", "group": group, "click": str(uuid.uuid4())}
    label = {name: getattr(given, name) for name in ("role", "item", "label", "comment", "seconds")}
    yield {**same, **label, "event": "label", "click": str(uuid.uuid4()), "imported": True}
