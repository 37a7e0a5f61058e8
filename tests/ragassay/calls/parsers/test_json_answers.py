"""JSON answers in the forms that models produce, those that nobody can read, and what holds for all."""

import json

import pytest

from ragassay.calls.parsers.json_answers import DEEPEST, parse_object
from ragassay.calls.parsers.result import Abstain, Ok

BOTH = {"feedback": "It's there.", "score": 0.5}
FORMS = [
    '{"feedback": "It\'s there.", "score": 0.5}',
    '```json\n{"feedback": "It\'s there.", "score": 0.5}\n```',
    'Sure, here {you} are:\n{"feedback": "It\'s there.", "score": 0.5}\nHope that helps!',
    '{"feedback": "It\'s there.", "score": 0.5,}',
    "{'feedback': 'It\\'s there.', 'score': .5}",
    "{'feedback': \"It's there.\", 'score': +0.5}",
    "{'feedback': 'It's there.', 'score': 5e-1}",
    "{feedback: 'It's there.', score: 0.5}",
    "{\n  “feedback”: “It's there.”,\n  “score”: 0.50\n}",
    '[{"feedback": "It\'s there.", "score": 0.5}]',
    '{"feedback": "It\\u0027s there.", "score": 0.5}</s>',
    '<think>{"score": 1}</think>{"feedback": "It\'s there.", "score": 0.5}',
    '{"score": 0.5, "feedback": "It\'s there."} {"feedback": "It\'s there.", "score": 0.5}',
    '{"note": "draft"} {"feedback": "It\'s there.", "score": 0.5}',
    '{"score": 0.5, "score": 0.5, "feedback": "It\'s there."}',
    '\ufeff{ "score" : 0.5 , "feedback" : "It\'s there." }',
]
VALUES = {
    '{"a": [1, [2, {}], "x"]}': {"a": [1, [2, {}], "x"]},
    '{"a": true, "b": False, "c": None, "d": null}': {"a": True, "b": False, "c": None, "d": None},
    '{"a": True, "b": false, "c": +7, "d": -.5}': {"a": True, "b": False, "c": 7, "d": -0.5},
    '{"a": "\\t\\r\\b\\f"}': {"a": "\t\r\n"},
    '{"a\x1b": "\\u001b[2J\\u202eTide\u2066 \\u0000\\udb40\\udc41\U000e0041"}': {"a": "[2JTide "},
    '{"a":' + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1) + "}": {"a": json.loads("[" * 15 + "]" * 15)},
    '{"a": "two\nlines \\n three \\" \\/ \\q"}': {"a": 'two\nlines \n three " / q'},
    '{"a": "\\ud83d\\ude00 \\ud800"}': {"a": "\U0001f600 \ufffd"},
    "{'a': 'the boats' crews'}": {"a": "the boats' crews"},
    '{"a": "{not: an object"}': {"a": "{not: an object"},
    "{}": {},
}
ABSTAINED = {
    "no_object": ["It is 0.5.", "{sic}", "[0.5]", '{"note": 1}', "{1: 2}"],
    "truncated": [
        "{", '{"score": 0.5', '{"score": 0.5, "feedback": "It', '{"score": 0.5, "f', '{"score": nul', "{'score': '",
        '{"score": ' + "a" * 39,
    ],
    "two_objects": [
        '{"score": 0.5} {"score": 0.6}', '{"score": 1} {"score": true}', '{"score": 0.5, "score": 0.6}',
        '[{"score": 1}, {"score": 2}]',
    ],
    "broken_object": [
        '{"score": ' + "a" * 40,
        '{"score": high}', '{"score": 0.5 "feedback": "x"}', '{"feedback": "He said "no".", "score": 1}',
        '{"score": 1e999}', '{"score": 1.2.3}', '{"score": NaN}', '{"score": ' + "9" * 5000 + "}",
        '{"score": high} {"score": 1}', '{"score":' * 2000, '{"a":' + "[" * DEEPEST,
    ],
    "refusal": ["I'm sorry, but I can't help with that."],
    "empty": ["", None, " \n", '<think>{"score": 1}'],
    "provider_error": ['{"error": {"message": "busy"}}'],
    "too_long": ['{"score": "' + "a" * 40_000 + '"}'],
}  # fmt: skip


@pytest.mark.parametrize("text", FORMS)
def test_every_form_holds_the_same_object(text):
    assert parse_object(text, keys=("feedback", "score")) == Ok(BOTH)
    assert parse_object(text, "length", ("feedback", "score")) == Ok(BOTH, truncated=True)


@pytest.mark.parametrize("text", VALUES)
def test_values_are_what_a_careful_reader_sees(text):
    assert parse_object(text) == Ok(VALUES[text])


@pytest.mark.parametrize(("reason", "text"), [(reason, text) for reason, texts in ABSTAINED.items() for text in texts])
def test_what_is_no_single_object_is_not_one(reason, text):
    assert parse_object(text, keys=("score",)) == Abstain(reason)


def test_an_answer_that_was_cut_before_its_object_is_truncated():
    assert parse_object("The score is as follows:", "length") == Abstain("truncated")
    assert parse_object('{"score": 0.5', "length") == Abstain("truncated")
