"""Find out from messages what is asked: which task, about which texts, how many items, and what the reader was told.

The task follows from the last user message alone: from the labels of its delimited parts ("document", "question",
"claims", ...) and the words around them. The delimiters are those that `ragassay.calls.prompts` writes: a line with a
label and a code, and the same line again with a slash. What stands between them is never searched for instructions.
Messages without delimited parts, and combinations of parts that no task here has, give the task "unknown".
"""

import re
from typing import NamedTuple

from ragassay.calls.prompts import parts_of
from ragassay.embedded.english.vocabulary import NUMBER_WORDS

ITEM = re.compile(r"^\s*(\d+)[.)]\s+(.*)$", re.MULTILINE)
LENGTH = re.compile(r"\babout (\d{1,3}) words\b", re.I)
COUNT = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(NUMBER_WORDS)})\s+(?:\w+\s+){{0,2}}(?:claims|facts|questions|statements|texts)\b", re.I
)
MAY_DECLINE = re.compile(
    r"cannot be answered|can ?not answer|do(?:es)? not (?:say|answer|tell|know|contain|mention)|none of them"
    r"|unanswerable|not (?:named|given|mentioned|stated)|did not|were not|was not",
    re.I,
)
MISSING = "(missing)"


class Asked(NamedTuple):
    task: str
    parts: dict[str, list[str]]  # label -> texts
    count: int | None  # how many items
    words: int | None  # about how many words an item is to have
    may_decline: bool  # whether the reader was told or shown that it need not answer
    stepwise: bool  # whether reasoning is to come first
    alone: bool  # whether the answer is to come without a sentence around it
    reason: str  # why the task is unknown


def understand(messages: list[dict]) -> Asked:
    """What the last user message asks for; the messages before it only tell how."""
    texts = [(message.get("role"), str(message.get("content") or "")) for message in messages]
    users = [text for role, text in texts if role == "user"]
    parts, around = parts_of(users[-1] if users else "")
    told = [around] + [text if role == "assistant" else parts_of(text)[1] for role, text in texts if role != "user"]
    count, length = COUNT.search(around), LENGTH.search(around)
    number = None if not count else int(NUMBER_WORDS.get(count[1].lower(), count[1]))
    decline = any(MAY_DECLINE.search(text) for text in told)
    stepwise = any(re.search(r"step by step|reasoning", text, re.I) for text in told)
    task, reason = _task(parts, around)
    alone = any("the answer alone" in text for text in told)
    return Asked(task, parts, number, int(length[1]) if length else None, decline, stepwise, alone, reason)


def items(text: str) -> dict[int, str]:
    """A numbered list as number -> item; what is not numbered is left out, the first of two equal numbers wins."""
    found = {}
    for number, item in ITEM.findall(text):
        found.setdefault(int(number), item.strip())
    return found


def listed(found: dict[int, str]) -> str:
    """The numbered list that `items` reads."""
    return "\n".join(f"{number}. {item}" for number, item in found.items())


def _task(parts, around):
    labels, words = set(parts), around.lower()
    verdict = "yes or no" in words or "verdict" in words
    match sorted(labels):
        case ["claims"] if MISSING in parts["claims"][0]:
            return "recover", ""
        case ["document", "recovered claims", "true claims"] | ["document", "recovered claims"]:
            return "remove", ""
        case ["claims", "document"] if "question" in words:
            return "questions_from_claims", ""
        case ["answered questions", "document", "questions"]:
            return "near_misses", ""
        case ["document"] if "question" in words:
            return "questions", ""
        case ["document"] if re.search("claim|fact|statement", words):
            return "extract", ""
        case ["document", "question", "response"] if verdict:
            return "defusion", ""
        case ["document", "question"]:
            return ("scope" if verdict else "answer"), ""
        case ["passage", "question"] if "keywords" in words:
            return "keywords", ""
        case ["passage", "question"] | ["passages", "question"]:
            return "passages", ""
        case ["keywords", "question"]:
            return "from_keywords", ""
        case ["passage", "query"]:
            return "relevance", ""
        case ["passage"] | ["example", "passage"] if "question" in words:
            return "query", ""
        case ["passage"] if "rewrite" in words:
            return "rewrite", ""
        case ["question", "right answer"] if "wrong answer" in words:
            return "propose", ""
        case ["answer", "question"] if "texts" in words:
            return "support", ""
        case ["question"] if "rewrite" in words:
            return "rewrite_question", ""
        case ["question"] if not verdict:
            return "closed_book", ""
    shown = ", ".join(sorted(labels)) or "no delimited text"
    return "unknown", f"I found {shown} and no task that I know for it"
