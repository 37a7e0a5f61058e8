"""Verdicts of judges and the labels that they give: for both rules that label."""

YES, NO, NOT = True, False, None
# verdicts -> the label of a question and its margin
LABELS = [
    ([YES] * 5 + [NO] * 4, "out_of_scope", 1 / 9),
    ([NO] * 9, "in_scope", -1.0),
    ([YES, NO], "tie", 0.0),
    ([NO, YES], "tie", 0.0),
    ([YES, NOT], "out_of_scope", 0.5),
    ([YES, NO, NO, NOT], "in_scope", -0.25),
    ([YES, NOT, NOT], "no_verdict", 1 / 3),
    ([NOT] * 3, "no_verdict", 0.0),
]


def votes(verdicts, same):
    return [
        same | {"vote": number, "verdict": verdict, "abstained": "empty" if verdict is None else None, "detail": None}
        for number, verdict in enumerate(verdicts, 1)
    ]
