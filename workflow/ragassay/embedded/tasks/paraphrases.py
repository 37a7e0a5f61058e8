"""Say a passage or a question in other words, as the JSON that a model would write: near synonyms, and small numbers
and dates in another form. Sentences stay as they are built and in their order, so this is a closer rewriting than a
model's; where no word of a passage is known here, it comes back unchanged.
"""

import json
import re

from ragassay.embedded.english.clauses import clause
from ragassay.embedded.english.facts import MONTH
from ragassay.embedded.english.rewording import exchanged, reworded
from ragassay.grading.matches import SMALL
from ragassay.text.sentences import spans

MOST = 4  # words that are exchanged in a sentence
DATE = re.compile(rf"(?<!to )(?<!and )\b(\d{{1,2}}) ({MONTH})\b(?! \d)")
FIGURE = re.compile(r"(?<![\w.,$€£-])(\d{1,2})(?= [a-z]{3})")
PHRASES = {
    "about(?= \\d)": "around", "again": "once more", "although": "even though", "at least": "no fewer than",
    "at most": "no more than", "because": "since", "began": "started", "but": "yet", "during": "in the course of",
    "each year": "every year", "enough": "sufficient", "everybody": "everyone", "in all": "altogether",
    "in spite of": "despite", "is to be": "will be", "less than(?= \\d)": "under", "more than(?= \\d)": "over",
    "most of": "the greater part of", "nearly": "almost", "next to": "beside", "nobody": "no one",
    "not only": "not just", "now": "at present", "often": "frequently", "only": "just", "per cent": "percent",
    "said": "stated", "several": "a number of", "soon": "before long",
}  # fmt: skip
PHRASE = re.compile(rf"(?<![\w'\u2019-])(?:{'|'.join(sorted(PHRASES, key=len, reverse=True))})(?![\w'\u2019-])")
PLAIN = {phrase.partition("(")[0]: other for phrase, other in PHRASES.items()}
IN_WORDS = {str(value): word for word, value in SMALL.items() if value < 13}


def rewritten(passage: str, dice) -> str:
    text, place = [], 0
    for start, end in spans(passage):
        text += [passage[place:start], _sentence(passage[start:end], dice)]
        place = end
    return json.dumps({"passage": "".join([*text, passage[place:]])}, ensure_ascii=False)


def asked(text: str, dice) -> str:
    return json.dumps({"question": question(text, dice)}, ensure_ascii=False)


def question(text: str, dice) -> str:
    """A question, which ends as one and keeps its question word; where no word is known, it comes back unchanged."""
    return _plain(exchanged(text, MOST, dice))


def _sentence(sentence, dice):
    taken = clause(sentence)
    whole = f"{taken.subject} {taken.predicate}" if taken else ""
    if taken and sentence.startswith(whole):
        changed = reworded(taken, dice, MOST)
        sentence = f"{changed.subject} {changed.predicate}{sentence[len(whole) :]}"
    else:
        sentence = exchanged(sentence, MOST, dice)
    return _plain(sentence)


def _plain(sentence):
    sentence = PHRASE.sub(lambda found: PLAIN[found[0]], sentence)
    sentence = FIGURE.sub(lambda found: IN_WORDS.get(found[1], found[1]), sentence)
    return DATE.sub(r"\2 \1", sentence)
