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


CASE = " ".join(["A man comes to the clinic."] * 20) + " Which drug helps"


@pytest.mark.parametrize(
    ("question", "examples", "is_kept"),
    [
        (f"{CASE}?", [], False),
        (f"{CASE}?", [f"{CASE} most? A: none"], True),
        (f"{CASE} him, and why?", [f"{CASE}?"], False),
        ("The drug that helps is", [], False),
        ("The drug that helps is", ["Which drug? A"], False),
        ("The drug that helps is", ["Which drug? A", "The nerve is: A"], True),
    ],
)
def test_what_is_written_is_as_long_as_the_examples_and_ends_as_they_do(question, examples, is_kept):
    answer = json.dumps({"question": question, "options": ["A man", "A hen"], "answer": "A hen"})
    result = written(answer, "stop", examples)
    assert isinstance(result, WrittenQuery) == is_kept
    assert is_kept or "expected a question of 3 to" in result.detail


PASSAGES = [{"passage_id": f"{name}#{number}", "document_id": name} for name in "ab" for number in (1, 2)]


def test_documents_take_turns():
    chosen = passages_in_turn(PASSAGES, 3)
    assert len({row["document_id"] for row in chosen[:2]}) == 2 and len({row["passage_id"] for row in chosen}) == 3
    assert passages_in_turn(PASSAGES[::-1], 3) == chosen and len(passages_in_turn(PASSAGES, 9)) == 4
