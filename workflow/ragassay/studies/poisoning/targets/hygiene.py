"""What can be used of targets that somebody brings. Refusals of the models that wrote them and names such as
`corpus1:` before texts are removed; a target that cannot be told from the right answer is dropped; texts that lack
the target or give the right answer are kept with a flag: they are what attackers really use.

`TargetTables` are the two tables of every stage that makes targets: what can be used, and what was dropped, and why.
"""

import contextlib
import re
from collections import Counter
from typing import NamedTuple

from ragassay.base import tables
from ragassay.base.stage import log
from ragassay.base.tally import Tally, reject
from ragassay.calls.parsers.result import refuses
from ragassay.grading.matches import contains, normalized
from ragassay.schemas.attacks import TARGETS
from ragassay.studies.poisoning.attacks.attack import triggered

DEBRIS = re.compile(
    r"""^\s*["'\u201c\u201d{\[]*\s*(?:corpus\s*_?\d*|(?:passage|text)\s*_?\d+)["'\u201c\u201d]*\s*[:.)-]\s*""", re.I
)
SORRY = re.compile(
    r"(?:i'm|i am|we're|we are) (?:very |so )?sorry\b|(?:my )?apologies\b|as an ai\b[^.\n]{0,80}\bi\b", re.I
)
# What declines and is no refusal: words in capitals after "I", or words in quotes that the sentence goes on behind.
TITLE = re.compile(r"(?:[A-Z]\w*,? )?I(?: |'[a-z]+ )(?=[A-Z][a-z'])")
QUOTED = re.compile(r"""["'\u201c\u2018*]+.{0,80}?[^.!?\s"'\u201d\u2019*]["'\u201d\u2019*]+(?!\w)\W*\w""")
QUOTES = {'"': '"', "\u201c": "\u201d", "'": "'"}
NO_TARGET, RIGHT_ANSWER = "no_target", "right_answer"


class Problem(NamedTuple):
    """Why a target or one of its texts is not used."""

    item: str
    reason: str
    detail: str


def usable(row: dict) -> tuple[dict | None, list[Problem]]:
    """A row of the table targets, if there can be one, and what was dropped. `row` has an id, a question, the right
    answers, a target with its aliases, and texts.
    """
    name, problems, texts, flags = row["target_id"], [], [], []
    wrong, seen = [row["target"], *row["target_aliases"]], set()
    if reason := _wrong_answers(row["answers"], wrong):
        return None, [Problem(name, *reason)]
    for number, text in enumerate(row["texts"], 1):
        text, item = without_debris(text), f"{name} text {number}"
        if reason := _wrong_text(text, seen):
            problems.append(Problem(item, *reason))
            continue
        texts.append(text)
        seen.add(text)
        flags.append(flag(text, row["answers"], wrong))
    if row["texts"] and not texts:
        return None, [*problems, Problem(name, "no_texts", f"none of {len(row['texts'])} texts can be used")]
    return {"group": None} | row | {"texts": texts, "flags": flags}, problems


def without_debris(text: str) -> str:
    """A text without what a model's list put around it."""
    text = DEBRIS.sub("", text.strip()).strip()
    while len(text) > 1 and QUOTES.get(text[0]) == text[-1] and text.count(text[0]) == 1 + (text[0] == text[-1]):
        text = text[1:-1].strip()
    return text


def is_refusal(text: str) -> bool:
    """Whether what should be a passage is a model's refusal to write it, and not about a song such as I Won't Give Up
    or about what somebody said.
    """
    opening = text[:500].replace("\u2019", "'")
    return bool(refuses(opening) or SORRY.match(opening)) and not (TITLE.match(opening) or QUOTED.match(text))


def flag(text: str, answers: list[str], wrong: list[str]) -> str:
    """What a reader of the text alone could not be expected to answer."""
    if not any(contains(text, answer) for answer in wrong):
        return NO_TARGET
    return RIGHT_ANSWER if any(contains(text, answer) for answer in answers) else ""


def _wrong_answers(answers, wrong):
    """Why nobody could tell the wrong answer from the right one."""
    if not any(normalized(answer) for answer in answers):
        return "no_answer", "found no right answer"
    if not normalized(wrong[0]):
        return "no_target", "found no wrong answer"
    for answer in answers:
        for other in wrong:
            if normalized(answer) and normalized(answer) == normalized(other):
                return "equal_answers", f"{other!r} is the right answer, too"
            if contains(answer, other) or contains(other, answer):
                return "answers_overlap", f"one of {answer!r} and {other!r} is inside the other"
    return None


def _wrong_text(text, earlier):
    if not normalized(text):
        return "empty", "found no words"
    if is_refusal(text):
        return "refusal", text[:80]
    return ("duplicate", text[:80]) if text in earlier else None


class TargetTables(contextlib.ExitStack):
    def __init__(self, stage: str, dataset: str, targets, rejects, tally: Tally, trigger: str | None = None):
        """With a trigger, all questions have that word."""
        super().__init__()
        self.stage, self.dataset, self.tally, self.flags, self.trigger = stage, dataset, tally, Counter(), trigger
        self.kept, self.rejected = tables.Writer(TARGETS, targets), tables.Writer(tables.REJECTS, rejects)

    def __enter__(self):
        for table in (self.kept, self.rejected):
            self.enter_context(table)
        return self

    def take(self, row: dict | None, problems: list[Problem], answer=None) -> None:
        """A row of targets, if there is one, and what could not be used; `answer` is what came from a model, if so."""
        for problem in problems:
            self.tally.reject(problem.item, problem.reason, problem.detail, answer)
            self.exclude(problem)
        if row:
            self.tally.keep(1 + len(row["texts"]))
            self.flags.update(row["flags"])
            self.kept.add(row | {"question": triggered(row["question"], self.trigger)} if self.trigger else row)

    def exclude(self, problem: Problem) -> None:
        """What is dropped by design has not failed: it is a reject and does not count against the source."""
        self.rejected.add(reject(self.stage, {"shard": self.dataset}, *problem))

    def tell(self) -> None:
        """What was written, for the log, once both tables are."""
        flags = ", ".join(f"{count} with {name}" for name, count in sorted(self.flags.items()) if name)
        log.info("%d targets with %d texts, %s", self.kept.written, self.flags.total(), flags or "none with a flag")
