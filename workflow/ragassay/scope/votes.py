"""From votes to a label: the majority of the verdicts, with ties and too few verdicts as classes of their own.

Abstentions are counted and never taken for a side.
"""

from typing import NamedTuple

OUT, IN, TIE, UNCLEAR = "out_of_scope", "in_scope", "tie", "no_verdict"
KEPT, DISPUTED, UNDECIDED = "kept", "disputed", "undecided"


class Label(NamedTuple):
    label: str
    margin: float  # from -1 (all votes in scope) to 1 (all out of scope)
    out_votes: int
    in_votes: int
    abstained: int


def label(verdicts: list[bool | None], least_share: float) -> Label:
    """The label of one question; True is a verdict for out of scope, None an abstention. With verdicts on less than
    `least_share` of the votes there is no label.
    """
    out, inside = verdicts.count(True), verdicts.count(False)
    margin = (out - inside) / len(verdicts)
    if out + inside == 0 or out + inside < least_share * len(verdicts):
        name = UNCLEAR
    else:
        name = OUT if out > inside else IN if inside > out else TIE
    return Label(name, margin, out, inside, len(verdicts) - out - inside)


def status(intended: str, labelled: str) -> str:
    """What comes of a question that was meant one way and labelled this way."""
    if labelled in (TIE, UNCLEAR):
        return UNDECIDED
    return KEPT if intended == labelled else DISPUTED
