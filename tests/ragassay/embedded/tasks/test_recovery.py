"""Recovery: gaps are filled, given claims stay, what is new is near and not given."""

import random

import pytest

from ragassay.embedded.english.words import content, stem
from ragassay.embedded.tasks.recovery import recover
from ragassay.embedded.tasks.task import MISSING

CLAIMS = {
    1: "Mildred Fenn led the work in Dray for 24 months.",
    2: "The Quarrel Lock opened again on 3 May 2025.",
    3: "The town of Dray paid 600,000 marks for the oak gates.",
    4: "Captain Orlo Bray steered the Heron through the lock on Sunday.",
    5: "The canal museum bought the old crane in Dray for 4.5 marks.",
    6: "The lock lifts boats by 61 metres.",
}
GAPS = CLAIMS | {2: MISSING, 5: MISSING}


@pytest.mark.parametrize("seed", range(30))
def test_only_the_gaps_change_and_nothing_given_is_repeated(seed):
    filled = recover(GAPS, random.Random(seed))
    assert {number: filled[number] for number in (1, 3, 4, 6)} == {number: CLAIMS[number] for number in (1, 3, 4, 6)}
    assert list(filled) == list(GAPS)
    new = [filled[2], filled[5]]
    assert len({*new, *(CLAIMS[number] for number in (1, 3, 4, 6))}) == 6
    assert all(claim.endswith(".") and MISSING not in claim and len(claim.split()) >= 4 for claim in new)


def test_new_claims_are_about_what_the_given_ones_name_and_differ_by_seed():
    given = {stem(word) for number in (1, 3, 4, 6) for word in content(CLAIMS[number])}
    new = [claim for seed in range(40) for claim in map(recover(GAPS, random.Random(seed)).get, (2, 5))]
    shares = [sum(stem(word) in given for word in content(claim)) / len(content(claim)) for claim in new]
    assert sum(share >= 0.6 for share in shares) > 0.7 * len(shares)
    assert len(set(new)) > 10


def test_the_same_seed_gives_the_same_list():
    assert recover(GAPS, random.Random(5)) == recover(GAPS, random.Random(5))


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {1: MISSING},
        {1: MISSING, 2: MISSING},
        {1: "x", 2: MISSING},
        {1: "{subject} \\1 {0} costs 9 marks.", 2: MISSING},
        {1: "9" * 500 + " boats came to Dray.", 2: MISSING},
    ],
)
def test_strange_lists_are_filled_too(claims):
    for seed in range(10):
        filled = recover(claims, random.Random(seed))
        assert list(filled) == list(claims) and MISSING not in filled.values()
