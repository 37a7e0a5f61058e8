"""Fuzzed completions: parsers never raise, take no time, and never accept what a mutation has destroyed.

`benchmarks/parsing.py` runs the same over more of them; how many are run here is COUNT.
"""

import random
import re
import time

import pytest

from completions import AFTERTHOUGHTS, HARMLESS, MARKERS, NOISE, destroyed, judged, last_word, listed, noisy, numbered
from ragassay.llm.numbered_lists import parse_numbered
from ragassay.llm.parsing import LONGEST_ANSWER, Abstain, Ok
from ragassay.llm.verdicts import parse_verdict

COUNT = 1_000  # of each of five kinds
LIMIT = 0.05  # seconds
REASONS = ("stop", "length")


def timed(parse, *arguments):
    """Its result, and the best time of up to five: garbage that tests have left is not its own."""
    best = 1e9
    for _ in range(5):
        begin = time.thread_time()
        result = parse(*arguments)
        best = min(best, time.thread_time() - begin)
        if best < LIMIT:
            break
    assert isinstance(result, (Ok, Abstain))
    return result, best


def harmless_verdict(source):
    value, reasons, final = judged(source)
    text = source.choice(HARMLESS).format(reasons + final) if reasons + final != final else final
    result, taken = timed(parse_verdict, text)
    assert result == Ok(value), text
    return taken


def destroyed_verdict(source):
    text = destroyed(source)
    result, taken = timed(parse_verdict, text)
    assert isinstance(result, Abstain), text
    return taken


def lists(source):
    """In any shape they come back; with an item lost or a number twice they do not; what a cut leaves is whole."""
    marker = source.choice(MARKERS)
    items, text = numbered(source, marker)
    expected = len(items) if list(items) == list(range(1, len(items) + 1)) else None
    result, taken = timed(parse_numbered, text, "stop", expected)
    assert result == Ok(items), text
    cut, longest = timed(parse_numbered, text[: source.randint(0, len(text))], "length")
    assert isinstance(cut, Abstain) or cut.value.items() <= items.items(), text
    if expected:
        number = source.choice(list(items)[:-1])
        lost = listed(source, {other: item for other, item in items.items() if other != number}, marker)
        assert parse_numbered(lost, "stop", expected) == Abstain("count_mismatch"), lost
        twice = text + "\n" + listed(source, {number: "Something else is said here."}, marker)
        assert isinstance(parse_numbered(twice, "stop", expected), Abstain), twice
    return max(taken, longest)


def noise(source):
    """Whatever it is: a verdict is the last word, items are not empty and made of the text, in rising order."""
    _, reasons, final = judged(source)
    start = reasons + final if source.random() < 0.5 else numbered(source)[1]
    text = noisy(source, start * source.choice([1, 1, 1, 20]))[:20_000]
    finish = source.choice(REASONS)
    verdict, first = timed(parse_verdict, text, finish)
    assert isinstance(verdict, Abstain) or (
        finish == "stop" and last_word(text) == ("yes" if verdict.value else "no")
    ), text
    found, second = timed(parse_numbered, text, finish, source.choice([None, 3]))
    if isinstance(found, Ok):
        assert list(found.value) == sorted(found.value)
        assert all(item.strip() for item in found.value.values())
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert all(word in text for item in found.value.values() for word in re.split(r"[\s*_]+", item)), (text, found)
    return max(first, second)


def long_runs(source):
    """The pieces that regular expressions stumble over, in a row."""
    piece = "".join(
        source.choices([*NOISE, *AFTERTHOUGHTS, "1. a ", "answer: ", "my the ", "(1)", " "], k=source.randint(1, 3))
    )
    text = source.choice(["", "1. ", "Yes ", "- "]) + piece * (20_000 // len(piece))
    return max(timed(parse, text, source.choice(REASONS))[1] for parse in (parse_verdict, parse_numbered))


KINDS = [harmless_verdict, destroyed_verdict, lists, noise, long_runs]


def slowest(kind, count, seed=0):
    """Run so many of a kind; the longest time that a parser took for one."""
    source = random.Random(f"{kind.__name__} {seed}")
    return max(kind(source) for _ in range(count))


@pytest.mark.parametrize("kind", KINDS)
def test_fuzzed_completions(kind):
    assert slowest(kind, COUNT // 10 if kind is long_runs else COUNT) < LIMIT


@pytest.mark.parametrize("parse", [parse_verdict, parse_numbered])
@pytest.mark.parametrize(
    "piece", ["a", " ", "1. a. 2. b. ", "yes ", "\x00", "(1) ", "no. ", "\n", "1.\n", "answer: ", "#", "claim 1 "]
)
def test_what_no_answer_can_be_takes_no_time(parse, piece):
    """Up to the longest answer the time is in proportion; a model in a loop gives far more."""
    longest = "1. Yes" + piece * ((LONGEST_ANSWER - 10) // len(piece)) + "!"
    assert timed(parse, longest)[1] < 0.25
    assert timed(parse, longest[:-1] + piece * (1_000_000 // len(piece)) + "!")[1] < 0.05


def test_reasoning_may_be_as_long_as_it_likes():
    reasoning = "<think>" + "It may be so. " * 70_000 + "</think>\n"
    assert parse_verdict(reasoning + "Verdict: no") == Ok(False)
    assert parse_numbered(reasoning + "1. One.\n2. Two.") == Ok({1: "One.", 2: "Two."})
    assert parse_verdict("It may be so. " * 5_000 + "Verdict: no") == Abstain("too_long")


def test_every_prefix_of_an_answer_is_read_without_inventing_a_verdict_or_an_item():
    items = {1: "The bell rang.", 2: "It was late in 2024. She said yes.", 3: "It snowed."}
    text = (
        "Here they are:\n\n"
        + "\n".join(f"**{number}.** {item}" for number, item in items.items())
        + "\n\nVerdict: **No**."
    )
    for end in range(len(text)):
        found = parse_numbered(text[:end], "length")
        assert isinstance(found, Abstain) or found.value.items() <= items.items()
        verdict = parse_verdict(text[:end])
        assert isinstance(verdict, Abstain) or "Verdict: **No" in text[:end]
    assert parse_verdict(text) == Ok(False)
