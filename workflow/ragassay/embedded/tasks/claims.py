"""Extract claims: rank a document's sentences, cut each to its main clause and make it understandable by itself.

What a claim says stands in the document, in the document's words; nothing is put together from several sentences. A
leading pronoun is replaced by the subject of the sentence before where that is the only candidate, "the bridge" by
"the Marl Bridge" where the document has one such name; sentences for which this is not safe are skipped, and so are
quoted speech and questions. A short document may give fewer claims than were asked for.
"""

import re
from typing import NamedTuple

from ragassay.embedded.english.clauses import NO_SUBJECT, Clause, clause
from ragassay.embedded.english.facts import facts, inner_capitals
from ragassay.embedded.english.facts import person as person_like
from ragassay.embedded.english.vocabulary import STOP
from ragassay.embedded.english.words import content, stem
from ragassay.text.sentences import sentences

PRONOUNS = re.compile(r"\b(?:he|she|it|they|him|them|hers|theirs|this|these|those|we|our|us)\b", re.I)
OWNERS = re.compile(r"\b(?:his|her|its|their)\b")
LEADING = re.compile(r"^(He|She|It|His|Her|Its)\b")
QUOTED = re.compile(r"[\"“”]|(?:^|\s)['\u2018]\w")
LEANS = re.compile(r"(?:They|Their|This|That|These|Those|There|Then|We|Our|I|You|And|But|So|Yet|One|Both|Here)\b")
LISTED = re.compile(r"^\s*[*\u2022-]\s", re.MULTILINE)  # lines of a list do not make a sentence
LONGEST, SHORTEST = 45, 6  # words of a claim
ALIKE = 0.6  # share of common words from which two claims count as the same


class Candidate(NamedTuple):
    text: str
    taken: Clause | None
    score: float
    place: int


def extract(document: str, count: int, chance) -> list[str]:
    """Up to `count` claims in the document's order; `chance` (a random.Random or None) varies which."""
    ranked = candidates(document)
    if chance:
        ranked = [one._replace(score=one.score * chance.uniform(0.7, 1.3)) for one in ranked]
    chosen = []
    for one in sorted(ranked, key=lambda one: (-one.score, one.place)):
        if len(chosen) == count:
            break
        if all(alike(one.text, other.text) < ALIKE for other in chosen):
            chosen.append(one)
    return [one.text for one in sorted(chosen, key=lambda one: one.place)]


def candidates(document: str) -> list[Candidate]:
    """Every sentence that can be a claim, made standalone, with a score for how much it tells."""
    known, found, before = inner_capitals(document), [], None
    for place, sentence in enumerate(sentences(document)):
        listed, sentence = bool(LISTED.search(sentence)), " ".join(sentence.split())
        quoted = listed or bool(QUOTED.search(sentence)) or sentence.endswith("?")
        resolved = None if quoted else standalone(sentence, before, known)
        taken = clause(resolved) if resolved else None
        before = taken
        if not resolved:
            continue
        if taken:
            subject = named(taken.subject, document)
            taken = taken._replace(subject=subject)
            text = f"{subject} {taken.predicate}"
        else:
            text = resolved.rstrip(".!")
        text = text[:1].upper() + text[1:]
        words = text.split()
        if not SHORTEST <= len(words) <= LONGEST or text[0].islower() or _foreign(words):
            continue
        if not LEANS.match(text):
            found.append(Candidate(f"{text}.", taken, _score(text, taken, known, place), place))
    return found


def _foreign(words):
    """Whether so many words without any of the commonest can only be in another language."""
    return len(words) >= 10 and not STOP & {word.lower() for word in words}


def standalone(sentence: str, before: Clause | None, known) -> str | None:
    """The sentence with its leading pronoun replaced; None if it leans on its neighbours in some other way."""
    leading = LEADING.match(sentence)
    if not leading:
        return sentence
    if before is None:
        return None
    subject = before.subject
    person = re.fullmatch(r"[A-Z][\w\u2019'-]+(?: [A-Z][\w\u2019'-]+){1,2}", subject) and person_like(subject)
    if leading[1] in ("It", "Its"):
        if (
            not subject.startswith("The ")
            or person
            or before.plural
            or "'s " in subject
            or re.search(r"\b(?:a|an|the)\b", before.rest)
        ):
            return None
    elif not person:
        return None
    others = [name for name in facts(before.rest, known).names if " " in name]
    if others:
        return None  # two candidates
    owner = "'s" if leading[1] in ("His", "Her", "Its") else ""
    return f"{subject}{owner}{sentence[leading.end() :]}"


def named(subject: str, document: str) -> str:
    """ "The bridge" becomes "The Marl Bridge", "Osk" becomes "Renata Osk", if the document has exactly one name that
    ends so.
    """
    common = re.fullmatch(r"The ([a-z]+)", subject)
    if not common and not re.fullmatch(r"[A-Z][\w\u2019-]+", subject):
        return subject
    last = common[1].capitalize() if common else subject
    full = set(re.findall(rf"(?<=[a-z,] )((?:[A-Z][\w\u2019'-]+ ){{1,2}}{last})\b(?! [A-Z]| of [A-Zt])", document))
    full |= set(
        re.findall(
            rf"(?:^|\. |\n)((?:(?!The |A |In |On |At )[A-Z][\w\u2019'-]+ ){{1,2}}{last})\b(?! [A-Z]| of [A-Zt])",
            document,
        )
    )
    full = {name for name in full if name.split()[0].lower() not in NO_SUBJECT}
    if len(full) != 1:
        return subject
    return f"The {full.pop()}" if common else full.pop()


def alike(one: str, other: str) -> float:
    a, b = ({stem(word) for word in content(text)} for text in (one, other))
    return len(a & b) / (min(len(a), len(b)) or 1)


def _score(text, taken, known, place):
    found = facts(text, known)
    score = 2.0 * bool(taken) + min(len(found.names), 3) + 1.5 * min(len(found.numbers) + len(found.dates), 2)
    score += 0.1 * len(content(text)) - 0.05 * place
    return score - 3.0 * len(PRONOUNS.findall(text)) - 0.5 * len(OWNERS.findall(text)) - (3.0 if not taken else 0.0)
