"""What a model writes, read as a query."""

import json

import pytest

from ragassay.queries import written_query


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"question": "Who built it?", "options": ["A man", "A hen"], "answer": "a hen"}, "A hen"),
        ({"question": "Who built it?", "options": ["A man", "A hen"], "answer": "B"}, "A hen"),
        ({"question": "Who built it?", "options": {"a": 1874, "b": 1875}, "answer": "a."}, "1874"),
        ({"question": "Who built it?", "options": ["A man", "A hen"], "answer": "A dog"}, "no_answer"),
        ({"question": "Who built it?", "options": ["A man", "a man"], "answer": "A man"}, "no_options"),
        ({"question": "Who built it?", "options": "A man or a hen", "answer": "A man"}, "no_options"),
        ({"question": "He built it.", "options": ["A man", "A hen"], "answer": "A hen"}, "no_question"),
        ({"question": None, "options": ["A man", "A hen"], "answer": "A hen"}, "no_question"),
        ({"question": "Who built it?", "answer": "A hen"}, "no_object"),
    ],
)
def test_a_query_is_a_question_with_its_answer_among_the_options(answer, expected):
    found = written_query.read(json.dumps(answer), "stop")
    assert (found.answer if isinstance(found, written_query.Written) else found.reason) == expected
