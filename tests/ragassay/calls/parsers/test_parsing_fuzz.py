"""Fuzzed completions: parsers never raise, take time in proportion to a text, and never accept what a mutation has
destroyed.

How many are run is COUNT.
"""

import random
import re

import pytest

from completions import (
    AFTERTHOUGHTS,
    HARMLESS,
    MARKERS,
    NOISE,
    destroyed,
    destroyed_object,
    judged,
    last_word,
    listed,
    noisy,
    numbered,
    rendered_object,
)  # fmt: skip
from growth import is_proportional
from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.parsers.result import LONGEST_ANSWER, Abstain, Ok
from ragassay.grading.verdicts import parse_verdict
from ragassay.text.characters import fit

COUNT = 1_000  # of each of six kinds
REASONS = ("stop", "length")


def parsed(parse, *arguments):
    """What a parser makes of a text."""
    result = parse(*arguments)
    assert isinstance(result, (Ok, Abstain))
    return result


def harmless_verdict(source):
    value, reasons, final = judged(source)
    text = source.choice(HARMLESS).format(reasons + final) if reasons + final != final else final
    assert parsed(parse_verdict, text) == Ok(value), text


def destroyed_verdict(source):
    text = destroyed(source)
    assert isinstance(parsed(parse_verdict, text), Abstain), text


def lists(source):
    """In any shape they come back; with an item lost or a number twice they do not; what a cut leaves is whole."""
    marker = source.choice(MARKERS)
    items, text = numbered(source, marker)
    expected = len(items) if list(items) == list(range(1, len(items) + 1)) else None
    assert parsed(parse_numbered, text, "stop", expected) == Ok(items), text
    cut = parsed(parse_numbered, text[: source.randint(0, len(text))], "length")
    assert isinstance(cut, Abstain) or cut.value.items() <= items.items(), text
    if expected:
        number = source.choice(list(items)[:-1])
        lost = listed(source, {other: item for other, item in items.items() if other != number}, marker)
        assert parse_numbered(lost, "stop", expected) == Abstain("count_mismatch"), lost
        twice = text + "\n" + listed(source, {number: "Something else is said here."}, marker)
        assert isinstance(parse_numbered(twice, "stop", expected), Abstain), twice


def objects(source):
    """In any form they come back; what a cut leaves is whole or nothing; what is destroyed is not read."""
    value, text = rendered_object(source)
    assert parsed(parse_object, text, "stop", tuple(value)) == Ok(value), text
    assert parse_object(text + "\n" + text, "length") == Ok(value, truncated=True), text
    cut = parsed(parse_object, text[: source.randint(0, len(text))], "length")
    assert cut in (Ok(value, truncated=True), Abstain("truncated")), text
    broken = destroyed_object(source)
    assert isinstance(parsed(parse_object, broken), Abstain), broken


def noise(source):
    """Whatever it is: a verdict is the last word, items are not empty and made of the text, in rising order."""
    _, reasons, final = judged(source)
    start = reasons + final if source.random() < 0.5 else numbered(source)[1]
    text = noisy(source, start * source.choice([1, 1, 1, 20]))[:20_000]
    finish = source.choice(REASONS)
    parsed(parse_object, text, finish)
    verdict = parsed(parse_verdict, text, finish)
    if isinstance(verdict, Ok):
        assert finish == "stop" and last_word(text) == ("yes" if verdict.value else "no"), text
    result = parsed(parse_numbered, text, finish, source.choice([None, 3]))
    if isinstance(result, Ok):
        assert list(result.value) == sorted(result.value)
        assert all(item.strip() for item in result.value.values())
        text = fit(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        assert all(word in text for item in result.value.values() for word in re.split(r"[\s*_]+", item)), text


def long_runs(source):
    """The pieces that regular expressions stumble over, in a row."""
    pieces = [*NOISE, *AFTERTHOUGHTS, "1. a ", "answer: ", "my the ", "(1)", " ", *JSON]
    piece = "".join(source.choices(pieces, k=source.randint(1, 3)))
    text = source.choice(["", "1. ", "Yes ", "- ", '{"a": [']) + piece * (20_000 // len(piece))
    for parse in (parse_verdict, parse_numbered, parse_object):
        parsed(parse, text, source.choice(REASONS))


KINDS = [harmless_verdict, destroyed_verdict, lists, objects, noise, long_runs]
RUNS = ["{", '{"a": ', "{'a", "a", " ", "1. a. 2. b. ", "yes ", "\x00", "(1) ", "no. ", "\n", "1.\n", "answer: ", "#"]
RUNS += ["claim 1 "]
JSON = ['{"a": ', "{'a': '", "{a: [", "[", "}", ",", "'", '\\"', "{} ", "1, "]


@pytest.mark.parametrize("kind", KINDS)
def test_fuzzed_completions(kind):
    source = random.Random(f"{kind.__name__} 0")
    for _ in range(COUNT // 10 if kind is long_runs else COUNT):
        kind(source)


@pytest.mark.parametrize("parse", [parse_verdict, parse_numbered, parse_object])
@pytest.mark.parametrize("piece", RUNS)
def test_what_no_answer_can_be_takes_time_in_proportion_and_no_more_than_the_longest_answer(parse, piece):
    """A model in a loop gives far more than the longest answer."""
    assert is_proportional(lambda size: parse("1. Yes" + piece * size + "!"), (LONGEST_ANSWER - 10) // len(piece) // 8)
    assert parse("1. Yes" + piece * (1_000_000 // len(piece)) + "!") == Abstain("too_long")


def test_reasoning_may_be_as_long_as_it_likes():
    reasoning = "<think>" + "It may be so. " * 70_000 + "</think>\n"
    assert parse_verdict(reasoning + "Verdict: no") == Ok(False)
    assert parse_numbered(reasoning + "1. One.\n2. Two.") == Ok({1: "One.", 2: "Two."})
    assert parse_object(reasoning + '{"score": 1}') == Ok({"score": 1})
    assert parse_verdict("It may be so. " * 5_000 + "Verdict: no") == Abstain("too_long")
