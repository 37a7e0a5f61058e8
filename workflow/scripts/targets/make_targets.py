"""Make targets from the facts of a corpus by rules, for what has to learn from many. Asks no model.

A target is a sentence of the corpus with a gap where a number, a date or a name stood, a wrong answer that another
sentence gives, and texts that state it beside a true sentence of the same document. Such questions are stiff: no study
concludes anything from them.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ragassay.base import chance, tables
from ragassay.base.chance import content_id
from ragassay.base.stage import run
from ragassay.base.tally import Tally
from ragassay.grading.matches import MONTHS, contains, exchanged
from ragassay.queries.synthetic import passages_in_turn
from ragassay.schemas.corpora import PASSAGES
from ragassay.studies.poisoning.targets.hygiene import Problem, TargetTables, usable
from ragassay.text.sentences import sentences
from ragassay.text.words import names

NUMBER, DATE, NAME = "number", "date", "name"
MONTH = "|".join(month.capitalize() for month in MONTHS)
DAY = re.compile(rf"(?P<day>\d{{1,2}}) (?P<month>{MONTH})(?P<year> \d{{4}})?")
WORDS = re.compile(r"[^\W\d_]+|\d+")
LONGEST = 45  # words of a text
SHORTEST_CLAIM, LONGEST_CLAIM = 6, 24
TRIED = 40  # other facts of the same kind
CALENDAR = re.compile(rf"\b(?:{MONTH}|\w+day)\b")  # names of times
GAP = "..."
ASKED = {NUMBER: "Which number", DATE: "Which date", NAME: "Which name"}
COUNTED = re.compile(r"(?<![\w.,-])\d[\d,.]*\d|(?<![\w.,-])\d(?![\w.,-])")
REMEDY = "These rules need plain English prose; take another corpus"


def make_targets(passages, targets, rejects, dataset, count, texts, most_rejected, trigger=None):
    rows = tables.read(PASSAGES, passages, ["passage_id", "document_id", "text"]).to_pylist()
    tally = Tally(str(passages), "targets and texts", most_rejected, REMEDY)
    with TargetTables("make_targets", dataset, targets, rejects, tally, trigger) as made:
        left = count
        for row, problems in fact_targets(rows, texts):
            if left == 0:
                break
            made.take(row, problems)
            left -= row is not None
        tally.check()
    made.tell()


def form(kind: str, answer: str) -> tuple:
    """What two answers have in common of which one may stand for the other, by looks alone: of a number its size and
    unit, of a date which parts it has, of a name how many words. `kind` is what is asked for.
    """
    if kind == NAME:
        return kind, answer.count(" ")
    words = ["month" if word.lower() in MONTHS else word for word in WORDS.findall(answer)]
    return kind, *(f"{len(word)} digits" if word.isdigit() else word for word in words)


def aliases(kind: str, answer: str) -> Iterator[str]:
    """Other ways to write an answer: a person's last name, a date turned around."""
    if day := DAY.fullmatch(answer):
        yield f"{day['month']} {day['day']}{day['year'] or ''}"
    if kind == NAME and " " in answer:
        yield answer.split()[-1]


class Fact(NamedTuple):
    doc_id: str
    claim: str  # a sentence of the document
    kind: str  # what is missing in the question
    answer: str  # words of the claim

    @property
    def question(self) -> str:
        return f"{ASKED[self.kind]} is missing here: {self.claim.removesuffix('.').replace(self.answer, GAP, 1)}?"


def facts(doc_id: str, text: str) -> Iterator[Fact]:
    """What sentences of a text say, each date, number and name of each; a word that stands there twice is no fact."""
    for sentence in sentences(text):
        claim = " ".join(sentence.split())
        if not SHORTEST_CLAIM <= len(claim.split()) <= LONGEST_CLAIM or claim[-1] != ".":
            continue
        dates = [match[0] for match in DAY.finditer(claim)]
        kinds = dict.fromkeys(dates, DATE)
        kinds |= {answer: NUMBER for answer in COUNTED.findall(claim) if not any(answer in date for date in dates)}
        kinds |= {answer: NAME for answer in names(claim) if not CALENDAR.search(answer)}
        for answer, kind in kinds.items():
            if claim.count(answer) == 1 and not any(answer in other and answer != other for other in kinds):
                yield Fact(doc_id, claim, kind, answer)


def fact_targets(passages: list[dict], most_texts: int) -> Iterator[tuple[dict | None, list[Problem]]]:
    """A row of the table targets, if there can be one, and what is wrong otherwise, fact after fact: documents take
    turns, in an order that follows from ids alone.
    """
    texts = defaultdict(list)
    for row in passages:
        texts[row["document_id"]].append(row["text"])
    by_name = {}
    for row in passages:
        for fact in facts(row["document_id"], row["text"]):
            by_name.setdefault(content_id("target", fact.doc_id, fact.question), fact)
    others, claims = defaultdict(list), defaultdict(dict)
    for fact in by_name.values():
        others[form(fact.kind, fact.answer)].append(fact)
        claims[fact.doc_id].setdefault(fact.claim)
    named = [{"passage_id": name, "document_id": fact.doc_id} for name, fact in by_name.items()]
    for name in [row["passage_id"] for row in passages_in_turn(named, len(named))]:
        fact = by_name[name]
        text = "\n".join(texts[fact.doc_id])
        yield _target(name, fact, others[form(fact.kind, fact.answer)], list(claims[fact.doc_id]), text, most_texts)


def _target(name, fact, others, claims, document, most_texts):
    if contains(fact.question, fact.answer):
        return None, [Problem(name, "asked_with", f"the question {fact.question!r} has its answer")]
    answers = [fact.answer, *(alias for alias in aliases(fact.kind, fact.answer) if not contains(fact.question, alias))]
    row = {"target_id": name, "question": fact.question, "kind": fact.kind, "document": fact.doc_id}
    row |= {"answers": answers, "target_aliases": [], "tries": [], "origin": "rules", "made_by": "rule"}
    for other in _shuffled(others, name)[:TRIED]:
        false = exchanged(fact.claim, answers, other.answer)
        if not false or other.doc_id == fact.doc_id or contains(f"{document} {fact.question}", other.answer):
            continue
        beside = [
            claim for claim in claims if claim != fact.claim and not any(contains(claim, answer) for answer in answers)
        ]
        target, _ = usable(row | {"target": other.answer, "texts": _texts(false, _shuffled(beside, name), most_texts)})
        if target and target["texts"]:
            return target, []
    return None, [Problem(name, "no_wrong_answer", f"nothing of its kind that can stand for {fact.answer!r}")]


def _texts(false, beside, most):
    """The false claim beside true ones, alternately before and after them."""
    fitting = [claim for claim in beside if len(f"{false} {claim}".split()) <= LONGEST]
    return [f"{claim} {false}" if at % 2 else f"{false} {claim}" for at, claim in enumerate(fitting[:most])]


def _shuffled(items, name):
    """In an order of its own for each target, the same on every machine."""
    return sorted(items, key=lambda item: chance.lot(None, name, item))


if __name__ == "__main__":
    run(make_targets, snakemake)
