"""Whether passages bear an answer out, by words: cases that a reader has decided."""

import pytest

from ragassay.grading.grounding import citations, grounding, is_of_document

HARBOUR = "The harbour of Pell opened in 1931 after nine years of work, and cost 4,000 marks."
QUESTION = "When did the harbour open?"


def passages(*texts):
    return [{"text": text, "id": f"p-{n}", "source": f"file{n}.txt"} for n, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("answer", "supported"),
    [
        ("The harbour opened in 1931.", True),
        ("It opened in 1931, after nine years of work [1].", True),
        ("The harbour opened in 1932.", False),  # a number that the passage does not have
        ("The harbour opened in 1931, said Maren Tolk.", False),  # nor this name
        ("It cost four thousand marks.", True),
        ("Fishing boats landed herring at dawn.", False),
        ("The harbour did open.", None),  # says nothing beyond the question
    ],
)
def test_an_answer_stands_in_the_passages_or_not(answer, supported):
    assert grounding(answer, QUESTION, passages(HARBOUR, "Fog lay over the town.")).supported is supported


def test_support_is_the_share_of_added_words():
    support, supported = grounding("It opened on a stormy night.", "Did it?", passages("It opened at night."))
    assert support == pytest.approx(2 / 3) and supported is False  # opened, night; stormy


def test_without_passages_nothing_is_supported():
    assert grounding("It opened in 1931.", QUESTION, []) == (0.0, False)


DOCUMENT = {
    "doc_id": "doc-1",
    "source_id": "harbour",
    "url": "https://a.example/1",
    "text": f"{HARBOUR} Fog lay over it.",
}


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        ({"text": "the HARBOUR of Pell opened in 1931 after nine years", "id": None, "source": None}, True),
        ({"text": "Fog lay", "id": None, "source": None}, True),
        ({"text": "The harbour of Orne closed in 1931 after a fire there", "id": None, "source": None}, False),
        ({"text": "something else", "id": "harbour", "source": None}, True),
        ({"text": "something else", "id": "2", "source": "https://a.example/1"}, True),
        ({"text": "", "id": None, "source": None}, False),
    ],
)
def test_a_passage_is_of_the_document_by_its_words_or_its_place(passage, expected):
    assert is_of_document(passage, DOCUMENT) is expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("In 1931 [1].", [True]),
        ("In 1931 [1, 3].", [True, False]),
        ("In 1931 [0].", [False]),
        ("In 1931 [Passage 2].", [True]),
        ("In 1931 [p-2] [p-9].", [True, False]),
        ("In 1931 (source: file1.txt).", [True]),
        ("In 1931 (source: other.txt).", [False]),
        ("In 1931, see https://b.example/x.", [False]),
        ("In 1931 [sic], they said.", []),
        ("In 1931 (the year of the flood).", []),
    ],
)
def test_a_citation_is_of_what_was_given_or_not(answer, expected):
    assert citations(answer, passages(HARBOUR, "Fog.")) == expected


def test_an_address_that_a_passage_names_was_given():
    assert citations("See https://b.example/x.", passages("More at https://b.example/x today.")) == [True]
    assert citations("See https://b.example/x#part.", [{"text": "", "id": None, "source": "https://b.example/x"}]) == [
        True
    ]
