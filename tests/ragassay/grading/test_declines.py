"""Answers: asked for, graded by whether they decline, and grounded in passages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.base import tables
from ragassay.grading.asking import answerable
from ragassay.grading.declines import DECLINES, OF_PASSAGES, declines, declines_from_passages, has_hint
from ragassay.grading.grounding import citations, grounding, is_of_document
from ragassay.schemas.corpora import QUERIES
from rows import row


def written(path, *rows):
    tables.write(QUERIES, path, [row(QUERIES, query_id=f"q{at}", text="Why?", **own) for at, own in enumerate(rows)])
    return path


def test_only_queries_with_answers_are_asked(tmp_path):
    rows = [{"answers": ["x"]}, {"answers": []}, {}, {"answers": [" "]}, {"answers": ["", "y"], "passage_id": "p"}]
    path = written(tmp_path / "queries.parquet", *rows, {"answers": ["z"], "relevant": ["p"]})
    assert [query["query_id"] for query in answerable(path)] == ["q0", "q4", "q5"]
    assert [query["query_id"] for query in answerable(path, about_known=True)] == ["q4", "q5"]


DECLINING_WITH_PASSAGES = [
    "The passages provided contain no mention of the toll.",
    "It is not clear from the passages when the ferry will sail.",
    "The context gives no information about the price.",
    "None of the given excerpts mentions a date.",
    "Based on the passages, this cannot be determined.",
    "The question cannot be answered from the passages.",
    "There is nothing in the passages about the mayor's daughter.",
    "Not mentioned in the passages.",
    "The answer is not in the passages.",
    "The answer isn't given in any of the retrieved texts.",
    "I don't have enough information to answer this question.",
    "There is not enough information in the passages to answer.",
    "Unfortunately, the documents don't state which bank lent the money.",
    "The provided passages are about trams and do not address ferries.",
    "Neither passage names the captain.",
    "I could not find the answer in the given texts.",
    "These sources do not contain that figure.",
    "The passages only describe the bridge; they do not give its cost.",
    "I do not know.",
    "It is impossible to tell from the passages.",
    "The passages are silent on this point.",
    "No answer to this can be found in the passages.",
    "Sorry, this is not covered by the passages.",
    "That information is not provided.",
    "The text never says who won.",
    "The passages fail to mention the cost.",
    "The sources offer no answer.",
    "Insufficient information.",
    "There's no mention of the captain's name in the provided text.",
    "The passage doesn\u2019t tell us why she left.",
    "The retrieved passages don\u2019t mention any driver.",
    "That is not stated in the passages.",
    "No passage says when it was built.",
    "I cannot answer this from the given texts.",
    "There is no information in the provided context.",
    "",
]
ANSWERING_WITH_PASSAGES = [
    "The ferry takes 540 people.",
    "No, the toll will not rise before 2028.",
    "The council could not agree on a price, so it asked the Assembly.",
    "None of the three bidders was chosen.",
    "The mayor said that she did not know who had signed the letter.",
    "Neither party got a majority.",
    "He did not answer the question and left the chamber.",
    "The exact number of seals is unknown.",
    "The documents were given to the archive in 2019.",
    "The tram stops at the Sources, near the old mill.",
    'She said, "I will not sell the boat."',
    "The paper that the clerk could not find was in the safe.",
    "It is impossible to cross the bar at low water.",
    "The letter does not name the buyer, said the clerk, who is Tove Hallam.",
    "Tickets are not available before Monday.",
    "The boat passes the pier at noon and none of the islanders pays.",
]
DECLINING_ALONE = [
    "I do not know.",
    "I don't know the answer to that.",
    "I'm not familiar with that festival.",
    "I have no idea.",
    "I can't verify that.",
    "There is no way for me to know this.",
    "I could not find anything about it.",
    "This is not something I know.",
    "My knowledge does not include this event.",
    "Unknown.",
    "I would need more information to answer that.",
    "I\u2019m not sure who won the cup.",
    "As of my last update, no such bridge had been announced.",
    "There is no information available on that.",
    "  ",
]
ANSWERING_ALONE = [
    "No, it is closed on Mondays.",
    "He was best known as the man who knew too much.",
    "Nobody won: the match was abandoned.",
    "They could not afford the rent.",
    "Mayor Orr, who had known nothing of it, signed the contract.",
    "It is known for its 22 trams.",
]


@pytest.mark.parametrize("answer", DECLINING_WITH_PASSAGES)
def test_an_answer_that_finds_nothing_in_passages_declines(answer):
    assert declines_from_passages(answer)


@pytest.mark.parametrize("answer", ANSWERING_WITH_PASSAGES)
def test_an_answer_that_says_what_passages_say_does_not(answer):
    assert not declines_from_passages(answer)


def test_answers_without_passages():
    assert not [answer for answer in DECLINING_ALONE if not declines(answer)]
    assert not [answer for answer in ANSWERING_ALONE if declines(answer)]


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


@given(st.one_of(st.from_regex(DECLINES), st.from_regex(OF_PASSAGES)))
def test_whatever_declines_has_a_hint(answer):
    assert has_hint(answer)
