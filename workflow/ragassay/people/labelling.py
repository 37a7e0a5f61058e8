"""Who has labelled what, from the events of the log, and what comes next for each person. The same events always give
the same state. `ragassay.people.page.clicks` decides what a click may do, and logs an event before it is applied
here."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from ragassay.base.errors import MISSHAPEN, Unusable, one_item
from ragassay.base.stage import log
from ragassay.calls.ledger.journal import check_form

# Two tasks with two labels each, the positive one first; the guidelines word them.
SCOPE, DEFUSION = "scope", "defusion"
LABELS = {SCOPE: ("out_of_scope", "in_scope"), DEFUSION: ("defused", "not_defused")}
ANNOTATOR, ADJUDICATOR = "annotator", "adjudicator"
ADJUDICATION = "adjudication"  # a place beside the tasks


ANY = {"person": str, "click": str}
ITEM = ANY | {"item": str, "role": str}
FORMS = {  # kind of event -> what it holds
    "join": ANY | {"group": int}, "practice": ANY | {"item": str, "right": bool}, "skip": ANY | {"item": str},
    "label": ITEM | {"label": str, "comment": str, "at": int, "seconds": (int, float, type(None))}, "undo": ITEM,
}  # fmt: skip


def is_event(event) -> bool:
    """Whether it has what an event of its kind needs, each part of its type."""
    try:
        check_form(event, FORMS, "event")
    except MISSHAPEN:
        return False
    return event.get("role", ANNOTATOR) in (ANNOTATOR, ADJUDICATOR)


@dataclass
class Vote:
    """A person's label of an item. `click` names its event; `given` is its place among all labels, from 1."""

    label: str
    comment: str
    at: int
    seconds: float | None
    click: str
    given: int = 1


@dataclass
class Person:
    name: str
    number: int  # from 1, in the order in which they came
    groups: list[int] = field(default_factory=list)
    votes: dict = field(default_factory=dict)  # (role, item) -> Vote
    given: Counter = field(default_factory=Counter)  # (role, item) -> labels, including undone ones
    trail: dict = field(default_factory=lambda: defaultdict(list))  # place -> items in the order of their labels
    skips: Counter = field(default_factory=Counter)  # item -> how often it was postponed
    first: str | None = None  # an item whose label was undone: it comes next
    practice: dict = field(default_factory=dict)  # known item -> whether each answer was right


class Labelling:
    """`items` are rows of annotation_items, `practice` the known items of each task."""

    def __init__(self, items: list[dict], per_item: int, practice: dict[str, dict] | None = None):
        self.items = {row["item_id"]: row for row in items}
        self.per_item, self.practice = per_item, practice or {}
        self.groups = sorted({row["group"] for row in items})
        self.of_group = defaultdict(list)  # (task, group) -> items in their order
        for row in sorted(items, key=lambda row: row["position"]):
            self.of_group[row["task"], row["group"]].append(row["item_id"])
        self.people, self.clicks = {}, {}
        self.opinions, self.settled = defaultdict(dict), {}  # item -> name -> label; item -> name of the adjudicator

    def apply(self, event: dict) -> None:
        person = self.people.setdefault(event["person"], Person(event["person"], len(self.people) + 1))
        if "click" in event:
            self.clicks[event["click"]] = event
        match event["event"]:
            case "join":
                person.groups.append(event["group"])
            case "practice":
                person.practice.setdefault(event["item"], []).append(event["right"])
            case "skip":
                person.skips[event["item"]] += 1
                person.first = None
            case "label":
                self._label(person, event)
            case "undo":
                self._undo(person, event)

    def _label(self, person, event):
        role, item = event["role"], event["item"]
        trail = person.trail[self.place(role, item)]
        person.given[role, item] += 1
        vote = Vote(event["label"], event["comment"], event["at"], event["seconds"], event["click"])
        vote.given = person.given[role, item]
        person.votes[role, item] = vote
        if item in trail:
            trail.remove(item)
        trail.append(item)
        if person.first == item:
            person.first = None
        if role == ADJUDICATOR:
            self.settled[item] = person.name
        else:
            self.opinions[item][person.name] = event["label"]
            if self.items[item]["group"] not in person.groups:  # the line with which the person joined is damaged
                person.groups.append(self.items[item]["group"])

    def _undo(self, person, event):
        role, item = event["role"], event["item"]
        trail = person.trail[self.place(role, item)]
        person.first = item
        if person.votes.pop((role, item), None) is None:
            return  # the line of the label that it undoes is damaged
        trail.remove(item)
        if role == ANNOTATOR:
            del self.opinions[item][person.name]
        elif self.settled.get(item) == person.name:  # otherwise a line is damaged
            del self.settled[item]

    def place(self, role: str, item: str) -> str:
        return ADJUDICATION if role == ADJUDICATOR else self.items[item]["task"]

    def disputed(self, item: str) -> bool:
        """Whether all annotators have labelled the item and disagree."""
        labels = self.opinions.get(item, {})
        return len(labels) >= self.per_item and len(set(labels.values())) > 1

    def items_of(self, person: Person, task: str) -> list[str]:
        """The items of a task that a person is to label."""
        return [item for group in person.groups for item in self.of_group[task, group]]

    def open_disputes(self, person: Person) -> list[str]:
        """Disagreements that are not settled yet and do not involve this person."""
        open_items = [item for item in self.opinions if self.disputed(item) and item not in self.settled]
        open_items = [item for item in open_items if self.may_settle(person, item)]
        return sorted(open_items, key=lambda item: (self.items[item]["task"] != "scope", item))

    def may_settle(self, person: Person, item: str) -> bool:
        return person.name not in self.opinions[item] and self.items[item]["group"] not in person.groups

    def to_practise(self, person: Person, task: str) -> str | None:
        """The next known item: first those never tried, then those whose last answer was wrong."""
        items = self.practice.get(task, {})
        wrong = [item for item in items if not (person.practice.get(item) or [False])[-1]]
        return min(wrong, key=lambda item: len(person.practice.get(item, [])), default=None)

    def practised(self, person: Person, task: str) -> int:
        """Of how many known items the last answer was right."""
        return sum((person.practice.get(item) or [False])[-1] for item in self.practice.get(task, {}))

    def next_item(self, person: Person, place: str) -> str | None:
        """The next item: one whose label was undone comes first, postponed ones come last."""
        items = self.open_disputes(person) if place == ADJUDICATION else self.items_of(person, place)
        role = role_at(place)
        left = [item for item in items if (role, item) not in person.votes]
        if person.first in left:
            return person.first
        fresh = next((item for item in left if not person.skips[item]), None)
        return fresh or min(left, key=lambda item: person.skips[item], default=None)

    def done(self, person: Person, task: str) -> tuple[int, int]:
        """How many items of the task are labelled, and how many there are."""
        items = self.items_of(person, task)
        return sum((ANNOTATOR, item) in person.votes for item in items), len(items)

    def finished(self, person: Person, task: str) -> bool:
        done, all_ = self.done(person, task)
        return bool(person.groups) and done == all_

    def begun(self, person: Person, task: str) -> bool:
        return bool(person.trail[task] or person.practice.keys() & self.practice.get(task, {}).keys())

    def passed(self, person: Person, place: str) -> bool:
        """Whether a later task has begun, which closes this one."""
        later = list(LABELS)[list(LABELS).index(place) + 1 :] if place in LABELS else []
        return any(self.begun(person, task) for task in later)

    def last(self, person: Person, place: str) -> str | None:
        """The item whose label an undo removes."""
        return person.trail[place][-1] if person.trail[place] and not self.passed(person, place) else None

    def labelled(self, person: Person, place: str) -> list[str]:
        """The items that a person has labelled, in the order of their labels. A changed label keeps its place."""
        return [item for role, item in person.votes if self.place(role, item) == place]

    def free_group(self, person: Person) -> int | None:
        """The group that most needs an annotator, of those in which this person has labelled and settled nothing."""
        members = Counter(group for member in self.people.values() for group in member.groups)
        seen = {self.items[item]["group"] for role, item in person.votes if role == ADJUDICATOR} | set(person.groups)
        free = [group for group in self.groups if members[group] < self.per_item and group not in seen]
        return min(free, key=lambda group: (members[group], group), default=None)


def role_at(place: str) -> str:
    return ADJUDICATOR if place == ADJUDICATION else ANNOTATOR


def replayed(items: list[dict], events: list[dict], per_item: int, practice=None) -> Labelling:
    """The state after all events; those that cannot be applied are left out, with whatever they had changed until
    then.
    """
    while True:
        labelling, applied = Labelling(items, per_item, practice), []
        for event in events:
            try:
                with one_item():
                    labelling.apply(event)
            except Unusable as why:
                log.warning("left out the click %s %s: %s", event["event"], event.get("click"), why.detail)
            else:
                applied.append(event)
        if len(applied) == len(events):
            return labelling
        events = applied
