"""Algorithm 1, lines 2 to 7: remove one subset of a document's claims after the other, round by round, and read the
generator's guesses for the gaps. Knows no document: the generator must not either.

A slot that an answer does not fill well keeps the claim that it had, so that the next call still has a whole list; the
reason is returned, for the rejects.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ragassay.calls.model import Answer
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.parsers.result import Abstain

MISSING = "(missing)"


class Recovered(NamedTuple):
    """The result of one slot in one call: a text, or the reason why there is none."""

    round: int
    subset: int
    slot: int
    text: str | None
    reason: str = ""
    detail: str = ""


def turns(slots, rounds: int, subsets: int) -> Iterator[tuple[int, int, list[int]]]:
    """(round, subset, slots to blank) of each call; a subset takes every `subsets`-th slot, and none is empty."""
    for turn in range(1, rounds + 1):
        for subset in range(1, subsets + 1):
            if blank := [slot for slot in slots if slot % subsets == subset - 1]:
                yield turn, subset, blank


def blanked(claims: dict[int, str], blank: list[int]) -> dict[int, str]:
    return {slot: MISSING if slot in blank else text for slot, text in claims.items()}


def read(answer: Answer, claims: dict[int, str], blank: list[int]) -> dict[int, tuple[str | None, str, str]]:
    """slot -> text, or None with reason and detail, for each blanked slot. An answer counts if it numbers the whole
    list, or exactly the gaps, or as much of the list as it could before it was cut off.
    """
    parsed = parse_numbered(answer.text, answer.finish_reason)
    if isinstance(parsed, Abstain):
        return dict.fromkeys(blank, (None, parsed.reason, answer.detail or "found no list of claims"))
    numbers = list(parsed.value)
    whole = numbers == list(claims)[: len(numbers)] if parsed.truncated else numbers == list(claims)
    if not whole and numbers != blank:
        told = f"found the numbers {numbers}, expected {list(claims)}"
        return dict.fromkeys(blank, (None, "count_mismatch", told))
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
