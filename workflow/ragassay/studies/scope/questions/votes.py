"""From votes to a label: the majority of the verdicts, with ties and too few verdicts as separate classes.

Abstentions are counted and never taken for a side. A margin is higher where there is more to suspect: the question is
out of scope, the response is not defused.
"""

from typing import NamedTuple

OUT, IN, TIE, UNCLEAR = "out_of_scope", "in_scope", "tie", "no_verdict"
KINDS = {OUT: "out of scope", IN: "in scope"}  # of questions, in words
DEFUSED, NOT_DEFUSED = "defused", "not_defused"
UNLABELLED = "unlabelled"  # what a question set from elsewhere may leave a question
KEPT, DISPUTED, UNDECIDED = "kept", "disputed", "undecided"


class Label(NamedTuple):
    label: str
    margin: float  # from -1 (all votes in scope) to 1 (all out of scope)
    out_votes: int
    in_votes: int
    abstained: int


class DefusionLabel(NamedTuple):
    label: str
    margin: float  # from -1 (all votes for defused) to 1 (none)
    defused_votes: int
    not_defused_votes: int
    abstained: int


def label(verdicts: list[bool | None], least_share: float) -> Label:
    """The label of one question; True is a verdict for out of scope, None an abstention. With verdicts on less than
    `least_share` of the votes there is no label.
    """
    out, inside = verdicts.count(True), verdicts.count(False)
    name = majority({OUT: out, IN: inside}, len(verdicts), least_share)
    return Label(name, (out - inside) / len(verdicts), out, inside, len(verdicts) - out - inside)


def defusion_label(verdicts: list[bool | None], least_share: float) -> DefusionLabel:
    """The label of one response in the same way; True is a verdict that it declines or corrects."""
    defused, not_defused = verdicts.count(True), verdicts.count(False)
    name = majority({DEFUSED: defused, NOT_DEFUSED: not_defused}, len(verdicts), least_share)
    margin, abstained = (not_defused - defused) / len(verdicts), len(verdicts) - defused - not_defused
    return DefusionLabel(name, margin, defused, not_defused, abstained)


def majority(counts: dict[str, int], votes: int, least_share: float) -> str:
    """The side with more verdicts, or the class for a tie or too few."""
    verdicts = sum(counts.values())
    if verdicts == 0 or verdicts < least_share * votes:
        return UNCLEAR
    first, second = sorted(counts, key=counts.get, reverse=True)
    return TIE if counts[first] == counts[second] else first


def status(intended: str, labelled: str) -> str:
    """The status of a question, from its intention and its label."""
    if labelled in (TIE, UNCLEAR) or intended == UNLABELLED:
        return UNDECIDED
    return KEPT if intended == labelled else DISPUTED
