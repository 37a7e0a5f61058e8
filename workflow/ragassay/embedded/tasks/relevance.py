"""Queries from passages, and how relevant passages are to a query, both as the JSON that a model would write.

A question comes from `questions.in_scope`; its answer is the passage's sentence that answers it, and the wrong options
are other sentences. Relevance is the largest share of the query's words that one sentence has: a passage on the same
people that leaves open what is asked gets too high a score, as from other readers of words alone.
"""

import json

from ragassay.embedded.english.statements import statements
from ragassay.embedded.tasks import answers, questions
from ragassay.embedded.tasks.evidence import nearest, read
from ragassay.embedded.tasks.question_drafts import drafts
from ragassay.embedded.tasks.short_answers import NO_ANSWER

MOST_OPTIONS = 4
FEWEST_WORDS = 6
ENOUGH = 0.75  # share of a query's words from which a passage is said to cover it
WOBBLE = 0.05


def written(passage: str, dice) -> str:
    question = _question(passage, dice)
    if not question:
        return "The passage answers no question that I can put."
    answer = answers.nearest_sentence(passage, question) or NO_ANSWER
    others = [" ".join(one.split()) for one in read(passage).sentences]
    others = [one for one in dict.fromkeys(others) if one != answer]
    options = [answer, *dice.sample(others, min(len(others), MOST_OPTIONS - 1))]
    dice.shuffle(options)
    return json.dumps({"question": question, "options": options, "answer": answer}, ensure_ascii=False)


def _question(passage, dice):
    """Of the usual length, or of any where the passage gives none."""
    asked = questions.in_scope(passage, 1, dice)
    if asked:
        return asked[0]
    possible = [draft.text for one in statements(passage) for draft in drafts(one.taken, one.reason)]
    possible = [text for text in possible if len(text.split()) >= FEWEST_WORDS]
    text = dice.choice(possible) if possible else ""
    return f"{text[:1].upper()}{text[1:]}?" if text else ""


def rated(query: str, passages: list[str], chance=None) -> str:
    shares = [max((share for share, _ in nearest(query, read(passage))), default=0.0) for passage in passages]
    best = max(shares, default=0.0)
    score = min(1.0, max(0.0, best + (chance.uniform(-WOBBLE, WOBBLE) if chance else 0.0)))
    place = shares.index(best) + 1 if shares else 0
    if best >= ENOUGH:
        feedback = f"Passage {place} has what the query is about."
    elif best > 0:
        feedback = f"Passage {place} comes closest, but much of the query is not in it."
    else:
        feedback = "The passages have nothing of the query."
    return json.dumps({"feedback": feedback, "score": round(score, 2)})
