"""Name the words of a passage that may answer a question, and answer from such words.

Both are rules of thumb: what `short_answers` takes for the answer comes first, then the names, numbers, dates and other
words of its sentence that the question has not. An answer takes the keyword that fits best what the question asks for.
Nothing is understood; a passage that gives no answer names nothing.
"""

import json

from ragassay.embedded.english import facts
from ragassay.embedded.english.phrases import phrases
from ragassay.embedded.english.words import content
from ragassay.embedded.tasks.fit import fit
from ragassay.embedded.tasks.short_answers import short_answer
from ragassay.embedded.tasks.sought import sought

MOST = 6


def named(passage: str, question: str, chance=None) -> str:
    """The keywords as the JSON that a model would write."""
    found = short_answer([passage], question, chance)
    keywords = _keywords(found.text, found.sentence, set(content(question))) if found else []
    return json.dumps({"keywords": keywords}, ensure_ascii=False)


def answer(keywords: list[str], question: str) -> str:
    left = [word for word in keywords if set(content(word)) - set(content(question))]
    best = max(left, key=lambda word: _fit(word, question), default=None)  # the first among equals
    return f"The keywords point to {best}." if best else "I do not know: the keywords do not answer the question."


def _fit(text, question):
    return max((fit(one, sought(question), {})[1] for one in phrases(text)), default=0.0)


def _keywords(first, sentence, asked):
    found = facts.facts(sentence)
    texts = dict.fromkeys([first, *found.numbers, *found.dates, *found.names])
    texts = [text for text in texts if set(content(text)) - asked]
    words = [word for word in dict.fromkeys(content(sentence)) if word not in asked]
    return (texts + [word for word in words if not any(word in text for text in texts)])[:MOST]
