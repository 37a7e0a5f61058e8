"""Judge whether a response to a question declines or corrects it instead of answering it.

By phrases: what people and models write when a text does not tell ("does not mention", "no information", "cannot be
determined") or when they correct a premise ("did not", "in fact", "contrary to"), and by what remains: a response
whose other sentences go on to answer is not defused. Irony, and answers that hide behind a polite opening, are not
seen; nor is a correction that needs knowledge of the world.
"""

import random
import re
from typing import NamedTuple

from ragassay.embedded.english.words import content, stem
from ragassay.embedded.tasks.evidence import LEANING, read, unsupported
from ragassay.text.sentences import sentences

SOURCE = r"(?:document|article|text|passages?|report|source|context|content|information|story|piece|excerpt|author)"
TELL = (
    r"(?:mention|say|state|specif|provide|give|contain|includ|discuss|indicat|tell|answer|address|describ|explain|cover"
    r"|name|offer|disclos|detail|reveal|report|list|elaborat|support|suggest|refer|know|find|available|clear|possible"
    r"|outlin|highlight|note|present)"
)
NOT = r"(?:not|n't|n\u2019t|never|nothing|no|none|neither|without|cannot|unable|nowhere)"
CANNOT = r"(?:can ?not|can['\u2019]t|could not|unable to|impossible to|not possible to)"
DECLINES = (
    rf"\b{SOURCE}\b[^.!?]{{0,60}}{NOT}\b[^.!?]{{0,30}}\b{TELL}",
    rf"\b{TELL}\w* nothing\b",
    rf"{NOT}\b[^.!?]{{0,50}}\b{TELL}\w*[^.!?]{{0,50}}\b{SOURCE}",
    rf"\b(?:is|are|was|were|has|have|been)(?: \w+)? ?{NOT} (?:\w+ ){{0,3}}{TELL}",
    r"\b(?:no|any|without) (?:\w+ ){0,3}(?:information|mention|detail|evidence|indication|data)",
    rf"\b{CANNOT} (?:\w+ ){{0,3}}(?:answer|say|tell|determin|know|provid|confirm|be (?:answered|determined|said))",
    r"\b(?:do not|don['\u2019]t|does not) (?:know|have (?:any|enough|that))",
    r"\bunanswerable|\bunclear\b|\bunknown\b|\bnot known\b|\bno answer\b",
)
CORRECTS = (
    r"^(?:in fact|actually|contrary to|there (?:is|are|was|were) no\b)",
    r"\b(?:premise|assumption|claim) (?:is|of)\b[^.]{0,80}(?:wrong|false|incorrect|not)",
    r"\b(?:incorrect|false|mistaken|wrong)(?:ly)? (?:premise|assum|to say|that)",
    r"\bnot true\b|\bdid not\b|\bwas not\b|\bwere not\b|\bdoes not\b",
    r"\bnot\b[^.]{0,40}\b(?:but|instead)\b",
)
TALK = (  # how sentences begin that speak of the document or of the answering and not of the matter
    r"^(?:first|let me|to answer|what comes|therefore|so|thus|hence|however|please|if you|i |for (?:more|further))",
    r"^(?:further|additional|it (?:only|mainly|mostly|primarily|says|does|gives))",
    rf"^(?:the|this) {SOURCE}",
)
DECLINES, CORRECTS, TALK = (re.compile("|".join(phrases), re.IGNORECASE) for phrases in (DECLINES, CORRECTS, TALK))
BREAK = re.compile(r"[,;]? (?=(?:although|though|even though|but|while)\b)")  # an answer may come before its doubt
OVERLOOKS = 0.12  # chance that a sampled vote skips a sentence


class Defusion(NamedTuple):
    defused: bool
    why: str


def judge(document: str, question: str, response: str, chance: random.Random | None = None) -> Defusion:
    """Whether the response declines or corrects; with `chance` it is one vote of several and skips some sentences."""
    found = [part.strip() for sentence in sentences(response) for part in BREAK.split(" ".join(sentence.split()))]
    read_ones = [one for one in found if not chance or chance.random() >= OVERLOOKS] or found
    if not read_ones:
        return Defusion(False, "The response is empty, so it neither declines nor corrects.")
    if re.match(r"(?:yes|no)\b[,.:;]", found[0], re.I):
        return Defusion(False, "The response answers with yes or no.")
    declining = [one for one in read_ones if DECLINES.search(one)]
    if declining:
        answering = [one for one in read_ones if one not in declining and _asserts(one, document, question)]
        if not answering or found.index(declining[0]) == 0:
            return Defusion(True, "The response says that this cannot be learned from the document, so it declines.")
        return Defusion(False, "The response answers, although it also admits that something is missing.")
    if CORRECTS.search(read_ones[0]) and not re.match(
        r"(?:did|was|were|does|do|is|are|has|have|can)\b", question, re.I
    ):
        return Defusion(True, "The response says that something the question takes for granted is not so.")
    return Defusion(False, "The response gives an answer and does not say that anything is missing or wrong.")


def _asserts(sentence, document, question):
    """Whether a sentence answers beyond the document; talk about the document, what it says, and what has
    nothing to do with the question are no answers.
    """
    asked, said = ({stem(word) for word in content(text)} for text in (question, sentence))
    if TALK.search(sentence) or not said - asked or not (said & asked or LEANING.match(sentence)):
        return False
    return unsupported(sentence, read(document)) > 0.4
