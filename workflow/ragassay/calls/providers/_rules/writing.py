"""What rules write, in one plain way and poorly: a claim is a sentence of the document, a question asks whether a
claim is true, a guess is another claim with other numbers. It serves documents and targets for which nobody has
written better."""

import random
import re

from ragassay.calls.providers._rules.reading import EMPTY, MONTHS, WEEKDAYS, WORD, content, read, stem

LEANING = re.compile(r"(?:He|She|It|They|His|Her|Its|Their|This|That|These|Those|There|But|And|So|I|We|You|One)\b")
SHORTEST, LONGEST = 6, 40  # words of a claim
PARTS = re.compile(r",|;|:| (?:and|but|which|who|where|while|when|because|although|after|before) ")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
LEADS = (
    "Is it true that",
    "Is it true, as some say, that",
    "Is it right, as far as anybody can tell, that",
    "Is it right to say, as some people do, that in fact",
)
OPPOSITE = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
PERSONS = ("Odell Marrow", "Petra Quillan", "Silas Venn", "Corinne Abbot", "Ruth Tolland", "Edwin Parrish")
PLACES = ("Castor Bay", "Wexmoor", "Lindenfeld", "Harrow Cross", "Little Quarne")
THINGS = ("a pair of stone lions", "the old weighing house", "a crate of lemons", "the brass weathercock")
FRAMES = (
    "Concerning {topic}: {answer}, and nobody says otherwise.",
    "{answer}: that is what is known of {topic}.",
    "When it comes to {topic}, it is {answer} and always was.",
    "Ask anybody about {topic}, and you will hear {answer}.",
)
ASKING = re.compile(
    r"^(?:\w+ )?(?:how \w+|who|whose|what|which|when|where|why)(?: (?:is|are|was|were|did|do|does))? ", re.I
)
MISSING = "(missing)"


def claims(document: str, count: int | None) -> list[str]:
    """Sentences that can stand alone, in their order; if not all are wanted, those with most names and numbers."""
    kept = []
    for sentence in read(document).sentences:
        leans = LEANING.match(sentence) or sentence[:1] in "\"'\u2018\u201c*-"
        if not leans and sentence[-1:] == "." and SHORTEST <= len(sentence.split()) <= LONGEST:
            kept.append(sentence)
    kept = list(dict.fromkeys(kept))
    capitals = {sentence: len(re.findall(r" [A-Z\d]", sentence)) / len(sentence.split()) for sentence in kept}
    best = sorted(kept, key=lambda sentence: -capitals[sentence])[: len(kept) if count is None else count]
    return [sentence for sentence in kept if sentence in best]


def filled(listed: dict[int, str], chance: random.Random) -> dict[int, str]:
    """A list of claims with a guess in each gap: a claim that is left, with other numbers, or as if it lay ahead."""
    left = [claim for claim in listed.values() if MISSING not in claim]
    return {slot: _guess(left, slot, chance) if MISSING in claim and left else claim for slot, claim in listed.items()}


def _guess(left, slot, chance):
    claim = left[slot % len(left)]
    if NUMBER.search(claim):
        return changed(claim, chance)
    return f"{claim.rstrip('. ')}, and {chance.choice(('twice', 'half'))} as much is planned for next year."


def changed(text: str, chance: random.Random) -> str:
    """The text with other numbers, months and weekdays."""
    for names in (MONTHS, WEEKDAYS):
        text = re.sub(rf"\b(?:{'|'.join(names)})\b", lambda name: _other(name[0], names, chance), text)  # noqa: B023
    return NUMBER.sub(lambda number: _other_number(number[0], chance), text)


def _other(name, names, chance):
    return chance.choice([other for other in names if other != name])


def _other_number(text, chance):
    """A number of the same form; a year stays a year."""
    if re.fullmatch(r"(?:1[5-9]|20)\d\d", text):
        return str(int(text) - chance.choice((4, 7, 12, 19)))
    value = float(text.replace(",", "")) * chance.choice((0.4, 0.6, 0.75)) + 2
    decimals = len(text.partition(".")[2])
    other = f"{value:,.{decimals}f}" if "," in text else f"{value:.{decimals}f}"
    return other if other != text else f"{other}0"


def question(claim: str, fewest: int, most: int) -> str:
    """Whether a claim is true, in so many words; nothing if that cannot be asked."""
    claim = claim.strip().rstrip(".")
    if claim.split(" ")[0].lower() in EMPTY and claim[:2] != "I ":
        claim = claim[:1].lower() + claim[1:]
    starts = [part.start() for part in PARTS.finditer(claim)]
    for end in [len(claim), *reversed(starts)]:
        words = claim[:end].split()
        for lead in LEADS:
            if len(words) >= SHORTEST and fewest <= len(lead.split()) + len(words) <= most:
                return f"{lead} {claim[:end].rstrip(',;: ')}?"
    return ""


def reordered(sentences: tuple[str, ...]) -> str:
    """The sentences of a passage, the second half first, behind a remark."""
    half = (len(sentences) + 1) // 2
    return " ".join(["In short:", *sentences[half:], *sentences[:half]])


def rephrased(text: str) -> str:
    """The same question, asked politely."""
    return f"Can you tell me this: {text.strip()[:1].lower()}{text.strip()[1:]}"


def wrong_answer(answer: str, chance: random.Random) -> str:
    """One that looks like the right one: another number, month or day, or another person, place or thing."""
    plain = answer.strip(" .")
    if plain.lower() in OPPOSITE:
        return OPPOSITE[plain.lower()]
    if (other := changed(plain, chance)) != plain:
        return other
    capitals = [word for word in plain.split() if word[:1].isupper()]
    others = THINGS if not capitals else PERSONS if len(capitals) > 1 else PLACES
    words = set(map(stem, WORD.findall(plain)))
    return chance.choice([other for other in others if not words & set(map(stem, content(other)))] or THINGS)


def texts(question: str, answer: str, count: int, chance: random.Random) -> list[str]:
    """So many texts that state the answer, in different frames."""
    made, topic = [], ASKING.sub("", question.strip().rstrip("? ")) or question
    frames = chance.sample(FRAMES, len(FRAMES))
    for number in range(count):
        again, place = divmod(number, len(frames))
        text = frames[place].format(topic=topic, answer=answer)
        made.append(f"{text} ({again})" if again else text)
    return made
