"""From votes to a label: the majority of the verdicts, with ties and too few verdicts as separate classes.
Abstentions are never taken for a side. A margin is higher where there is more to suspect."""

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import groupby
from operator import itemgetter

OUT, IN, TIE, UNCLEAR = "out_of_scope", "in_scope", "tie", "no_verdict"
KINDS = {OUT: "out of scope", IN: "in scope"}  # of questions, in words
DEFUSED, NOT_DEFUSED = "defused", "not_defused"
RECORDED = "recorded"  # the prompt behind responses that were recorded elsewhere
ALONE = "question_alone"  # the prompt of services, which are asked the question by itself
UNLABELLED = "unlabelled"  # what a question set from elsewhere may leave a question
KEPT, DISPUTED, UNDECIDED = "kept", "disputed", "undecided"


def label(verdicts: list[bool | None], least_share: float) -> dict:
    """The label of one question with its margin and counts; True is a verdict for out of scope, None an abstention. The
    margin is -1 if all votes are for in scope, 1 if all are for out of scope. With verdicts on less than `least_share`
    of the votes there is no label.
    """
    out, inside = verdicts.count(True), verdicts.count(False)
    return {
        "label": majority({OUT: out, IN: inside}, len(verdicts), least_share),
        "margin": (out - inside) / len(verdicts),
        "out_votes": out,
        "in_votes": inside,
        "abstained": verdicts.count(None),
    }


def defusion_label(verdicts: list[bool | None], least_share: float) -> dict:
    """The label of one response in the same way; True is a verdict that it declines or corrects. The margin is -1 if
    all votes are for defused.
    """
    defused, not_defused = verdicts.count(True), verdicts.count(False)
    return {
        "label": majority({DEFUSED: defused, NOT_DEFUSED: not_defused}, len(verdicts), least_share),
        "margin": (not_defused - defused) / len(verdicts),
        "defused_votes": defused,
        "not_defused_votes": not_defused,
        "abstained": verdicts.count(None),
    }


def labelled(votes: list[dict], label: Callable, columns: Iterable[str], least_share: float) -> list[dict]:
    """One row for each question, from rows of votes in the order of their questions: its label, and of `columns` what
    its votes have in common. `label` is `label` or `defusion_label`.
    """
    rows = []
    for _, of_question in groupby(votes, key=itemgetter("question_id")):
        of_question = list(of_question)
        same = {name: of_question[0][name] for name in columns if name in of_question[0]}
        rows.append(same | label([vote["verdict"] for vote in of_question], least_share))
    return rows


def counts_of(rows: list[dict]) -> str:
    """How often each label was given, in words."""
    return ", ".join(f"{count} {name}" for name, count in sorted(Counter(row["label"] for row in rows).items()))


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
