"""Names, numbers and dates, by looks."""

import pytest

from ragassay.embedded.english.facts import dates, facts, inner_capitals, names, numbers, person


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Mildred Fenn led the work in Dray.", ["Mildred Fenn", "Dray"]),
        ("The town of Dray paid Norrell & Pike.", ["Dray", "Norrell & Pike"]),
        ("In May the Bank of Osse met J. R. Hale on Monday.", ["Bank of Osse", "J. R. Hale"]),
        ("Prices rose.", []),
        ("Nobody came on Sundays.", []),
        ("Dray's mayor saw Fenn's plan.", ["Fenn"]),
        ("", []),
    ],
)
def test_names(sentence, expected):
    assert names(sentence) == expected


def test_a_word_at_the_start_counts_if_the_text_has_it_inside():
    assert names("Fenn left.") == []
    assert names("Fenn left.", inner_capitals("She asked Fenn. It rained.")) == ["Fenn"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It cost 2.4 million marks for 61 metres.", ["2.4 million marks", "61 metres"]),
        ("On 3 May 2025 about 900 boats came.", ["900 boats"]),
        ("Two banks paid 12 per cent.", ["Two banks", "12 per cent"]),
        ("A version 2.0.1 of it", ["2.0.1 of"]),
    ],
)
def test_numbers_come_with_the_word_behind_and_without_dates(sentence, expected):
    assert numbers(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("On 3 May 2025 and in June 2026, on Monday.", ["3 May 2025", "June 2026", "Monday"]),
        ("It was 1998 or March 3, 2001.", ["1998", "March 3, 2001"]),
        ("It may rain 2,025 times.", []),
    ],
)
def test_dates(sentence, expected):
    assert dates(sentence) == expected


def test_facts_are_all_three():
    assert facts("Mildred Fenn paid 5 marks in June.") == (("Mildred Fenn",), ("5 marks",), ("June",))


@pytest.mark.parametrize("name", ["Mildred Fenn", "The engineer", "Wren Okafor-Lisle", "People on the quay"])
def test_persons(name):
    assert person(name)


@pytest.mark.parametrize(
    "name", ["The lock", "Quarrel Lock Company", "Alderline Ferries", "Dray", "A berth", "Marl Bridge"]
)
def test_no_persons(name):
    assert not person(name)
