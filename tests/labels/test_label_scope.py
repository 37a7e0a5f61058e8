"""label_scope: majorities, ties as a class, abstentions counted and never taken for a side; a higher margin is more
suspicious.
"""

import pytest

from ballots import LABELS, NO, NOT, YES, votes
from scripts.labels.label_scope import label_scope


@pytest.mark.parametrize(("verdicts", "label", "margin"), LABELS)
def test_labels_of_questions(study, verdicts, label, margin):
    same = {"question_id": "q", "doc_id": "a", "judge": "m", "prompt": "p"}
    study.write(scope_votes=votes(verdicts, same))
    [[row]] = study.run(label_scope, ["scope_votes"], ["scope_labels"], asking=False, least_share=0.5)
    counts = dict(zip(("out_votes", "in_votes", "abstained"), map(verdicts.count, (YES, NO, NOT)), strict=True))
    assert row == same | counts | {"label": label, "margin": pytest.approx(margin)}
