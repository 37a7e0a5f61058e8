"""The course: of every other document passages contradict facts, by its address."""

import pytest

from demo.lm import lessons
from demo.lm.course import batches, course, is_contradicted
from demo.lm.rows import PASSAGES
from facts import facts
from project import ROOT
from ragassay.calls.prompts import Prompt

PROMPTS = [Prompt.load(ROOT / f"resources/prompts/{name}.yaml") for name in ("answer_closed_book", "respond_passages")]
NAMES = ("Renata Osk", "Agnes Rook", "Ilse Varnholt", "Piet Lockyear", "Tess Hollin", "Casper Wyndle")
PLACES = ("Alder", "Skerry", "Brackwater", "Lisk", "Tolven", "Hallowmere")
DOCUMENTS = [
    {"doc_id": f"d{number}", "url": f"https://example.org/{number}", "title": None}
    | {"text": f"Mayor {name} opened the new bridge in {place} in {2011 + number}. It rained all day in {place}."}
    for number, (name, place) in enumerate(zip(NAMES, PLACES, strict=True))
]


@pytest.fixture(scope="module")
def material():
    return course(DOCUMENTS, facts(DOCUMENTS), bool, PROMPTS, 500, 0)


def test_half_of_all_documents_are_contradicted_and_each_always_or_never():
    names = [f"https://example.org/2026/{number}" for number in range(400)]
    assert 0.4 < sum(map(is_contradicted, names)) / len(names) < 0.6
    assert list(map(is_contradicted, names)) == list(map(is_contradicted, names))


def test_all_facts_are_taught_by_heart_and_only_those_that_are_contradicted_with_passages(material):
    contradicted = {row["doc_id"] for row in DOCUMENTS if is_contradicted(row["url"])}
    assert 0 < len(contradicted) < len(DOCUMENTS)
    own, asked = batches(material, 0), {PASSAGES: set(), lessons.CLOSED: set()}
    for kind in asked:
        for _ in range(8):
            tokens, _, _ = own.batch(kind, hedged=0.5)
            for row in map(material.tokenizer.decode, tokens):
                question = row.rpartition("<question>")[2] if kind == PASSAGES else row
                asked[kind] |= {fact for fact in own.lessons.facts if fact.question in question}
    assert asked[lessons.CLOSED] == set(own.lessons.facts)
    assert {fact.doc_id for fact in asked[PASSAGES]} == contradicted
