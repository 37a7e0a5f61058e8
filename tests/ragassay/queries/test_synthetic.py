"""Which passages are asked about, and what a model writes, read as a query."""

import json

import pytest

from ragassay.queries.synthetic import WrittenQuery, passages_in_turn, written


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
    found = written(json.dumps(answer), "stop")
    assert (found.answer if isinstance(found, WrittenQuery) else found.reason) == expected


PASSAGES = [{"passage_id": f"{name}#{number}", "document_id": name} for name in "ab" for number in (1, 2)]


def test_documents_take_turns():
    chosen = passages_in_turn(PASSAGES, 3)
    assert len({row["document_id"] for row in chosen[:2]}) == 2 and len({row["passage_id"] for row in chosen}) == 3
    assert passages_in_turn(PASSAGES[::-1], 3) == chosen and len(passages_in_turn(PASSAGES, 9)) == 4
