"""Masked words: what is masked, and how much the model's own likelihood of the answer varies with it."""

import numpy as np
import pytest

from probe_study import PROMPTS, asked
from ragassay.base import tables
from ragassay.calls.prompts import Prompt
from ragassay.models.likelihood.scorer import Scorer
from ragassay.models.local import LocalModel
from ragassay.schemas.defences import BASELINE_SCORES
from scripts.probes.mask_passages import masked


def test_each_trial_masks_its_share_of_the_words_and_nothing_else(study):
    one = asked(study)[1][0]
    trials = [masked(one, 0.2, "_", 0, trial) for trial in range(3)]
    words = [text.split() for text in one.passages]
    for texts in trials:
        pairs = [pair for own, text in zip(words, texts, strict=True) for pair in zip(own, text.split(), strict=True)]
        changed = [new for old, new in pairs if old != new]
        assert set(changed) == {"_"} and len(changed) == round(0.2 * len(pairs))
    assert trials[0] != trials[1] != trials[2] and trials[0] == masked(one, 0.2, "_", 0, 0)


def test_a_score_is_the_spread_of_the_answers_likelihood(study):
    keys, _ = asked(study)
    rows = tables.read(BASELINE_SCORES, study.place("masking")).to_pylist()
    assert [{name: row[name] for name in ("target_id", "condition", "side")} for row in rows] == [
        key for key, _ in keys
    ]
    assert len({row["score"] for row in rows}) > len(rows) / 3
    one, local = keys[0][1], LocalModel("model tiny", study.model)
    prompt = Prompt.load(PROMPTS[0])
    given = [
        local.prompt(prompt.messages(passages=masked(one, 0.2, "_", 0, trial), question=one.question))
        for trial in range(2)
    ]
    found = [scored.total / scored.tokens for scored in Scorer(local).of([f" {one.answer}"] * 2, given)]
    assert rows[0]["score"] == pytest.approx(np.std(found), abs=1e-5)
