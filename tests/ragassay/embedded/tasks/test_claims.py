"""Claims: from the document, standalone, ranked, as many as asked for."""

import random
import re

import pytest

from ragassay.embedded.english.clauses import clause
from ragassay.embedded.tasks.claims import alike, candidates, extract, named, standalone
from ragassay.embedded.tasks.evidence import read, unsupported


def test_claims_come_in_the_document_s_order_and_are_supported_by_it(text):
    found = extract(text, 4, None)
    assert len(found) == 4
    assert all(unsupported(claim, read(text)) < 0.2 for claim in found)
    places = [text.find(claim.rstrip(".")[-12:]) for claim in found]
    assert -1 not in places and places == sorted(places)


def test_claims_of_the_demo_are_standalone(articles):
    pronouns = re.compile(r"^(?:He|She|It|They|His|Her|Its|This|That)\b")
    found = {name: extract(article, 6, None) for name, article in articles.items()}
    assert sum(len(claims) == 6 for claims in found.values()) > 0.8 * len(found)
    assert not [claim for claims in found.values() for claim in claims if pronouns.match(claim)]
    assert all(claim.endswith(".") and claim[0].isupper() for claims in found.values() for claim in claims)


def test_a_leading_pronoun_is_replaced_only_where_it_is_safe():
    fenn = clause("Mildred Fenn led the work.")
    lock = clause("The lock holds water.")
    assert standalone("She lives in Dray.", fenn, frozenset()) == "Mildred Fenn lives in Dray."
    assert standalone("His boat sank.", clause("Orlo Bray sang well there."), frozenset()) == "Orlo Bray's boat sank."
    assert standalone("It is deep.", lock, frozenset()) == "The lock is deep."
    assert standalone("She is deep.", lock, frozenset()) is None
    assert standalone("It is old.", fenn, frozenset()) is None
    assert standalone("She left.", clause("Mildred Fenn met Wilma Tosk."), frozenset()) is None
    assert standalone("She left.", None, frozenset()) is None
    assert standalone("Boats came.", None, frozenset()) == "Boats came."


def test_short_names_become_full_ones_where_there_is_one_only():
    text = "They opened the Quarrel Lock. Then Mildred Fenn spoke, and Tom Bray and Ann Bray left."
    assert named("The lock", text) == "The Quarrel Lock"
    assert named("Fenn", text) == "Mildred Fenn"
    assert named("Bray", text) == "Bray"
    assert named("The gates", text) == "The gates"


@pytest.mark.parametrize(
    "left_out",
    [
        '"We won," said Fenn of the lock.',
        "Did Mildred Fenn lead the work?",
        "They left Dray early.",
        "Mildred Fenn was paid 9 marks\n* The library of Dray is closed.",
        "Mildred Fenn bekam neun Taler, weil sie dort das ganze Werk gebaut hatte.",
    ],
)
def test_speech_questions_lists_other_languages_and_leaning_sentences_are_no_claims(left_out):
    assert not candidates(left_out)


def test_what_is_said_twice_is_claimed_once():
    text = (
        "The lock in Dray opened in May 2025. The lock in Dray opened in May 2025. Mildred Fenn paid 9 marks for gates."
    )
    assert extract(text, 6, None) == ["The lock in Dray opened in May 2025.", "Mildred Fenn paid 9 marks for gates."]


def test_sampling_varies_which(text):
    found = {tuple(extract(text, 3, random.Random(seed))) for seed in range(20)}
    assert len(found) > 1


@pytest.mark.parametrize("document", ["", "Hm.", "a b c", "?" * 1000])
def test_a_document_without_claims_gives_none(document):
    assert extract(document, 6, None) == []


def test_alike_is_the_share_of_common_words():
    assert alike("The lock opened.", "Locks open.") == 1 and alike("The lock opened.", "Rents fell.") == 0
