"""Other words at the front of a question, most of them more: "who" as "who was it that", "when" as "on which day".

What a question asks for stays the same; how well a front sounds with what follows is not checked.
"""

import re

from ragassay.embedded.english.clauses import PRESENT
from ragassay.embedded.english.entities import is_person, organisation
from ragassay.embedded.english.vocabulary import WEEKDAYS

SHORT = 10  # words of a question below which it can do with many more
ASKING = r"(?:is|are|was|were|will|would|has|have|had|do|does|did|should|must)\b"
FRONTS = (
    "in",
    "by",
    "for",
    "over",
    "after",
    "within",
    "with",
    "against",
)  # prepositions that can stand before "how many"


def openings(text: str, hidden: str = "") -> list[str]:
    """The question, and the same with other words at its front, most of them longer; `hidden` is what it asks for."""
    text = text[:1].lower() + text[1:]
    first, _, rest = text.partition(" ")
    if first == "when":
        return (
            [*(f"{opening} {rest}" for opening in _dated(hidden)), text] if hidden else [text, f"when exactly {rest}"]
        )
    if first == "who" and rest.split()[1] != "it":
        now = re.match(r"(?:is|are|will|would) ", rest) or rest.split()[0] in PRESENT
        one = not hidden or (is_person(hidden) and hidden[0].isupper() and " " in hidden and hidden[:4] != "The ")
        short = len(text.split()) < SHORT
        by_name = [f"what is the name of the person who {rest}"] if one and short else []
        by_name += (
            [f"which organisation {'is' if now else 'was'} it that {rest}"] if hidden and organisation(hidden) else []
        )
        longer = [] if rest.startswith(("is ", "was ", "were ")) else [f"who {'is' if now else 'was'} it that {rest}"]
        return [text, *longer, *by_name]
    if first == "what" and re.match(rf"{ASKING}", rest) is None and not rest.startswith(("percentage", "purpose")):
        return (
            [text, f"what was it that {rest}"] if rest.split()[0] not in PRESENT else [text, f"what is it that {rest}"]
        )
    if text.startswith("by what percentage"):
        return [text, f"by exactly what percentage{text[18:]}"]
    if which := re.match(rf"(?P<which>which [a-z-]+) (?!{ASKING})(?P<told>[a-z]+(?:ed|s)\b.*)", text):
        tense = "is" if which["told"].split()[0] in PRESENT else "was"
        return [text, f"{which['which']} {tense} it that {which['told']}"]
    if first == "where":
        return [f"in which place {rest}", text]
    if counted := re.match(
        rf"(?P<before>(?:{'|'.join(FRONTS)} )?)(?P<what>how many (?:[a-z-]+ ){{0,3}}?[a-z-]+)(?= {ASKING})", text
    ):
        before, what, rest = counted["before"], counted["what"], text[counted.end() :]
        altogether = [] if " in all" in rest else [f"{before}{what} in all{rest}"]
        return [text, f"{before}exactly {what}{rest}", *altogether]
    return [text]


def _dated(date):
    if re.fullmatch(r"\d{4}", date):
        return ["in which year"]
    if re.search(r"\d{1,2} [A-Z]|[A-Z]\w+ \d{1,2}(?!\d)", date):
        return ["on which date", "on which day of the year", "on which day of which month"]
    if date in WEEKDAYS:
        return ["on which day", "on which day of the week"]
    return ["in which month", "in which month of which year"] if re.search(r"\d{4}", date) else ["in which month"]
