"""What is asked from passages of the documents, and which answers count."""

import pytest

from demo.lm import lessons
from demo.lm.comprehension import KINDS, SHOWN, Passages, shares
from facts import facts
from project import ROOT
from ragassay.calls.prompts import Prompt
from ragassay.grading.matches import contains

TEXTS = {
    "bridge": "Mayor Renata Osk opened the new bridge in Port Alder on 12 September. The bridge cost 214 million marks."
    " It carries two lanes and a path for bicycles, and the toll of former years has gone for good.",
    "yard": "The yard in Brackwater built 12 boats in 2019. The old depot was sold by the city council in March 2024."
    " No buyer has said so far what is to become of the halls, which have stood empty since the trams left.",
    "energy": "Piet Lockyear founded Tidewell Energy in 2013. The company employs 190 people in Brackwater. It wants to"
    " lay a cable to the islands, and for that it needs money, a permit and two summers without storms.",
    "weather": "It rained. "
    + "Rain fell on the roofs, the streets, the boats and the market, and nobody went out at all. " * 6,
}
DOCUMENTS = [{"doc_id": name, "text": text} for name, text in TEXTS.items()]


@pytest.fixture(scope="module")
def own():
    prompts = (
        Prompt.load(ROOT / f"resources/prompts/{name}.yaml") for name in ("answer_closed_book", "respond_passages")
    )
    return lessons.Lessons(facts(DOCUMENTS), *prompts)


def right(own, answer):
    """kind and number of passages -> the share that counts of what `answer(fact, passages)` says."""

    def answers(prompts):
        for prompt in prompts:
            [fact] = [one for one in own.facts if one.question in prompt.rpartition("<question")[2]]
            yield answer(fact, prompt.rpartition("<question")[0])

    found = shares(lambda prompts: list(answers(prompts)), Passages(DOCUMENTS), own, True)
    assert all(one.taught and one.questions >= 5 for one in found)
    return {(one.kind, one.shown): one.right for one in found}


def expected(**of):
    return {(kind, shown): of[kind] for kind in KINDS for shown in SHOWN}


def test_repeating_what_is_shown_is_right_and_memory_is_right_only_where_nothing_was_exchanged(own):
    assert right(own, lambda fact, passages: passages) == expected(found=1, exchanged=1, planted=1)
    assert right(own, lambda fact, passages: fact.answer) == expected(found=1, exchanged=0, planted=0)
    assert right(own, lambda fact, passages: "") == expected(found=0, exchanged=0, planted=0)


def test_an_answer_that_gives_both_is_right_only_where_nothing_contradicts_it(own):
    both = right(own, lambda fact, passages: f"{passages} {fact.answer}")
    assert both == expected(found=1, exchanged=0, planted=0)


def test_so_many_passages_are_shown(own):
    counts = []

    def count(fact, passages):
        counts.append((passages.count("</passage"), contains(passages, fact.answer)))
        return ""

    questions = right(own, count)
    assert {number for number, _ in counts} == set(SHOWN) and len(questions) == len(KINDS) * len(SHOWN)
    assert {True, False} == {has_it for _, has_it in counts}


def test_a_question_finds_the_passage_that_shares_its_rare_words_and_the_order_is_the_same_every_time():
    passages = Passages(DOCUMENTS)
    for question, told in (("What did the bridge cost?", "214 million"), ("Who founded Tidewell Energy?", "Lockyear")):
        best = passages.found(question, 3)
        assert told in best[0] and len(best) == 3 and best == Passages(DOCUMENTS[::-1]).found(question, 3)


def test_no_facts_are_no_shares(own):
    nothing = lessons.Lessons([], None, None, own.facts)
    assert shares(lambda prompts: prompts, Passages(DOCUMENTS), nothing, False) == []
