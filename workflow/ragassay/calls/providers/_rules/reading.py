"""What a reader who knows nothing but words sees of a text: which of a question's words it has and how near they
stand, which names and numbers, which words may be the answer, and whether a response declines. Two words are the same
if they begin alike. Nothing is understood. English only."""

import re
from collections import Counter
from functools import lru_cache
from math import log
from typing import NamedTuple

from ragassay.text.sentences import sentences
from ragassay.text.words import names, numbers

WORD = re.compile(r"\d[\d,.]*\d|\d|[^\W\d_]+(?:['\u2019.-](?!s\b)[^\W\d_]+)*|%")
LONGEST = 1000  # letters of a sentence that are read
LETTERS = 5  # by which words are told apart
IN_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
# Words that say nothing of the matter: function words, and those in which questions and replies are put.
EMPTY = frozenset(
    "a about after all also am an and another any anybody anyone anything are as at away be been before being both but"
    " by can could did do does doing done down during each ever every few for from get had has have having he her here"
    " him his how i if in into is it its just may me might more most much must my neither no not nothing now of off on"
    " one only or other our out over own per she should so some such than that the their them then there these they"
    " this those through to together under until up very was we were what when where which while who whom whose why"
    " will with within without would you your according document exactly kind name named passage sort text true".split()
)
QUANTITY = re.compile(
    rf"(?<![\w.,-])(?:\d[\d,.]*\d|\d|\b(?:{'|'.join(IN_WORDS[1:])})\b)(?: (?:million|billion|thousand|hundred))?"
    r"(?: per cent| percent|%|(?: (?!(?:and|to|in|of|at|on|for|from|by|is|was|with|long|old|high)\b)[a-z-]+){0,2})",
    re.IGNORECASE,
)
PATTERNS = {  # of what may be an answer; names are found elsewhere
    "date": re.compile(
        rf"((?:\d{{1,2}} )?(?:{'|'.join(MONTHS)})(?: \d{{1,2}}\b)?(?: \d{{4}})?|{'|'.join(WEEKDAYS)}|\b20\d\d\b)"
    ),
    "place": re.compile(r"\b(?:in|at|on|near|from|to|off) ((?:the |an? )?(?:[a-z]+ ){0,2}[A-Z][\w'-]*(?: [A-Z]\w*)*)"),
    "reason": re.compile(r"\b((?:because|since|as|so that|for fear|due to|owing to|thanks to|to [a-z]+) .*)"),
    "thing": re.compile(r"(\b(?:[Aa]n?|[Tt]he|his|her) (?:[a-z'-]+ )?[\w'-]+(?: of [a-z]+)?|\b[A-Z]\w+(?: [A-Z]\w+)+)"),
}
# What a question asks for, by its words; the first that fits. A "thing" may be looked for anywhere.
KINDS = (
    ("number", r"\bhow (?:many|much|long|old|far|large|big|tall|high|deep|fast|often|steep|thick|quickly)\b"),
    ("number", r"\b(?:what|which) (?:share|proportion|percentage|price|age|number|amount|sum|fee|salary)\b"),
    ("number", r"\bwhat (?:do|does|did|would|will)\b.* (?:cost|earn|pay)\b"),
    ("date", r"\bwhen\b|\b(?:what|which) (?:date|day|month|year)\b|\bat what (?:time|hour)\b"),
    ("name", r"\b(?:who|whom|whose)\b|\b(?:what|which) (?:person|company|firm|bank)\b"),
    ("place", r"\bwhere\b|\b(?:what|which) (?:place|town|village|island|country|street|hall)\b"),
    ("reason", r"\bwhy\b"),
)
COUNTED = re.compile(r"\bhow many (?:more |of the |other )?(?P<noun>[a-z-]+)")
# How the number that is asked for is written, by the question's words; the first that fits, any number if none does.
UNITS = (
    (r"\bshare\b|\bproportion\b|\bpercentage\b|\bsteep\b", r"per cent|percent|%"),
    (r"\bcost|\bprice|\bpa(?:y|id)\b|\bearn|\bfee\b|\bsalary\b|\bmuch (?:money|is|are)\b", r"marks?\b|pence\b|million"),
    (r"\bhow (?:long|old|often)\b|\bage\b", r"(?:second|minute|hour|day|week|month|year|time|met(?:re|er))s?\b|^\d+$"),
    (r"\bhow (?:far|tall|high|deep|thick)\b", r"\b(?:milli|centi|kilo)?met(?:re|er)s?\b|\bkm\b|\bmiles?\b"),
)
SOURCE = r"(?:document|article|text|passages?|report|source|context|information|author)"
TELL = (
    r"(?:mention|say|state|specif|provid|give|contain|includ|discuss|indicat|tell|answer|address|describ|explain|name"
    r"|detail|reveal|support|know|find|available|clear|possible|determin)"
)
NOT = r"(?:not|n't|never|nothing|no|none|neither|without|cannot|unable|impossible)"
DECLINES = re.compile(
    rf"\b{SOURCE}\b[^.!?]{{0,60}}{NOT}\b[^.!?]{{0,30}}\b{TELL}|{NOT}\b[^.!?]{{0,50}}\b{TELL}\w*[^.!?]{{0,50}}\b{SOURCE}"
    rf"|\b(?:is|are|was|were|has|have|been|do|does|can)(?: \w+)? ?{NOT} (?:\w+ ){{0,3}}{TELL}|\b{TELL}\w* nothing\b"
    rf"|\b(?:no|without) (?:\w+ ){{0,3}}(?:information|mention|detail|evidence)|\bcannot (?:\w+ ){{0,3}}{TELL}"
    rf"|\b(?:none|neither|nothing) (?:of|in) [^.!?]{{0,30}}\b{SOURCE}\b[^.!?]{{0,30}}\b{TELL}"
    r"|\bunanswerable|\bunclear\b|\bunknown\b",
    re.IGNORECASE,
)
CORRECTS = re.compile(
    r"^(?:in fact|actually|contrary to|there (?:is|are|was|were) no\b)|\b(?:premise|assumption) (?:is|of)\b"
    r"|\bnot true\b|\bdid not\b|\bwas not\b|\bwere not\b|\bdoes not\b|\bnot\b[^.]{0,40}\b(?:but|instead)\b",
    re.IGNORECASE,
)
TALK = re.compile(
    rf"^(?:first|therefore|so|thus|however|please|what comes|i |it (?:only|mainly|says)|(?:the|this) {SOURCE})", re.I
)
BREAK = re.compile(r"[,;]? (?=(?:although|though|but|while)\b)")  # an answer may come before its doubt
FAR = 0.4  # share of a sentence's words that every two of the document lack, from which it answers beyond it
NEAR = 2  # sentences that are read together
REACH = 6  # words from a phrase at which another counts half


class ReadText(NamedTuple):
    """A text as it was read."""

    sentences: tuple[str, ...]
    stems: tuple[frozenset[str], ...]  # of the words in each sentence
    spread: Counter  # stem -> in how many sentences


class Doubts(NamedTuple):
    """What speaks against a question's being answered by a text, each from 0 to 1."""

    missing: float  # the weighted share of its words that the text lacks
    scattered: float  # the share that the best two sentences in a row lack
    names: float  # the share of the words of its names that the text lacks
    numbers: float  # the share of its numbers that the text lacks
    unanswered: float  # 1 if the sentences that are nearest have nothing of the kind that is asked for


@lru_cache(maxsize=2048)
def read(text: str) -> ReadText:
    whole_sentences = tuple(" ".join(sentence.split())[:LONGEST] for sentence in sentences(text))
    stems = tuple(frozenset(map(stem, WORD.findall(sentence))) for sentence in whole_sentences)
    return ReadText(whole_sentences, stems, Counter(word for words in stems for word in words))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The beginning of a word: "charge" and "charging" are one word, "universal" and "university" are, too."""
    word = word.lower().replace("\u2019", "'").removesuffix("'s")
    if word[0].isdigit():
        return word.replace(",", "")
    if word in IN_WORDS:
        return str(IN_WORDS.index(word))
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return word[:LETTERS].replace("y", "i")


def content(text: str) -> list[str]:
    """The words that say something of the matter, in order."""
    return [word for word in WORD.findall(text) if word.lower().removesuffix("'s") not in EMPTY]


def weights(words: list[str], reading: ReadText) -> dict[str, float]:
    """Stem -> what it counts: words of few sentences tell more."""
    size = len(reading.sentences) + 1
    return {stem(word): 0.3 + log(size / (reading.spread[stem(word)] + 1) + 1) for word in words}


def share(counts: dict[str, float], have) -> float:
    """The weighted share of these stems that is there; all of none."""
    total = sum(counts.values())
    return sum(value for word, value in counts.items() if word in have) / total if total else 1.0


def nearest(question: str, reading: ReadText) -> list[tuple[float, int]]:
    """(share of the question's words, number) of each sentence, best first; earlier ones win ties."""
    counts = weights(content(question), reading)
    shares = [(share(counts, stems), number) for number, stems in enumerate(reading.stems)]
    return sorted(shares, key=lambda pair: (-pair[0], pair[1]))


def evidence(text: str, reading: ReadText, overlooked=frozenset()) -> Doubts:
    """The evidence against a question or a claim; words may be overlooked."""
    words = [word for word in content(text) if word not in overlooked]
    counts = weights(words, reading)
    windows = [frozenset().union(*reading.stems[at : at + NEAR]) for at in range(len(reading.stems))]
    named = {stem(word): 1.0 for name in names(text) for word in content(name)}
    counted = {stem(number): 1.0 for number in numbers(text)}
    return Doubts(
        missing=1 - share(counts, reading.spread),
        scattered=1 - max((share(counts, window) for window in windows), default=0.0),
        names=1 - share(named, reading.spread),
        numbers=1 - share(counted, reading.spread),
        unanswered=float(not _holds_answer(text, reading)),
    )


def kind(question: str) -> str:
    """What a question asks for: number, date, name, reason or thing."""
    low = question.lower()
    return next((name for name, pattern in KINDS if re.search(pattern, low)), "thing")


def unit(question: str) -> str:
    """A pattern for what is counted or measured; one that fits everything if nobody can tell."""
    low = question.lower()
    counted = COUNTED.search(low)
    if counted:
        return rf"\b{re.escape(stem(counted['noun']))}"
    return next((pattern for words, pattern in UNITS if re.search(words, low)), "")


def _holds_answer(question, reading):
    """Whether the nearest sentences, or those behind them, have something of the kind that is asked for."""
    places = [number for _, number in nearest(question, reading)[:NEAR]]
    near = [reading.sentences[at] for place in places for at in (place, place + 1) if at < len(reading.sentences)]
    return any(phrases(sentence, kind(question), question) for sentence in near)


def phrases(sentence: str, wanted: str, question: str) -> list[str]:
    """The phrases of this kind in a sentence that say more than the question does."""
    asked = {stem(word) for word in WORD.findall(question)}
    if wanted == "number":
        matches = [match[0].strip() for match in QUANTITY.finditer(sentence)]
        fitting = re.compile(unit(question), re.IGNORECASE)
        return [phrase for phrase in matches if fitting.search(phrase) and stem(WORD.findall(phrase)[0]) not in asked]
    if wanted in PATTERNS:
        matches = [_trimmed(match[1].strip(" ."), asked) for match in PATTERNS[wanted].finditer(sentence)]
    else:
        # With a word before it, the first word of a sentence counts, too: "Ada built the loom."
        matches = [name for name in names(f"x {sentence}") if not PATTERNS["date"].fullmatch(name)]
        matches = [name for name in matches if " " in name] or matches  # full names, if there are some
    return [phrase for phrase in matches if any(stem(word) not in asked for word in content(phrase))]


def _trimmed(phrase, asked):
    """Without words of the question or empty ones at its end."""
    words = phrase.split()
    while words and (words[-1] in EMPTY or stem(words[-1]) in asked):
        words.pop()
    return " ".join(words)


class Phrase(NamedTuple):
    text: str
    sentence: str
    score: float  # the share of the question's words in its sentence and near it, from 0 to 2


def answers(passages: list[str], question: str) -> list[Phrase]:
    """All phrases that could be the answer, best first: their sentences have the question's words, near to them, and
    several passages name them. Earlier passages win ties.
    """
    readings = [read(passage) for passage in passages]
    whole = read("\n\n".join(passages))
    counts, wanted = weights(content(question), whole), kind(question)
    asked, by_phrase, votes = {stem(word) for word in WORD.findall(question)}, {}, Counter()
    for late, reading in enumerate(readings):
        for sentence, stems in zip(reading.sentences, reading.stems, strict=True):
            if all(stem(word) in asked for word in content(sentence)):  # the question itself answers nothing
                continue
            for phrase in phrases(sentence, wanted, question):
                score = share(counts, stems) + _near(phrase, sentence, counts) - 0.1 * late
                score += 0.3 * sentence.startswith(phrase)  # who or what did something tends to stand there
                votes[phrase.lower()] += 1
                if phrase.lower() not in by_phrase or by_phrase[phrase.lower()].score < score:
                    by_phrase[phrase.lower()] = Phrase(phrase, sentence, score)
    backed = [answer._replace(score=answer.score + 0.05 * votes[key]) for key, answer in by_phrase.items()]
    return sorted(backed, key=lambda answer: -answer.score)


def _near(phrase, sentence, counts):
    """How near the question's words stand to a phrase, from 0 to 1."""
    start = sentence.find(phrase)
    words = [(stem(match[0]), match.start()) for match in WORD.finditer(sentence)]
    inside = [at for at, (_, place) in enumerate(words) if start <= place < start + len(phrase)]
    total = sum(counts.values())
    if not inside or not total:
        return 0.0
    best = {}
    for at, (word, _) in enumerate(words):
        if word in counts:
            far = max(inside[0] - at, at - inside[-1], 0)
            best[word] = max(best.get(word, 0.0), counts[word] / (1 + far / REACH))
    return sum(best.values()) / total


def defuses(document: str, response: str) -> bool:
    """Whether a response declines or corrects the question, and nowhere goes on to answer it. Irony is not seen."""
    response = response.replace("\u2019", "'").strip()
    parts = [part for sentence in read(response).sentences for part in BREAK.split(sentence)]
    if not parts or re.match(r"(?:yes|no)\b[,.:;]", response, re.IGNORECASE):
        return False
    declining = [part for part in parts if DECLINES.search(part)]
    if declining and parts[0] != declining[0]:
        others = [part for part in parts if part not in declining and not TALK.search(part)]
        return not any(evidence(part, read(document)).scattered > FAR for part in others)
    return bool(declining or CORRECTS.search(parts[0]))
