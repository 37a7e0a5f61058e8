"""Whether the passages that were retrieved bear an answer out, by words alone: is a passage of the document among them,
do the answer's words stand there, and does it cite only what it was given. English; no judge votes."""

import re
from typing import NamedTuple

from ragassay.grading.matches import normalized
from ragassay.text.words import FUNCTION_WORDS, names

RUN = 5  # words in a row that a passage and its document share
SAME_TEXT = 0.5  # share of a passage's runs from which it is of the document
SUPPORTED = 0.75  # share of an answer's words from which it is supported, if no number and no name is missing
BRACKETS = re.compile(r"\[([^\[\]\n]{1,200})\]|\(source:?\s+([^()\n]{1,200})\)", re.IGNORECASE)
NUMBERED = re.compile(r"(?:passage|doc(?:ument)?|source|ref)?[\s.#]*\^?(\d{1,3})", re.IGNORECASE)
ADDRESS = re.compile(r"https?://[^\s)\]>\"']+")
LIKE_AN_ID = re.compile(r"\S*[\d/._#]\S*")


class Grounding(NamedTuple):
    """`support` is None where the answer adds no words to the question's, or nothing was retrieved."""

    support: float | None
    supported: bool | None


def is_of_document(passage: dict, document: dict) -> bool:
    """Whether a passage is from a document, a row of documents."""
    places = {document[name] for name in ("doc_id", "source_id", "url")} - {None, ""}
    if places & {passage["id"], passage["source"]}:
        return True
    words = normalized(passage["text"])
    length = min(RUN, len(words))
    runs = _runs(words, length)
    return bool(length) and len(runs & _runs(normalized(document["text"]), length)) >= SAME_TEXT * len(runs)


def grounding(answer: str, question: str, passages: list[dict]) -> Grounding:
    """Whether an answer stands in the passages. What it repeats of the question counts for nothing."""
    asked = set(normalized(question)) | FUNCTION_WORDS
    uncited = ADDRESS.sub(" ", BRACKETS.sub(" ", answer))
    added = [word for word in normalized(uncited) if word not in asked]
    if not added:
        return Grounding(None, None)
    given = {word for passage in passages for word in normalized(passage["text"])}
    support = sum(word in given for word in added) / len(added)
    named = {word for name in names(uncited) for word in normalized(name)} - asked
    exact = named | {word for word in added if any(map(str.isdecimal, word))}
    return Grounding(support, support >= SUPPORTED and exact <= given)


def citations(answer: str, passages: list[dict]) -> list[bool]:
    """For each citation in an answer, in order, whether it is of a passage that it was given: by number, id, source or
    address.
    """
    given = {str(passage[name]).casefold() for passage in passages for name in ("id", "source") if passage[name]}
    texts = " ".join(passage["text"] for passage in passages)
    addresses = [address.rstrip(".,;:") for address in ADDRESS.findall(answer)]
    checked = [address in texts or _leads_to(address, given) for address in addresses]
    for bracket in BRACKETS.findall(ADDRESS.sub(" ", answer)):
        for part in re.split(r"\s*[,;]\s*", "".join(bracket).strip()):
            if number := NUMBERED.fullmatch(part):
                checked.append(1 <= int(number[1]) <= len(passages) or number[1] in given)
            elif part.casefold() in given or LIKE_AN_ID.fullmatch(part):
                checked.append(part.casefold() in given)
    return checked


def _leads_to(address, given):
    """Whether an address is that of a source, or of a part of one."""
    return any(address.casefold().startswith(place) for place in given if "://" in place)


def _runs(words, length):
    return {words[at : at + length] for at in range(len(words) - length + 1)}
