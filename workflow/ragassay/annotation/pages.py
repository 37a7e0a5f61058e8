"""What the pages show, as HTML. Everything that was written by people or models is text in them, never markup; a page
holds no label but the person's own, and in adjudication those of the two who disagree, without their names.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import jinja2

from ragassay.annotation.clicks import closed
from ragassay.annotation.guidelines import Guidelines
from ragassay.annotation.labelling import ADJUDICATION, Labelling, Person
from ragassay.annotation.tasks import ADJUDICATOR, ANNOTATOR, LABELS
from ragassay.report import html

FOLDER = Path(__file__).resolve().parents[2] / "report/annotation"
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)


@dataclass
class Part:
    """A task as the first page lists it."""

    task: str
    title: str
    done: int
    all: int
    closed: str
    practised: int
    to_practise: int
    undo: str | None


class Pages:
    def __init__(self, labelling: Labelling, guidelines: Guidelines, by_name: bool):
        self.labelling, self.guidelines, self.by_name = labelling, guidelines, by_name
        environment = html.environment()
        environment.loader = jinja2.FileSystemLoader(FOLDER)
        self.templates = {path.name: environment.get_template(path.name) for path in FOLDER.glob("*.html.j2")}

    def sign_in(self, token: str) -> str:
        names = sorted(self.labelling.people) if self.by_name else []
        return self._render("sign_in", None, token, by_name=self.by_name, names=names)

    def home(self, person: Person, token: str) -> str:
        parts = [self._part(person, task) for task in LABELS]
        parts = [part for part in parts if part.all]
        following = next((part for part in parts if not part.closed and part.done < part.all), None)
        more = {"parts": parts, "following": following, "group": self.labelling.free_group(person)}
        return self._render("home", person, token, **more, disputes=len(self.labelling.open_disputes(person)))

    def guide(self, person: Person, token: str) -> str:
        return self._render("guidelines", person, token)

    def task(self, person: Person, task: str, token: str) -> str | None:
        """The item that comes next, of the training round first; None if there is none, or the part is not open."""
        if item := self.labelling.to_practise(person, task):
            if not self._earlier_finished(person, task) or not person.groups:
                return None
            shown = self.labelling.practice[task][item]
            known = self.labelling.practice[task]
            at = sum((person.practice.get(name) or [False])[-1] for name in known)
            more = {"kind": "practice", "at": at, "all": len(known), "seen": "", "again": item in person.practice}
            return self._item(person, task, item, shown, token, **more)
        item = self.labelling.next_item(person, task)
        if item is None or closed(self.labelling, person, task):
            return None
        done, all_ = self.labelling.done(person, task)
        group = self.labelling.items[item]["group"]
        more = {"kind": "label", "at": done, "all": all_, "seen": "", "group": group}
        return self._item(person, task, item, self.labelling.items[item], token, **more)

    def adjudication(self, person: Person, token: str) -> str | None:
        """The disagreement that comes next, what was said in an order that tells nothing; None if there is none."""
        item = self.labelling.next_item(person, ADJUDICATION)
        if item is None:
            return None
        votes = [
            (one, one.votes[ANNOTATOR, item])
            for one in self.labelling.people.values()
            if (ANNOTATOR, item) in one.votes
        ]
        votes.sort(key=lambda pair: hashlib.sha256(f"{item} {pair[0].name}".encode()).digest())
        task = self.labelling.items[item]["task"]
        names = {label: own["name"] for label, own in self.guidelines.tasks[task]["labels"].items()}
        opinions = [{"label": names[vote.label], "comment": vote.comment} for _, vote in votes]
        done, left = len(person.trail[ADJUDICATION]), len(self.labelling.open_disputes(person))
        more = {"kind": "adjudicate", "at": done, "all": done + left, "seen": "", "opinions": opinions}
        return self._item(person, task, item, self.labelling.items[item], token, **more)

    def _item(self, person, task, item, shown, token, **more):
        place = ADJUDICATION if more["kind"] == "adjudicate" else task
        about = {name: shown[name] for name in ("title", "document", "question", "response")}
        more = {"group": None, "again": False, "opinions": [], **more}
        undo = None if more["kind"] == "practice" else self._undo(person, place)
        return self._render("item", person, token, place=place, task=task, item=item, shown=about, undo=undo, **more)

    def _undo(self, person, place):
        """What an undo would take back: the item, the click that labelled it, and words for people."""
        item = self.labelling.last(person, place)
        if item is None:
            return None
        vote = person.votes[ADJUDICATOR if place == ADJUDICATION else ANNOTATOR, item]
        row = self.labelling.items[item]
        label = self.guidelines.tasks[row["task"]]["labels"][vote.label]["name"]
        return {"item": item, "seen": vote.click, "label": label, "question": row["question"], "place": place}

    def _part(self, person, task):
        done, all_ = self.labelling.done(person, task)
        known = self.labelling.practice.get(task, {})
        right = sum((person.practice.get(name) or [False])[-1] for name in known)
        why = "" if self._earlier_finished(person, task) else "Opens when the part before it is done."
        undo = self._undo(person, task) if done == all_ else None
        return Part(task, self.guidelines.tasks[task]["title"], done, all_, why, right, len(known), undo)

    def _earlier_finished(self, person, task):
        tasks = list(LABELS)
        return all(self.labelling.finished(person, earlier) for earlier in tasks[: tasks.index(task)])

    def _render(self, name, person, token, **more):
        return self.templates[f"{name}.html.j2"].render(person=person, token=token, guidelines=self.guidelines, **more)
