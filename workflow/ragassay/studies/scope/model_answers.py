"""Read what a generator answers while questions are made; whatever cannot be used comes with the reason why. Claims
are removed and guessed as in Algorithm 1, lines 2 to 7 of the paper; a slot that is not filled well keeps its claim.
Claims that remain are read by their original numbers. A question is checked for its form alone: judges decide about
the content."""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ragassay.base import chance, tables
from ragassay.calls.model import Answer, answer_columns
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.votes import IN

MISSING = "(missing)"
CLAIMS = r"(?:the |these |those )?(?:recovered |guessed |listed )?claims"
NONE = re.compile(
    rf"\W*(?:\d{{1,2}}[.:)]\s*)?\W*none(?: (?:remains?|remaining|left|of them|of {CLAIMS})"
    r"(?: (?:remains?|(?:is|are) (?:new|novel|left|unsupported)))?)?\W*",
    re.IGNORECASE,
)
SUPPORTED = re.compile(rf"\W*all (?:of )?{CLAIMS} are supported\W*", re.IGNORECASE)
LEFT_OUT = "left_out"
ASKS = "(?:who|whom|whose|what|when|where|which|why|how)"
BEGINS = "(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|many|much)"
# "..., and when was it sold?" asks twice; "who decides when and where it opens" is one question with two clauses.
TWO_ASPECTS = re.compile(rf"(?:[,;]|,? (?:and|or|but)) (?:also )?{ASKS} {BEGINS}\b", re.IGNORECASE)
CLOSERS = "\"')*_ \u201d\u2019"


class Recovered(NamedTuple):
    """The result of one slot in one call: a text, or the reason why there is none."""

    round: int
    subset: int
    slot: int
    text: str | None
    reason: str = ""
    detail: str = ""


def by_document(rows: list[dict]) -> dict[str, list[dict]]:
    """doc_id -> its rows, from rows in the order of documents, as tables have them."""
    return {doc_id: list(of_document) for doc_id, of_document in groupby(rows, key=itemgetter("doc_id"))}


def turns(slots, rounds: int, subsets: int) -> Iterator[tuple[int, int, list[int]]]:
    """(round, subset, slots to blank) of each call; a subset takes every `subsets`-th slot, and none is empty."""
    for turn in range(1, rounds + 1):
        for subset in range(1, subsets + 1):
            if blank := [slot for slot in slots if slot % subsets == subset - 1]:
                yield turn, subset, blank


def blanked(claims: dict[int, str], blank: list[int]) -> dict[int, str]:
    return {slot: MISSING if slot in blank else text for slot, text in claims.items()}


def read_guesses(answer: Answer, claims: dict[int, str], blank: list[int]) -> dict[int, tuple[str | None, str, str]]:
    """slot -> text, or None with reason and detail, for each blanked slot. An answer counts if it numbers the whole
    list, or exactly the gaps, or as much of the list as it could before it was cut off.
    """
    parsed = parse_numbered(answer.text, answer.finish_reason)
    if isinstance(parsed, Abstain):
        return dict.fromkeys(blank, (None, parsed.reason, answer.detail or "found no list of claims"))
    numbers = list(parsed.value)
    whole = numbers == list(claims)[: len(numbers)] if parsed.truncated else numbers == list(claims)
    if not whole and numbers != blank:
        detail = f"found the numbers {numbers}, expected {list(claims)}"
        return dict.fromkeys(blank, (None, "count_mismatch", detail))
    given = {plain(text) for slot, text in claims.items() if slot not in blank}
    filled = {}
    for slot in blank:
        filled[slot] = _filled(parsed.value.get(slot), given)
        given.add(plain(filled[slot][0] or ""))
    return filled


def _filled(text, given):
    if text is None:
        return None, "truncated", "the answer was cut off before this claim"
    if MISSING in text.lower() or not plain(text):
        return None, "still_missing", f"found {text!r:.60}, expected a claim"
    if plain(text) in given:
        return None, "repeated", "found a claim that the list already has"
    return " ".join(text.split()), "", ""


def plain(text: str) -> str:
    """A text without its case, spaces and marks at the ends: what is left says whether two are the same."""
    return " ".join(text.lower().split()).strip(" .!?\"'*_“”")


def remaining(answer: Answer, recovered: dict[int, str]) -> set[int] | tuple[str, str]:
    """The numbers of the claims that are not supported, or reason and detail if the answer does not tell."""
    if says_none(answer):
        return set()
    parsed = parse_numbered(answer.text, answer.finish_reason)
    if isinstance(parsed, Abstain):
        return parsed.reason, answer.detail or "found no list of claims"
    if parsed.truncated:
        return "truncated", "the answer was cut off, so that a missing claim may not be a supported one"
    if strange := wrong_numbers(parsed.value, recovered):
        return "wrong_number", strange
    return set(parsed.value)


def says_none(answer: Answer) -> bool:
    """Whether the whole answer says that there is nothing to list; one that was cut off may have gone on."""
    part = answer_part(answer.text, answer.finish_reason)
    whole = not isinstance(part, Abstain) and answer.finish_reason == "stop"
    return whole and bool(NONE.fullmatch(part) or SUPPORTED.fullmatch(part))


def wrong_numbers(answered: dict[int, str], asked: dict[int, str]) -> str:
    """What is wrong with the numbers of an answer about numbered claims; empty if nothing is."""
    if unknown := sorted(set(answered) - set(asked)):
        return f"found the numbers {unknown}, expected some of {sorted(asked)}"
    texts = {number: plain(text) for number, text in asked.items()}
    moved = [number for number, text in answered.items() if texts[number] != plain(text) in texts.values()]
    return f"found the texts of other claims under the numbers {moved}" if moved else ""


def read_questions(answer: Answer, wanted, listed: dict[int, str] | None = None) -> dict[int, tuple[str, tuple | None]]:
    """number -> question, or "" with reason and detail. `listed` are those that the numbers stand for, of which an
    answer may leave some out; without them, all are expected.
    """
    if listed and says_none(answer):
        return dict.fromkeys(wanted, ("", (LEFT_OUT, "the generator finds no question to write")))
    parsed = parse_numbered(answer.text, answer.finish_reason)
    if isinstance(parsed, Abstain):
        return dict.fromkeys(wanted, ("", (parsed.reason, answer.detail or "found no list of questions")))
    texts, left_out = parsed.value, (LEFT_OUT, "the generator writes no question here")
    if not listed:
        left_out = ("count_mismatch", f"found {len(texts)} questions, expected {len(wanted)}")
    elif strange := wrong_numbers(texts, listed):
        return dict.fromkeys(wanted, ("", ("wrong_number", strange)))
    if parsed.truncated:
        left_out = ("truncated", "the answer was cut off before this question")
    return {number: (" ".join(texts[number].split()), None) if number in texts else ("", left_out) for number in wanted}


def flaw(text: str, fewest: int, most: int) -> tuple[str, str] | None:
    """Reason and detail of what is wrong with a question, None if nothing is."""
    words = len(text.split())
    if words < fewest:
        return "too_short", f"found {words} words, expected {fewest} to {most}"
    if words > most:
        return "too_long", f"found {words} words, expected {fewest} to {most}"
    if not text.rstrip(CLOSERS).endswith("?"):
        return "no_question", "found no question mark at the end"
    if text.count("?") > 1 or TWO_ASPECTS.search(text):
        return "two_questions", "found more than one question, expected one about one aspect"
    return None


def asked_questions(questions, in_scope_share: float) -> list[dict]:
    """Rows with ids, text and intention; those of one document follow each other, for providers' caches."""
    rows = tables.read(QUESTIONS, questions, ["question_id", "doc_id", "text", "intended", "question_type"]).to_pylist()
    rows = [row for row in rows if row["intended"] != IN or chance.share(None, row["question_id"]) < in_scope_share]
    return sorted(rows, key=lambda row: row["doc_id"])


def response_row(question: dict, answer, responder: str, prompt: str) -> dict:
    """What responses and closed-book answers have in common; `prompt` is the digest of what was asked."""
    ids = {name: question[name] for name in ("question_id", "doc_id")}
    return ids | answer_columns(answer, responder, prompt)


def count_response(question: dict, answer, tally) -> None:
    """Tell the tally whether there is a text that could be judged. One that was cut off can be."""
    tally.hear(question["doc_id"], [answer])
    part = answer_part(answer.text, answer.finish_reason)
    if isinstance(part, Abstain):
        tally.reject(question["question_id"], part.reason, answer.detail, answer)
    else:
        tally.keep()
