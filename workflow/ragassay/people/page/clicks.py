"""What a click may do: the event to store, or a refusal that says why. A page says what it saw (`seen`); if something
else was stored since, nothing is overwritten. A click that comes a second time, because the answer to the first was
lost, is answered alike and stored once."""

import re
import time

from ragassay.base.errors import AssayError
from ragassay.people.labelling import ADJUDICATOR, LABELS, Labelling, Person, role_at
from ragassay.people.page.access import lookalike

CLICK = re.compile(r"[0-9a-f-]{8,64}")
LONGEST_COMMENT = 4_000


class Refused(AssayError):
    """A click that cannot be stored; `status` is that of the reply."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


def decide(labelling: Labelling, name: str, kind: str, click: dict) -> dict | None:
    """The event that a click of this kind makes, or None if it is stored already."""
    if not isinstance(click.get("click"), str) or not CLICK.fullmatch(click["click"]):
        raise Refused(400, "found no name of the click, expected one")
    if not isinstance(click.get("item", ""), str):
        raise Refused(404, "There is no such item.")
    if before := labelling.clicks.get(click["click"]):
        if (before["person"], before["event"]) != (name, kind) or not _repeats(click, before):
            raise Refused(409, "This click belongs to something else: nothing new was stored.")
        return None
    if alike := lookalike(name, labelling.people):
        raise Refused(409, alike)
    person = labelling.people.get(name) or Person(name, 0)
    event = {"event": kind, "person": name, "click": click["click"], "at": now()}
    return event | KINDS[kind](labelling, person, click)


def _repeats(click, event):
    """Whether a click repeats the stored one. `seconds` grow while a page waits, so they are not compared."""
    comment = click.get("comment", "")
    content = {"item": click.get("item"), "label": click.get("label"), "role": role_at(click.get("place"))}
    content["comment"] = comment.strip() if isinstance(comment, str) else comment
    return all(event[name] == value for name, value in content.items() if name in event)


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def _join(labelling, person, click):
    group = labelling.free_group(person)
    if group is None:
        raise Refused(409, "Every group has its annotators.")
    return {"group": group}


def _practice(labelling, person, click):
    item, label = click.get("item"), click.get("label")
    for task, items in labelling.practice.items():
        if item in items:
            _one_of_labels(label, task)
            if item != labelling.to_practise(person, task):
                raise Refused(409, "This item of the training round was answered in another window.")
            return {"item": item, "label": label, "right": label == items[item]["label"]}
    raise Refused(404, "There is no such item in the training round.")


def _label(labelling, person, click):
    item, role = _item(labelling, click), role_at(click.get("place"))
    task = labelling.items[item]["task"]
    label = _one_of_labels(click.get("label"), task)
    if refused := refusal(labelling, person, item, role):
        raise refused
    vote = person.votes.get((role, item))
    if (vote.click if vote else "") != click.get("seen"):
        raise Refused(409, "This item was labelled in another window. Nothing was overwritten.")
    comment, seconds = click.get("comment", ""), click.get("seconds")
    if not isinstance(comment, str) or len(comment) > LONGEST_COMMENT:
        raise Refused(400, f"A comment may have {LONGEST_COMMENT:,} characters.")
    if seconds is not None:
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds != seconds:  # NaN
            raise Refused(400, "found no number of seconds, expected one")
        seconds = round(float(min(max(seconds, 0), 86_400)), 1)
    return {"role": role, "item": item, "label": label, "comment": comment.strip(), "seconds": seconds}


def refusal(labelling: Labelling, person: Person, item: str, role: str) -> Refused | None:
    """Why a person may not label an item now, or change its label; None if nothing is in the way."""
    if role == ADJUDICATOR:
        if not labelling.disputed(item) or not labelling.may_settle(person, item):
            reason = "This is no disagreement that you can settle: the annotators agree now, or you are one."
            return Refused(409, reason)
        if labelling.settled.get(item, person.name) != person.name:
            return Refused(409, "Somebody else has settled this disagreement meanwhile. Nothing was overwritten.")
        return None
    task = labelling.items[item]["task"]
    if labelling.items[item]["group"] not in person.groups:
        return Refused(403, "This item belongs to another group.")
    if (role, item) in person.votes and labelling.passed(person, task):
        return Refused(409, "This part is closed, since the next one has begun.")
    reason = closed(labelling, person, task)
    return Refused(409, reason) if reason else None


def closed(labelling: Labelling, person: Person, task: str) -> str:
    """Why a person may not label items of this task now; empty if nothing is in the way.

    An item that appears in the later task reveals something about its label in the earlier one. So tasks come one after
    the other, and there is no way back.
    """
    tasks = list(LABELS)
    at = tasks.index(task)
    if not all(labelling.finished(person, earlier) for earlier in tasks[:at]):
        return "This part opens when the part before it is done."
    if labelling.to_practise(person, task):
        return "This part opens after its training round."
    return ""


def _skip(labelling, person, click):
    item, role = _item(labelling, click), role_at(click.get("place"))
    if (role, item) in person.votes:
        raise Refused(409, "This item was labelled in another window.")
    if refused := refusal(labelling, person, item, role):
        raise refused
    return {"item": item}


def _undo(labelling, person, click):
    item, role = _item(labelling, click), role_at(click.get("place"))
    place = labelling.place(role, item)
    if labelling.last(person, place) != item or person.votes[role, item].click != click.get("seen"):
        raise Refused(409, "Something else was labelled since. Nothing was undone.")
    return {"role": role, "item": item}


def _item(labelling, click):
    if click.get("item") not in labelling.items:
        raise Refused(404, "There is no such item.")
    return click["item"]


def _one_of_labels(label, task):
    if label not in LABELS[task]:
        raise Refused(400, f"found the label {label!r:.40}, expected one of {', '.join(LABELS[task])}")
    return label


KINDS = {"label": _label, "practice": _practice, "skip": _skip, "undo": _undo, "join": _join}
