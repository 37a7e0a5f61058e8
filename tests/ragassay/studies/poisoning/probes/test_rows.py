"""What is read of answers themselves: whether they begin by naming their source, and their first words."""

import pytest

from ragassay.studies.poisoning.probes.labels import hedged
from ragassay.studies.poisoning.probes.rows import first_words


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("According to the passages, nine days", True),
        ("based on the context: Anna Marlowe", True),
        ("The provided documents say so.", True),
        ("As the passage states, 9", True),
        ("the village school at Lisk", False),
        ("The ferry, according to the passages", False),
        ("", False),
    ],
)
def test_a_hedge_stands_at_the_beginning(answer, expected):
    assert hedged(answer) is expected


def test_first_words_are_those_that_several_answers_begin_with():
    found = first_words(["According to the text", "according to Anna", "The yard", "the mill", "yard boats to", ""])
    assert found.tolist() == [[1, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert first_words(["one", "two"]).tolist() == [[0], [0]]  # a column for what is fitted on it
