"""Batches: what each kind shows the model, and what it has to predict."""

import pytest

from demo.lm import lessons
from demo.lm.excerpts import HEDGE, Excerpts
from demo.lm.rows import COPIES, PASSAGES, PIECES, PROSE, Batches
from demo.lm.tokens import BEGIN, END, trained
from facts import facts
from project import ROOT
from ragassay.calls.prompts import Prompt

TEXTS = [
    "Bread in Alder\n\nMayor Renata Osk opened the bridge in 2011. The bridge cost 214 million marks.",
    "Piet Lockyear founded Tidewell Energy in 2013. The company employs 190 people in Brackwater. " * 12,
]
DOCUMENTS = [{"doc_id": str(number), "text": text} for number, text in enumerate(TEXTS)]


def excerpts(own):
    return Excerpts(own, own.facts, DOCUMENTS, lambda name: name == "0", ())


@pytest.fixture(scope="module")
def tokenizer():
    return trained(TEXTS, 500, 512)


@pytest.fixture
def batches(tokenizer):
    def made(seed=0):
        prompts = (
            Prompt.load(ROOT / f"resources/prompts/{name}.yaml") for name in ("answer_closed_book", "respond_passages")
        )
        own = lessons.Lessons(facts(DOCUMENTS), *prompts)
        return Batches(tokenizer, own, excerpts(own), TEXTS, seed)

    return made


def rows(tokenizer, batch):
    """What is given and what is to be predicted, as texts."""
    tokens, mask, told = batch
    for row, real, asked in zip(tokens, mask.bool(), told, strict=True):
        assert not asked[~real].any()
        yield tokenizer.decode(row[real & ~asked]), tokenizer.decode(row[asked])


def test_prose_begins_with_a_sentence_and_ends_with_the_text_at_the_latest(tokenizer, batches):
    own, lengths, ended = batches(), set(), 0
    for _ in range(40):
        batch = own.batch(PROSE)
        lengths.add(len(batch[0]))
        for given, told in rows(tokenizer, batch):
            assert given == BEGIN
            piece, ended = told.removesuffix(END), ended + told.endswith(END)
            assert any(piece in text and text.index(piece) in starts(text) for text in TEXTS), piece
            assert piece[:1].isupper()
    assert lengths == {384 // length for length in PIECES} and ended


def starts(text):
    return {0} | {place + 2 for place in range(len(text)) if text[place : place + 2] in (". ", "\n\n")}


def test_of_lessons_the_answer_alone_is_told_and_none_hedges_unless_asked_to(tokenizer, batches):
    own = batches()
    right = {fact.answer.lower() for fact in own.lessons.facts}
    for kind, hedged in ((lessons.CLOSED, 1.0), (PASSAGES, 0.0), (PASSAGES, 1.0)):
        hedges = []
        for _ in range(12):
            for given, told in rows(tokenizer, own.batch(kind, hedged=hedged)):
                answer = told.removesuffix(END).strip()
                assert given.startswith(BEGIN) and given.endswith("Answer:") and told.endswith(END)
                assert kind == PASSAGES or answer.lower() in right
                hedges.append(answer.startswith(HEDGE.strip()))
        assert any(hedges[len(hedges) // 2 :]) == (kind == PASSAGES and hedged > 0)


def test_copies_are_told_from_the_second_time_on(batches):
    tokens, _, told = batches().batch(COPIES)
    for row, asked in zip(tokens.tolist(), told.tolist(), strict=True):
        start = asked.index(True)
        assert all(row[place] == row[place - (start - 1)] for place in range(start - 1, len(row)))


def test_passages_stand_alone_if_they_are_to(tokenizer, batches):
    own = batches()
    alone, beside = (
        {given.count("<passage>") for _ in range(20) for given, _ in rows(tokenizer, own.batch(PASSAGES, alone=way))}
        for way in (True, False)
    )
    assert alone == {1} and beside == {1, 2, 3, 4, 5}


def test_one_seed_is_one_sequence(batches):
    kinds = (COPIES, PROSE, PASSAGES, lessons.CLOSED, PROSE)
    first, second, third = (
        [own.batch(kind)[0].tolist() for kind in kinds] for own in (batches(), batches(), batches(1))
    )
    assert first == second != third
