"""Prompts for probes: pairs of them, answers to them, passages masked and answers scrutinised."""

from collections import Counter

import numpy as np
import pytest

from probe_study import CONDITIONS, COUNT, PROMPTS, READER, ROOT, WITHOUT_ANSWER, asked
from ragassay.base import tables
from ragassay.calls.prompts import Prompt
from ragassay.models.likelihood import Scorer
from ragassay.models.local import LocalModel
from ragassay.schemas.attacks import ANSWERS
from ragassay.schemas.defences import BASELINE_SCORES
from ragassay.schemas.probes import PROMPT_ANSWERS, PROMPT_PAIRS
from ragassay.schemas.report import CALLS
from ragassay.studies.poisoning.probes.labels import PAIRED
from ragassay.studies.poisoning.probes.rows import baselines_of
from rows import row
from scripts.probes.mask_passages import masked
from scripts.probes.scrutinise_answers import scrutinise_answers
from study import model_at
from tools.loopback import Loopback


def read(study):
    rows = study.rows(PROMPT_PAIRS)
    return {(row["target_id"], row["condition"], row["side"]): row for row in rows}


def test_every_question_has_each_pair_or_a_reason(study):
    rows, rejects = read(study), study.rows(tables.REJECTS)
    assert [(row["item"], row["reason"]) for row in rejects] == [(f"{WITHOUT_ANSWER} matched", "no_passage_answers")]
    counts = Counter((condition, side) for _, condition, side in rows)
    assert counts == {
        (condition, side): COUNT - (condition == "matched")
        for condition in CONDITIONS
        for side in ("clean", "attacked")
        if side == "clean" or condition in PAIRED
    }


def test_a_matched_pair_differs_in_the_answer_alone(study):
    rows = read(study)
    clean, attacked = (rows["target-00", "matched", side] for side in ("clean", "attacked"))
    assert attacked["passages"] == [text.replace("Anna Marlowe", "Levin Marlowe") for text in clean["passages"]]
    assert (clean["planted"], attacked["planted"]) == (0, 1) and clean["words"] == attacked["words"]
    assert clean["shown"] == ["p00", "p01"] and attacked["shown"] is None
    assert clean["question_words"] == attacked["question_words"]


def test_a_ruler_tells_the_released_pair_apart_and_prefixes_take_that_from_it(study):
    rows = read(study)
    released, prefixed = (
        [rows["target-00", condition, side] for side in ("clean", "attacked")] for condition in ("released", "prefixed")
    )
    assert released[0]["question_words"] < released[1]["question_words"] == 1
    assert released[0]["similarity"] < released[1]["similarity"]
    assert prefixed[0]["question_words"] == prefixed[1]["question_words"] == 1
    assert all(text.startswith("Who is the keeper of the old lighthouse?") for text in prefixed[1]["passages"])


def test_prompts_without_poison_show_what_others_find_or_typos(study):
    rows = read(study)
    other, misspelt = (rows["target-00", name, "clean"] for name in ("irrelevant", "misspelt"))
    assert len(other["passages"]) == 2 and not any("Anna" in text or "lighthouse" in text for text in other["passages"])
    before = rows["target-00", "retrieved", "clean"]["passages"]
    pairs = [(one, two) for a, b in zip(before, misspelt["passages"], strict=True)
             for one, two in zip(a.split(), b.split(), strict=True)]  # fmt: skip
    changed = [one for one, two in pairs if one != two]
    assert 4 <= len(changed) < len(pairs) / 3 and not {"Anna", "Marlowe"} & set(changed)
    assert (other["planted"], misspelt["planted"], misspelt["shown"]) == (0, 0, None)


def test_documents_are_kept_together_by_their_clusters(study):
    clusters = {(row["target_id"], row["cluster"]) for row in read(study).values()}
    assert len(clusters) == COUNT and ("target-00", "d00") in clusters


def labels(study):
    return {(row["target_id"], row["condition"], row["side"]): row for row in study.rows(PROMPT_ANSWERS)}


def test_answers_are_labelled_by_side_and_outcome(study):
    found = labels(study)
    counts = Counter((condition, side, one["label"]) for (_, condition, side), one in found.items())
    assert counts["matched", "clean", "correct"] > COUNT - 4 < counts["matched", "attacked", "poisoned"]
    assert counts["released", "attacked", "poisoned"] > COUNT - 4
    assert found[WITHOUT_ANSWER, "retrieved", "clean"]["label"] != "correct"
    assert {one["known"] for one in found.values()} == {False}  # the reader knows nothing by heart


def test_no_prompt_is_asked_twice_and_none_that_was_answered_elsewhere(study, monkeypatch):
    [calls] = study.rows(CALLS)
    distinct = 3 * COUNT  # by itself, clean and attacked as retrieved
    distinct += COUNT - 1  # with the answer exchanged: the clean side is the one that was retrieved
    distinct += 2 * COUNT + 2 * COUNT  # released, prefixed
    distinct += COUNT + COUNT  # irrelevant, misspelt
    assert calls["samples"] == distinct
    own = {"outcome": "correct", "text": "Answered elsewhere.", "finish_reason": "stop", "responder": READER["name"]}
    digest = Prompt.load(PROMPTS[0]).digest
    answers = [
        row(ANSWERS, target_id="target-00", passages=["p00", "p01"], prompt=digest, **own),
        row(ANSWERS, target_id="target-01", passages=["p01", "p02"], prompt="another", **own),
    ]
    tables.write(ANSWERS, study.folder / "answers.parquet", answers)
    with study.changed(PROMPT_ANSWERS):
        study.answer([study.folder / "answers.parquet"])
        found = labels(study)
    for condition in ("retrieved", "matched"):
        assert found["target-00", condition, "clean"]["text"] == "Answered elsewhere."
    assert found["target-01", "retrieved", "clean"]["text"] != "Answered elsewhere."


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


def test_scrutiny_asks_for_steps_and_then_whether_they_hold(study, tmp_path, monkeypatch):
    inputs = [study.place(name) for name in ("targets", "prompt_pairs", "prompt_answers")]
    inputs += [ROOT / f"resources/prompts/{name}.yaml" for name in ("reason_from_passages", "judge_reasons")]
    scores, calls = tmp_path / "scrutiny.parquet", tmp_path / "calls.parquet"
    settings = {"sampling": {}, "votes": 1, "voting": {}, "in_lines": False, "most_rejected": 1}
    with Loopback(respond="answers:reason") as server:
        monkeypatch.setenv("KEY", server.key)
        model = model_at(server.url, name="reasons", concurrency=32)
        scrutinise_answers(*inputs, scores, calls, model, str(tmp_path / "ledger/scrutiny"), **settings)
    found = {}
    for (_, one), scored in zip(asked(study)[0], tables.read(BASELINE_SCORES, scores).to_pylist(), strict=True):
        place = one.question.split()[-1].rstrip("?")
        found.setdefault(place, set()).add((scored["score"], scored["reason"]))
    assert found.pop("lighthouse") == {(None, "no_reasons")}
    assert found.pop("mill") == found.pop("windmill") == {(1.0, None)} and set.union(*found.values()) == {(0.0, None)}
    [row] = tables.read(CALLS, calls).to_pylist()
    asked_for = asked(study)[1]
    prompts = {one[:3] for one in asked_for} | {one[1::2] for one in asked_for if "lighthouse" not in one.question}
    assert row["samples"] == len(prompts), "each prompt is asked once"
    pairs = tables.read(PROMPT_PAIRS, study.place("prompt_pairs")).to_pydict()
    values = baselines_of([scores], pairs)["scrutiny"][:, 0, 0]
    assert np.isnan(values).sum() == sum(name == "target-00" for name in pairs["target_id"]) > 0
