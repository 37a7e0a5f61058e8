"""label_defusion: majorities, ties as a class, abstentions never taken for a side; more suspicious is higher."""

import pytest

from scripts.responses.label_defusion import label_defusion

YES, NO, NOT = True, False, None


@pytest.mark.parametrize(
    ("verdicts", "label", "margin"),
    [
        ([YES] * 5 + [NO] * 4, "defused", -1 / 9),
        ([NO] * 9, "not_defused", 1.0),
        ([YES, NO], "tie", 0.0),
        ([NO, YES], "tie", 0.0),
        ([YES, NOT], "defused", -0.5),
        ([YES, NO, NO, NOT], "not_defused", 0.25),
        ([NO, NOT, NOT], "no_verdict", 1 / 3),
        ([NOT] * 3, "no_verdict", 0.0),
    ],
)
def test_labels(study, verdicts, label, margin):
    same = {"question_id": "q", "doc_id": "a", "responder": "r", "prompt_name": "basic", "judge": "m", "prompt": "p"}
    votes = [
        same | {"vote": number, "verdict": verdict, "abstained": "empty" if verdict is None else None, "detail": None}
        for number, verdict in enumerate(verdicts, 1)
    ]
    study.write(defusion_votes=votes)
    [[row]] = study.run(label_defusion, ["defusion_votes"], ["defusion_labels"], asking=False, least_share=0.5)
    assert (row["label"], row["margin"]) == (label, pytest.approx(margin))
    counts = [row[name] for name in ("defused_votes", "not_defused_votes", "abstained")]
    assert counts == [verdicts.count(kind) for kind in (YES, NO, NOT)]
    assert {name: row[name] for name in same} == same
