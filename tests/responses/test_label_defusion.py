"""label_defusion: the same majorities as of questions, with the other sign: who defuses is less suspicious."""

import pytest

from ballots import LABELS, NO, NOT, YES, votes
from scripts.responses.label_defusion import label_defusion

DEFUSED = {"out_of_scope": "defused", "in_scope": "not_defused"}  # YES is a verdict for either


@pytest.mark.parametrize(("verdicts", "label", "margin"), LABELS)
def test_labels_of_responses(study, verdicts, label, margin):
    same = {"question_id": "q", "doc_id": "a", "responder": "r", "prompt_name": "basic", "judge": "m", "prompt": "p"}
    study.write(defusion_votes=votes(verdicts, same))
    [[row]] = study.run(label_defusion, ["defusion_votes"], ["defusion_labels"], asking=False, least_share=0.5)
    counts = dict(
        zip(("defused_votes", "not_defused_votes", "abstained"), map(verdicts.count, (YES, NO, NOT)), strict=True)
    )
    assert row == same | counts | {"label": DEFUSED.get(label, label), "margin": pytest.approx(-margin)}
