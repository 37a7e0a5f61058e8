"""What a model's answer holds: a question, options and the right answer, or the reason why it is of no use."""

from typing import NamedTuple

from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.result import Abstain

KEYS = ("question", "options", "answer")
FEWEST_WORDS, MOST_WORDS = 3, 60


class Written(NamedTuple):
    question: str
    options: list[str]
    answer: str


class Unusable(NamedTuple):
    reason: str
    detail: str


def read(text: str, finish_reason: str) -> Written | Unusable:
    """The answer may be one of the options, or the letter or the number of one."""
    parsed = parse_object(text, finish_reason, KEYS)
    if isinstance(parsed, Abstain):
        return Unusable(parsed.reason, f"expected one JSON object with {', '.join(KEYS)}")
    question, given = _text(parsed.value["question"]), parsed.value["options"]
    words = len(question.split())
    if not question.endswith("?") or not FEWEST_WORDS <= words <= MOST_WORDS:
        expected = f"expected a question of {FEWEST_WORDS} to {MOST_WORDS} words"
        return Unusable("no_question", f"found {question!r:.80}, {expected}")
    lettered = isinstance(given, dict)
    options = [_text(one) for one in (given.values() if lettered else given if isinstance(given, list) else [])]
    if len(options) < 2 or not all(options) or len({one.lower() for one in options}) < len(options):
        return Unusable("no_options", f"found {given!r:.80}, expected at least two different options")
    names = list(given) if lettered else [chr(ord("A") + number) for number in range(len(options))]
    answer = _text(parsed.value["answer"])
    by_name = {name.strip(" .)").upper(): option for name, option in zip(names, options, strict=True)}
    by_text = {option.lower(): option for option in options}
    right = by_text.get(answer.lower()) or by_name.get(answer.strip(" .)").upper())
    if right is None:
        return Unusable("no_answer", f"found {answer!r:.80}, expected one of the options")
    return Written(question, options, right)


def _text(value):
    """A cell as one line of text; nothing for what is neither text nor a number."""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
