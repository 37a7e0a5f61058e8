"""What a model says of passages, read as a number."""

import pytest

from ragassay.queries import rating


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"feedback": "All there.", "score": 1}', (1.0, "All there.", None)),
        ('{"feedback": "Half.", "score": "0.5"}', (0.5, "Half.", None)),
        ('{"feedback": "Much.", "score": 7}', (None, None, "no_verdict")),
        ('{"feedback": "Much.", "score": true}', (None, None, "no_verdict")),
        ('{"feedback": "Much.", "score": [1]}', (None, None, "no_verdict")),
        ('{"score": 1}', (None, None, "no_object")),
        ("I cannot help with that.", (None, None, "refusal")),
    ],
)
def test_a_rating_is_a_number_between_0_and_1(text, expected):
    assert tuple(rating.read(text, "stop")) == expected
