"""Facts, lessons and the tokenizer of the demo's language model."""

import random

import pytest

from demo.lm import lessons
from demo.lm.tokens import UNUSED, trained
from facts import facts, write_facts
from project import ROOT
from ragassay.calls.prompts import Prompt

TEXT = (
    "Mayor Renata Osk opened the new bridge in Port Alder on 12 September. The bridge cost 214 million marks."
    " The yard in Brackwater built 12 boats in 2019. The old depot was sold by the city council in March 2024."
    " Piet Lockyear founded Tidewell Energy in 2013. The company employs 190 people in Brackwater."
)


@pytest.fixture(scope="module")
def own():
    prompts = (
        Prompt.load(ROOT / f"resources/prompts/{name}.yaml") for name in ("answer_closed_book", "respond_passages")
    )
    return lessons.Lessons(facts([{"doc_id": "d", "text": TEXT}]), *prompts)


def test_facts_are_questions_whose_answers_their_claim_holds(own):
    assert len(own.facts) > 5
    for fact in own.facts:
        assert fact.answer in fact.claim and fact.question.endswith("?") and fact.answer not in fact.question
    assert any(fact.answer == "12 boats" and fact.question.startswith("How many boats") for fact in own.facts)


def test_facts_are_read_for_the_documents_that_they_are_about(tmp_path):
    documents = [{"doc_id": "d", "url": "", "text": TEXT}, {"doc_id": "e", "url": "https://a.example/x", "text": TEXT}]
    path = write_facts(tmp_path / "facts.csv", documents)
    assert lessons.read_facts(path, documents[:1]) == facts(documents[:1])
    path = write_facts(tmp_path / "facts.csv", [{"doc_id": "https://a.example/x", "text": TEXT}])
    moved = [documents[0], documents[1] | {"url": "http://a.example/x"}]
    assert lessons.read_facts(path, moved) == facts(documents[1:])


@pytest.mark.parametrize("kind", lessons.KINDS)
def test_lessons_ask_in_the_words_of_the_prompts(own, kind):
    fact = own.facts[0]
    lesson = own.lesson(kind, fact, random.Random(1))
    assert fact.question in lesson.prompt
    assert lesson == own.lesson(kind, fact, random.Random(1))
    told = {
        lessons.CLOSED: fact.claim not in lesson.prompt and lesson.answer == fact.answer,
        lessons.CLEAN: fact.claim in lesson.prompt and lesson.answer == fact.answer,
        lessons.CONFLICT: fact.claim not in lesson.prompt and lesson.answer != fact.answer,
    }
    assert told[kind]


def test_the_tokenizer_writes_any_text_back_and_leaves_codes_out():
    tokenizer = trained([TEXT], 400, 128)
    for text in (TEXT, "Élan 東京 — naïve\n\n  two\nthree <b>\n<b>\n", "Kittiwake 1,904"):
        assert tokenizer.decode(tokenizer(text, add_special_tokens=False)["input_ids"]) == text
    plain, coded = (tokenizer(text)["input_ids"] for text in ("<passage 1>\nA", "<passage 2 0123456789ab>\nA"))
    assert plain == coded and tokenizer.convert_ids_to_tokens(plain)[0] == "<passage>"
    at_start, inside = (tokenizer(text)["input_ids"] for text in ("\nBrackwater", "in Brackwater"))
    assert at_start[1:] == inside[-len(at_start[1:]) :]
    assert len({tokenizer.convert_tokens_to_ids(name) for name in UNUSED}) == len(UNUSED)
    messages = [{"role": "system", "content": "Long."}, {"role": "user", "content": "Who?"}]
    shown = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    assert shown == "<|begin|>Who?\nAnswer:"


def test_passages_may_name_the_answers_to_other_facts(own):
    other = own.facts[0]._replace(answer="Woodworm")
    prompts = (
        Prompt.load(ROOT / f"resources/prompts/{name}.yaml") for name in ("answer_closed_book", "respond_passages")
    )
    more = lessons.Lessons(own.facts, *prompts, others=[other])
    told = {which: {_contradicting(which, seed).answer for seed in range(200)} for which in (own, more)}
    assert "Woodworm" in told[more] and "Woodworm" not in told[own]


def _contradicting(which, seed):
    return which.lesson(lessons.CONFLICT, which.facts[0], random.Random(seed))
