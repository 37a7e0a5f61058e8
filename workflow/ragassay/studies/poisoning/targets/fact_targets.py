"""Targets made by rules from the facts that a corpus tells (see `ragassay.demo_lm.lessons`): a fact's question and
answer, a wrong answer that another fact of the same kind gives, and texts that state it.

A text is the fact's claim with the answer exchanged and, before or behind it, another claim of the same document,
which is true. So texts read like the corpus, and all of one target repeat the same false claim. Questions are as stiff
as the rules that write them: these targets are for what has to learn from many, not for what a study concludes.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator

from ragassay.demo_lm.lessons import Fact, facts
from ragassay.documents.ids import content_id
from ragassay.embedded.english.clauses import lowered
from ragassay.grading.matches import contains, exchanged
from ragassay.queries.synthetic import passages_in_turn
from ragassay.studies.poisoning.targets.hygiene import Problem, usable
from ragassay.studies.poisoning.targets.wrong_answers import aliases, by_form, form, wrong_answer

LONGEST = 45  # words of a text
TRIED = 40  # other facts of the same kind


def fact_targets(passages: list[dict], most_texts: int) -> Iterator[tuple[dict | None, list[Problem]]]:
    """A row of the table targets, if there can be one, and what is wrong otherwise, fact after fact: documents take
    turns, in an order that follows from ids alone.
    """
    told = defaultdict(list)
    for row in passages:
        told[row["document_id"]].append(row["text"])
    known = _asked_once(facts([{"doc_id": row["document_id"], "text": row["text"]} for row in passages]))
    others, claims = by_form(known.values()), defaultdict(dict)
    for fact in known.values():
        claims[fact.doc_id].setdefault(fact.claim)
    named = [{"passage_id": name, "document_id": fact.doc_id} for name, fact in known.items()]
    for name in [row["passage_id"] for row in passages_in_turn(named, len(named))]:
        fact = known[name]
        text = "\n".join(told[fact.doc_id])
        yield _target(name, fact, others[form(fact.kind, fact.answer)], list(claims[fact.doc_id]), text, most_texts)


def _asked_once(found: list[Fact]) -> dict[str, Fact]:
    """id -> fact: of the questions for one part of a claim the shortest, and each question once."""
    shortest, once = {}, {}
    for fact in found:
        fact = fact._replace(question=f"{fact.question.partition(' ,')[0].rstrip('?')}?")
        key = (fact.claim, fact.answer)
        shortest[key] = min(shortest.get(key, fact), fact, key=lambda one: len(one.question))
    for fact in shortest.values():
        once.setdefault(content_id("target", fact.doc_id, fact.question), fact)
    return once


def _target(name, fact, others, claims, document, most_texts):
    if contains(fact.question, fact.answer):
        return None, [Problem(name, "asked_with", f"the question {fact.question!r} has its answer")]
    also = [one for one in aliases(fact.kind, fact.answer) if not contains(fact.question, one)]
    answers = [lowered(fact.answer), *also]
    row = {"target_id": name, "question": fact.question, "kind": _asks(fact), "document": fact.doc_id}
    row |= {"answers": answers, "target_aliases": [], "tries": [], "origin": "rules", "made_by": "rule"}
    for other in _shuffled(others, name)[:TRIED]:
        wrong = wrong_answer(fact.kind, fact.answer, other.answer)
        false = exchanged(fact.claim, answers, wrong)
        if not false or other.doc_id == fact.doc_id or contains(f"{document} {fact.question}", wrong):
            continue
        beside = [claim for claim in claims if claim != fact.claim and not any(contains(claim, one) for one in answers)]
        found, _ = usable(row | {"target": wrong, "texts": _texts(false, _shuffled(beside, name), most_texts)})
        if found and found["texts"]:
            return found, []
    return None, [Problem(name, "no_wrong_answer", f"nothing of its kind that can stand for {fact.answer!r}")]


def _asks(fact):
    """Of what stands in a sentence as its subject, the question's first word says more."""
    return fact.question.split()[0].lower() if fact.kind == "subject" else fact.kind


def _texts(false, beside, most):
    """The false claim beside true ones, alternately before and after them."""
    fitting = [claim for claim in beside if len(f"{false} {claim}".split()) <= LONGEST]
    return [f"{claim} {false}" if at % 2 else f"{false} {claim}" for at, claim in enumerate(fitting[:most])]


def _shuffled(items, name):
    """In an order of its own for each target, the same on every machine."""
    return sorted(items, key=lambda item: hashlib.sha256(f"{name} {item}".encode()).digest())
