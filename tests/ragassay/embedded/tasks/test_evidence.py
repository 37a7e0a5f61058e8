"""Evidence that a text goes beyond a document, one kind at a time."""

import pytest

from ragassay.embedded.tasks.evidence import coverage, evidence, kind, nearest, read, unsupported

SUPPORTED = "Mildred Fenn, an engineer from Dray, led the work on the lock."


def found(text, question):
    return evidence(question, read(text))


def test_what_the_document_says_has_no_evidence_against_it(text):
    assert max(found(text, "Captain Orlo Bray steered the first boat through the lock.")) == 0
    assert unsupported(SUPPORTED, read(text)) == 0


@pytest.mark.parametrize(
    ("kind", "claim"),
    [
        ("foreign", "Mildred Fenn led the orchestra on the lock."),
        ("names", "Mildred Fenn met Wilma Tosk at the lock."),
        ("numbers", "The lock is 73 metres long."),
        ("numbers", "The lock opened on 3 June 2025."),
        ("numbers", "The town of Dray paid 61 marks."),
        ("pairs", "Captain Orlo Bray led the oak gates."),
        ("torn", "Captain Orlo Bray led the oak gates."),
        ("run", "The lock hired seven violinists."),
        ("unanswered", "Why did Captain Orlo Bray steer the first boat?"),
    ],
)
def test_each_kind_of_evidence_is_seen(text, kind, claim):
    assert getattr(found(text, claim), kind) > 0


@pytest.mark.parametrize(
    "claim",
    [
        "The lock is 73 metres long.",
        "Wilma Tosk led the work.",
        "The lock carried 900 school museum gates.",
        "Rents fell.",
    ],
)
def test_unsupported_claims(text, claim):
    assert unsupported(claim, read(text)) > 0.3


def test_near_synonyms_and_kin_count_for_less_than_the_word():
    have = read("The movie pleased the administrators.").spread
    assert (
        1 == coverage("movy", have) > coverage("film", have) > coverage("administ", have) > coverage("lock", have) == 0
    )


def test_the_nearest_sentence_comes_first(text):
    share, place = nearest("How long is the lock?", read(text))[0]
    assert read(text).sentences[place].startswith("The lock is 61 metres") and 0 < share <= 1


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many boats came?", "numbers"),
        ("In which year did it open?", "dates"),
        ("When did it open?", "dates"),
        ("Who led it?", "names"),
        ("For what reason did it close?", "reasons"),
        ("What happened?", None),
        ("How did it go?", None),
    ],
)
def test_what_a_question_asks_for(question, expected):
    assert kind(question) == expected


@pytest.mark.parametrize("document", ["", " \n", "...", "The of and."])
def test_an_empty_document_supports_nothing(document):
    assert found(document, "Who led the work in Dray?").foreign == 1
    assert unsupported("Fenn led the work.", read(document)) == 1
    assert max(found(document, "")) <= 1
