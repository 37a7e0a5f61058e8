"""Name the words of a passage that may answer a question, and answer from such words.

Both are rules of thumb: the sentence of the passage that is nearest to the question, and of it the names, numbers and
dates that the question has not, and its other words. An answer takes the first keyword that is of the kind that the
question word asks for. Nothing is understood; a passage whose nearest sentence has too few of the question's words
names nothing.
"""

import json

from ragassay.embedded.english import facts
from ragassay.embedded.english.words import content
from ragassay.embedded.tasks.answers import asked_kind, from_passages, nearest_sentences

MOST = 6


def named(passage: str, question: str, chance=None) -> str:
    """The keywords as the JSON that a model would write."""
    sentence = from_passages([passage], question, chance) if nearest_sentences([passage], question) else ""
    return json.dumps({"keywords": _keywords(sentence, set(content(question)))}, ensure_ascii=False)


def answer(keywords: list[str], question: str) -> str:
    left = [word for word in keywords if set(content(word)) - set(content(question))]
    kind = asked_kind(question)
    fitting = [word for word in left if kind and getattr(facts.facts(word), kind)]
    found = [*fitting, *left]
    return f"The keywords point to {found[0]}." if found else "I do not know: the keywords do not answer the question."


def _keywords(sentence, asked):
    found = facts.facts(sentence)
    texts = dict.fromkeys([*found.numbers, *found.dates, *found.names])
    texts = [text for text in texts if set(content(text)) - asked]
    words = [word for word in dict.fromkeys(content(sentence)) if word not in asked]
    return (texts + [word for word in words if not any(word in text.lower() for text in texts)])[:MOST]
