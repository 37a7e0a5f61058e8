"""label_scope and label_defusion: majorities, ties as a class, abstentions counted and never taken for a side; a higher
margin is more suspicious.
"""

import pytest

from scripts.labels.label_scope import label_scope
from scripts.responses.label_defusion import label_defusion

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
DEFUSED = {"out_of_scope": "defused", "in_scope": "not_defused"}  # YES is a verdict for either


def votes(verdicts, same):
    return [
        same | {"vote": number, "verdict": verdict, "abstained": "empty" if verdict is None else None, "detail": None}
        for number, verdict in enumerate(verdicts, 1)
    ]


@pytest.mark.parametrize(("verdicts", "label", "margin"), LABELS)
def test_labels_of_questions(study, verdicts, label, margin):
    same = {"question_id": "q", "doc_id": "a", "judge": "m", "prompt": "p"}
    study.write(scope_votes=votes(verdicts, same))
    [[row]] = study.run(label_scope, ["scope_votes"], ["scope_labels"], asking=False, least_share=0.5)
    counts = dict(zip(("out_votes", "in_votes", "abstained"), map(verdicts.count, (YES, NO, NOT)), strict=True))
    assert row == same | counts | {"label": label, "margin": pytest.approx(margin)}


@pytest.mark.parametrize(("verdicts", "label", "margin"), LABELS)
def test_labels_of_responses(study, verdicts, label, margin):
    same = {"question_id": "q", "doc_id": "a", "responder": "r", "prompt_name": "basic", "judge": "m", "prompt": "p"}
    study.write(defusion_votes=votes(verdicts, same))
    [[row]] = study.run(label_defusion, ["defusion_votes"], ["defusion_labels"], asking=False, least_share=0.5)
    counts = dict(
        zip(("defused_votes", "not_defused_votes", "abstained"), map(verdicts.count, (YES, NO, NOT)), strict=True)
    )
    assert row == same | counts | {"label": DEFUSED.get(label, label), "margin": pytest.approx(-margin)}
