"""Queries made from passages of a corpus: which passages are asked about, and a query out of a passage's own sentences
or out of a model's answer."""

import itertools
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ragassay.base import chance
from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.result import Abstain
from ragassay.text.sentences import sentences

CONCLUDES = re.compile(
    r"\b(?:in conclusion|to conclude|conclu(?:des?|sions?)|in summary|overall|therefore|thus|suggests?|shows? that"
    r"|results? (?:show|suggest|indicate)|we found|found that|means that)\b",
    re.IGNORECASE,
)
SENTENCE_WORDS = 5  # at least, of a sentence that becomes a query
KEYS = ("question", "options", "answer")
FEWEST_WORDS, MOST_WORDS = 3, 60  # of a question that a model wrote; as many as an example has, if that is longer


def passages_in_turn(passages: list[dict], count: int) -> list[dict]:
    """Up to `count` passages, ordered by their ids alone; each document has a first one before any has a second."""
    turns = defaultdict(list)
    for row in sorted(passages, key=lambda row: chance.lot("passage", row["passage_id"])):
        turns[row["document_id"]].append(row)
    rounds = itertools.zip_longest(*turns.values())
    return [row for row in itertools.chain.from_iterable(rounds) if row is not None][:count]


def taken_from(text: str, taken: str) -> str:
    """A passage's conclusion, its first sentence as a question, or any sentence; nothing if none is long enough."""
    lines = (" ".join(sentence.split()) for sentence in sentences(text))
    usable = [line for line in lines if len(line.split()) >= SENTENCE_WORDS]
    if not usable:
        return ""
    if taken == "conclusion":
        return next((line for line in reversed(usable) if CONCLUDES.search(line)), usable[-1])
    if taken == "question":
        return f"Is it true that {usable[0][0].lower()}{usable[0][1:].rstrip('.!?')}?"
    return usable[chance.number(None, text) % len(usable)]


class WrittenQuery(NamedTuple):
    question: str
    options: list[str]
    answer: str


class Unwritten(NamedTuple):
    """Why a model's answer is of no use."""

    reason: str
    detail: str


def written(text: str, finish_reason: str, examples: Sequence[str] = ()) -> WrittenQuery | Unwritten:
    """What a model's answer holds. The right answer may be one of the options, or the letter or the number of one. A
    question may be as long as the longest of the examples that the model was given, and ends with a question mark
    unless one of these has none.
    """
    parsed = parse_object(text, finish_reason, KEYS)
    if isinstance(parsed, Abstain):
        return Unwritten(parsed.reason, f"expected one JSON object with {', '.join(KEYS)}")
    question, given = _text(parsed.value["question"]), parsed.value["options"]
    words = len(question.split())
    most = max([MOST_WORDS, *(len(example.split()) for example in examples)])
    is_marked = question.endswith("?") or not all("?" in example for example in examples)
    if not is_marked or not FEWEST_WORDS <= words <= most:
        expected = f"expected a question of {FEWEST_WORDS} to {most} words"
        return Unwritten("no_question", f"found {question!r:.80}, {expected}")
    lettered = isinstance(given, dict)
    options = [_text(option) for option in (given.values() if lettered else given if isinstance(given, list) else [])]
    if len(options) < 2 or not all(options) or len({option.lower() for option in options}) < len(options):
        return Unwritten("no_options", f"found {given!r:.80}, expected at least two different options")
    names = list(given) if lettered else [chr(ord("A") + number) for number in range(len(options))]
    answer = _text(parsed.value["answer"])
    by_name = {name.strip(" .)").upper(): option for name, option in zip(names, options, strict=True)}
    by_text = {option.lower(): option for option in options}
    right = by_text.get(answer.lower()) or by_name.get(answer.strip(" .)").upper())
    if right is None:
        return Unwritten("no_answer", f"found {answer!r:.80}, expected one of the options")
    return WrittenQuery(question, options, right)


def _text(value):
    """A cell as one line of text; nothing for what is neither text nor a number."""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
