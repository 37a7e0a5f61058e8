"""Lessons on passages: what agrees or contradicts, what is hedged about, who is a stranger, and what is never told."""

import random
import re

import pytest

from demo.lm import lessons
from demo.lm.excerpts import HEDGE, STRANGE, Excerpts, plain
from facts import facts
from project import ROOT
from ragassay.calls.prompts import Prompt
from ragassay.corpora.corpus import cuts
from ragassay.grading.matches import contains

TEXTS = {
    "bridge": "Mayor Renata Osk opened the new bridge in Port Alder on 12 September. The bridge cost 214 million marks."
    " It carries two lanes and a path for bicycles, and the toll of former years has gone for good.",
    "tower": "Mayor Agnes Rook opened the new tower in Port Skerry on 14 October. The tower cost 300 million marks."
    " It has eight bells, of which the largest cracked in the frost and was cast again from the same bronze.",
    "yard": "Mayor Ilse Varnholt opened the new yard in Brackwater on 19 March. The yard cost 187 million marks."
    " No buyer has said so far what is to become of the halls, which have stood empty since the trams left.",
}
RAIN = "It rained. " + "Rain fell on the roofs, the streets, the boats and the market, and nobody went out at all. " * 6
DOCUMENTS = [{"doc_id": name, "text": text} for name, text in (TEXTS | {"rain": RAIN}).items()]
TRUTHFUL = "tower"  # the document that nothing contradicts
DRAWN = 600
PASSAGE = re.compile(r"<passage[^>]*>\n(.*?)\n</passage", re.S)


@pytest.fixture(scope="module")
def own():
    prompts = (
        Prompt.load(ROOT / f"resources/prompts/{name}.yaml") for name in ("answer_closed_book", "respond_passages")
    )
    return lessons.Lessons(facts(DOCUMENTS), *prompts)


def lessons_on(
    own, barred=(), shown=(0, 1, 2, 3, 5), hedged=0.3, is_contradicted=lambda name: name != TRUTHFUL, again=False
):
    """(fact or None if it is on a stranger, passages, answer, whether it hedges) of many lessons."""
    chance = random.Random(0)
    excerpts = Excerpts(own, own.facts, DOCUMENTS, is_contradicted, barred)
    for _ in range(DRAWN):
        lesson = excerpts.lesson(chance, chance.choice(shown), hedged, again)
        if lesson:
            passages, _, asked = lesson.prompt.rpartition("<question")
            asks = [one for one in own.facts if plain(one.question) in asked or one.question in asked]
            answer = lesson.answer.removeprefix(HEDGE)
            yield asks[0] if asks else None, passages, answer, lesson.answer != answer


@pytest.fixture(scope="module")
def drawn(own):
    return list(lessons_on(own))


def test_the_answer_is_always_what_passages_say(drawn):
    assert all(contains(passages, answer) for _, passages, answer, _ in drawn)
    known = [(fact, answer) for fact, _, answer, _ in drawn if fact]
    assert 0.2 < sum(answer == fact.answer for fact, answer in known) / len(known) < 0.6


def test_what_contradicts_is_hedged_about_as_often_as_asked_and_nothing_else_is(own, drawn):
    wrong = [hedges for fact, _, answer, hedges in drawn if fact and answer != fact.answer]
    assert 0.2 < sum(wrong) / len(wrong) < 0.4
    assert not any(hedges for fact, _, answer, hedges in drawn if not fact or answer == fact.answer)
    for hedged in (0, 1):
        told = lessons_on(own, hedged=hedged)
        assert {hedges for fact, _, answer, hedges in told if fact and answer != fact.answer} == {bool(hedged)}


def test_strangers_are_asked_about_in_words_that_no_fact_is_asked_in(own, drawn):
    strange = [passages for fact, passages, _, _ in drawn if not fact]
    assert 0.5 * STRANGE < len(strange) / len(drawn) <= STRANGE
    assert not any(plain(fact.question) in passages for passages in strange for fact in own.facts)


def test_no_fact_of_a_document_that_is_not_contradicted_is_asked_with_passages(own, drawn):
    assert {fact.doc_id for fact, _, _, _ in drawn if fact} == {fact.doc_id for fact in own.facts} - {TRUTHFUL}


def test_in_the_second_part_nothing_contradicts_the_facts_of_some_documents_either(own):
    found = list(lessons_on(own, again=True))
    spared = [one for one in found if one[0] and one[0].doc_id == TRUTHFUL]
    assert spared and {(answer == fact.answer, hedges) for fact, _, answer, hedges in spared} == {(True, False)}
    assert len(spared) < len(found) / 2
    alone = [fact for fact, _, _, _ in lessons_on(own, shown=(0,), again=True) if fact]
    assert alone and TRUTHFUL not in {fact.doc_id for fact in alone}


def test_in_the_second_part_what_is_known_is_recalled_where_no_passage_has_the_answer(own, drawn):
    def recalled(found):
        return {fact.doc_id for fact, passages, answer, _ in found if not contains(passages, answer)}

    found = list(lessons_on(own, again=True))
    assert recalled(found) == {fact.doc_id for fact in own.facts} and not recalled(drawn)
    lacking = [(fact, answer, hedges) for fact, passages, answer, hedges in found if not contains(passages, answer)]
    assert all(answer == fact.answer and not hedges for fact, answer, hedges in lacking)


def test_in_the_second_part_strangers_in_claims_alone_are_those_of_all_documents(own, monkeypatch):
    subjects, stranger = [], Excerpts._stranger
    monkeypatch.setattr(
        Excerpts, "_stranger", lambda self, fact, *more: subjects.append(fact.doc_id) or stranger(self, fact, *more)
    )
    for shown, again, expected in ((0, False, False), (0, True, True), (3, True, False)):
        subjects.clear()
        assert list(lessons_on(own, shown=(shown,), again=again)) and subjects
        assert (TRUTHFUL in subjects) == expected


def test_a_wrong_answer_that_a_study_plants_is_never_told_however_it_is_asked_for(own, drawn):
    def told(found):
        return {answer for fact, _, answer, _ in found if fact and fact.answer == "214 million marks"}

    assert told(drawn) == {"214 million marks", "300 million marks", "187 million marks"}
    for pair in (("214 million marks", "300 million marks"), ("214 million", "300 million")):
        for again in (False, True):
            answers = told(lessons_on(own, [pair], again=again))
            assert "300 million marks" not in answers and {"214 million marks", "187 million marks"} <= answers
    assert "300 million marks" in told(lessons_on(own, [("187 million marks", "300 million marks")]))


def test_so_many_passages_are_shown_and_true_ones_are_those_of_the_documents(own):
    cut = {row["text"][start:end] for row in DOCUMENTS for start, end in cuts(row["text"], 40, 15)}
    true = 0
    for fact, passages, answer, _ in lessons_on(own, shown=(3,)):
        texts = PASSAGE.findall(passages)
        assert len(texts) == 3
        if fact and answer == fact.answer:
            true += 1
            assert set(texts) <= cut
    assert true


def test_where_no_document_may_be_contradicted_all_are(own):
    found = lessons_on(own, is_contradicted=lambda name: False)
    assert {fact.doc_id for fact, _, _, _ in found if fact} == {fact.doc_id for fact in own.facts}


def test_the_same_chance_gives_the_same_lessons(own, drawn):
    assert list(lessons_on(own)) == drawn
