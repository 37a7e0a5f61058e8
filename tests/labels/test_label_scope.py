"""label_scope: majorities, ties as a class, abstentions counted and never taken for a side."""

import pytest

from scripts.labels.label_scope import label_scope

YES, NO, NOT = True, False, None


@pytest.mark.parametrize(
    ("verdicts", "label", "margin"),
    [
        ([YES] * 5 + [NO] * 4, "out_of_scope", 1 / 9),
        ([NO] * 9, "in_scope", -1.0),
        ([YES, NO], "tie", 0.0),
        ([NO, YES], "tie", 0.0),
        ([YES, NOT], "out_of_scope", 0.5),
        ([YES, NO, NO, NOT], "in_scope", -0.25),
        ([YES, NOT, NOT], "no_verdict", 1 / 3),
        ([NOT] * 3, "no_verdict", 0.0),
    ],
)
def test_labels(study, verdicts, label, margin):
    votes = [
        {"question_id": "q", "vote": number, "doc_id": "a", "verdict": verdict, "judge": "m", "prompt": "p"}
        | {"abstained": "empty" if verdict is None else None, "detail": None}
        for number, verdict in enumerate(verdicts, 1)
    ]
    study.write(scope_votes=votes)
    [[row]] = study.run(label_scope, ["scope_votes"], ["scope_labels"], asking=False, least_share=0.5)
    assert (row["label"], row["margin"]) == (label, pytest.approx(margin))
    counts = [row[name] for name in ("out_votes", "in_votes", "abstained")]
    assert counts == [verdicts.count(kind) for kind in (YES, NO, NOT)] and row["doc_id"] == "a"
