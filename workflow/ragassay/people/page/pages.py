"""What the pages show, as HTML. Text by people or models is escaped, never markup. A page shows only the person's own
labels and, in adjudication, those of the two annotators who disagree, without their names."""

import hashlib
import math
import urllib.parse

import jinja2

from ragassay.base import html
from ragassay.base.pipeline import WORKFLOW
from ragassay.people._label_files import moment
from ragassay.people.folder import Guidelines
from ragassay.people.labelling import ADJUDICATION, ANNOTATOR, LABELS, Labelling, Person, role_at
from ragassay.people.page.clicks import closed, refusal

FOLDER = WORKFLOW / "report/annotation"
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)

ABSENT = {"seen": "", "again": False, "opinions": [], "undo": None, "present": None, "barred": ""}  # on most items
ABSENT |= {"back": None, "onward": None}
PLACES = (*LABELS, ADJUDICATION)
ROWS = 50  # of a sheet


class Pages:
    def __init__(self, labelling: Labelling, guidelines: Guidelines, by_name: bool, damaged: int = 0):
        """`damaged` lines of the log could not be read."""
        self.labelling, self.guidelines, self.by_name, self.damaged = labelling, guidelines, by_name, damaged
        environment = html.environment()
        environment.loader = jinja2.FileSystemLoader(FOLDER)
        self.templates = {path.name: environment.get_template(path.name) for path in FOLDER.glob("*.html.j2")}

    def sign_in(self, token: str) -> str:
        names = sorted(self.labelling.people) if self.by_name else []
        return self._render("sign_in", None, token, by_name=self.by_name, names=names)

    def home(self, person: Person, token: str) -> str:
        parts = [part for task in LABELS if (part := self._part(person, task))["all"]]
        following = next((part for part in parts if not part["closed"] and part["done"] < part["all"]), None)
        more = {"parts": parts, "following": following, "group": self.labelling.free_group(person)}
        more |= {"damaged": self.damaged, "disputes": len(self.labelling.open_disputes(person))}
        return self._render("home", person, token, **more)

    def guide(self, person: Person, token: str) -> str:
        return self._render("guidelines", person, token)

    def task(self, person: Person, task: str, token: str) -> str | None:
        """The next item, from the training round first; None if there is none or the part is not open."""
        if item := self.labelling.to_practise(person, task):
            if not self._earlier_finished(person, task) or not person.groups:
                return None
            items = self.labelling.practice[task]
            more = {"kind": "practice", "at": self.labelling.practised(person, task), "all": len(items)}
            return self._item(person, token, task, item, items[item], again=item in person.practice, **more)
        item = self.labelling.next_item(person, task)
        if item is None or closed(self.labelling, person, task):
            return None
        more = self._progress(person, task) | {"kind": "label", "undo": self._undo(person, task)}
        return self._item(person, token, task, item, self.labelling.items[item], **more)

    def adjudication(self, person: Person, token: str) -> str | None:
        """The next disagreement; None if there is none."""
        item = self.labelling.next_item(person, ADJUDICATION)
        if item is None:
            return None
        more = self._progress(person, ADJUDICATION) | {"kind": "adjudicate", "undo": self._undo(person, ADJUDICATION)}
        row = self.labelling.items[item]
        return self._item(person, token, ADJUDICATION, item, row, opinions=self._opinions(item), **more)

    def labels(self, person: Person, token: str, place: str | None, number: int = 1, item: str = "") -> str | None:
        """A sheet of the person's own labels in a place, by default that of the latest; None if there are none."""
        counts = {name: len(self.labelling.labelled(person, name)) for name in PLACES}
        place = place or next((self.labelling.place(*key) for key in reversed(person.votes)), None)
        if not counts.get(place):
            return None
        sheet = self.sheet(person, place, number, item)
        rows = sheet["rows"]
        focus = item if item in [row["item"] for row in rows] else rows[0]["item"]
        more = {"places": {name: (self._title(name), count) for name, count in counts.items() if count}}
        more |= {"closed": self.labelling.passed(person, place), "onward": self._onward(person, place)}
        return self._render("labels", person, token, place=place, sheet=sheet, rows=rows, focus=focus, **more)

    def sheet(self, person: Person, place: str, number: int = 1, item: str = "") -> dict:
        """The sheet with this number, from 1, which holds the last labels, or the nearest that exists; if the item is
        labelled, the sheet that holds it. Rows are numbered from 1, in the order given.
        """
        items = self.labelling.labelled(person, place)[::-1]
        sheets = max(1, math.ceil(len(items) / ROWS))
        number = items.index(item) // ROWS + 1 if item in items else min(max(number, 1), sheets)
        start = (number - 1) * ROWS
        rows = []
        for at, name in enumerate(items[start : start + ROWS], start):
            vote = person.votes[role_at(place), name]
            row = {"item": name, "number": len(items) - at, "question": self.labelling.items[name]["question"]}
            row |= {"label": self._label_name(name, vote), "comment": vote.comment, "changed": vote.given > 1}
            rows.append(row | {"at": moment(vote.at) if vote.at else ""})
        return {"rows": rows, "number": number, "sheets": sheets}

    def label(self, person: Person, token: str, place: str, item: str) -> str | None:
        """An item with the person's own label, to change or only to view; None if there is no such label."""
        role = role_at(place)
        vote = person.votes.get((role, item))
        if vote is None or self.labelling.place(role, item) != place:
            return None
        refused = refusal(self.labelling, person, item, role)
        opinions = self._opinions(item) if place == ADJUDICATION and not refused else []
        more = self._progress(person, place) | {"kind": "own", "seen": vote.click, "present": vote}
        more |= {"barred": str(refused or ""), "opinions": opinions, "onward": self._onward(person, place)}
        more["back"] = f"/labels/{place}?at={urllib.parse.quote(item)}"
        return self._item(person, token, place, item, self.labelling.items[item], **more)

    def _item(self, person, token, place, item, shown, **more):
        texts = {name: shown[name] for name in ("title", "document", "question", "response")}
        task = shown["task"]
        group = None if more["kind"] == "practice" or place == ADJUDICATION else shown["group"]
        more = {"place": place, "task": task, "item": item, "shown": texts, "group": group} | more
        return self._render("item", person, token, title=self._title(place), **(ABSENT | more))

    def _label_name(self, item, vote):
        return self.guidelines.tasks[self.labelling.items[item]["task"]]["labels"][vote.label]["name"]

    def _title(self, place):
        return "Disagreements" if place == ADJUDICATION else self.guidelines.tasks[place]["title"]

    def _progress(self, person, place):
        if place != ADJUDICATION:
            return dict(zip(("at", "all"), self.labelling.done(person, place), strict=True))
        done = len(person.trail[place])
        return {"at": done, "all": done + len(self.labelling.open_disputes(person))}

    def _onward(self, person, place):
        """Where the next open item of a place is; None if there is none."""
        if place != ADJUDICATION and closed(self.labelling, person, place):
            return None
        path = "/adjudication" if place == ADJUDICATION else f"/label/{place}"
        return path if self.labelling.next_item(person, place) else None

    def _opinions(self, item):
        """The annotators' labels, in an order that reveals nothing."""
        votes = [
            (annotator, annotator.votes[ANNOTATOR, item])
            for annotator in self.labelling.people.values()
            if (ANNOTATOR, item) in annotator.votes
        ]
        votes.sort(key=lambda pair: hashlib.sha256(f"{item} {pair[0].name}".encode()).digest())
        return [{"label": self._label_name(item, vote), "comment": vote.comment} for _, vote in votes]

    def _undo(self, person, place):
        """What an undo would take back: the item, the click that labelled it, and words for people."""
        item = self.labelling.last(person, place)
        if item is None:
            return None
        vote = person.votes[role_at(place), item]
        taken_back = {"item": item, "seen": vote.click, "label": self._label_name(item, vote), "place": place}
        return taken_back | {"question": self.labelling.items[item]["question"]}

    def _part(self, person, task):
        """A task as the first page lists it."""
        done, all_ = self.labelling.done(person, task)
        why = "" if self._earlier_finished(person, task) else "Opens when the part before it is done."
        part = {"task": task, "title": self._title(task), "done": done, "all": all_, "closed": why}
        part |= {"practised": self.labelling.practised(person, task)}
        part |= {"to_practise": len(self.labelling.practice.get(task, {}))}
        return part | {"undo": self._undo(person, task) if done == all_ else None}

    def _earlier_finished(self, person, task):
        tasks = list(LABELS)
        return all(self.labelling.finished(person, earlier) for earlier in tasks[: tasks.index(task)])

    def _render(self, name, person, token, **more):
        return self.templates[f"{name}.html.j2"].render(person=person, token=token, guidelines=self.guidelines, **more)
