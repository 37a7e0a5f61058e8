"""Scrutiny of reasons, by a server that can reason."""

import numpy as np

from probe_study import ROOT, asked
from ragassay.base import tables
from ragassay.schemas.defences import BASELINE_SCORES
from ragassay.schemas.probes import PROMPT_PAIRS
from ragassay.schemas.report import CALLS
from ragassay.studies.poisoning.probes.rows import baselines_of
from scripts.probes.scrutinise_answers import scrutinise_answers
from tools.loopback import Loopback


def test_scrutiny_asks_for_steps_and_then_whether_they_hold(study, tmp_path, monkeypatch):
    inputs = [study.place(name) for name in ("targets", "prompt_pairs", "prompt_answers")]
    inputs += [ROOT / f"resources/prompts/{name}.yaml" for name in ("reason_from_passages", "judge_reasons")]
    scores, calls = tmp_path / "scrutiny.parquet", tmp_path / "calls.parquet"
    settings = {"sampling": {}, "votes": 1, "voting": {}, "in_lines": False, "most_rejected": 1}
    with Loopback(respond="answers:reason") as server:
        monkeypatch.setenv("SCRUTINY_KEY", server.key)
        model = {
            "name": "reasons",
            "provider": "openai",
            "model": "loopback",
            "base_url": server.url,
            "concurrency": 32,
        }
        model |= {"key_variable": "SCRUTINY_KEY", "price": {"input": 0, "output": 0}}
        scrutinise_answers(*inputs, scores, calls, model, str(tmp_path / "ledger/scrutiny"), **settings)
    found = {}
    for (_, one), row in zip(asked(study)[0], tables.read(BASELINE_SCORES, scores).to_pylist(), strict=True):
        place = one.question.split()[-1].rstrip("?")
        found.setdefault(place, set()).add((row["score"], row["reason"]))
    assert found.pop("lighthouse") == {(None, "no_reasons")}
    assert found.pop("mill") == found.pop("windmill") == {(1.0, None)} and set.union(*found.values()) == {(0.0, None)}
    [row] = tables.read(CALLS, calls).to_pylist()
    asked_for = asked(study)[1]
    prompts = {one[:3] for one in asked_for} | {one[1::2] for one in asked_for if "lighthouse" not in one.question}
    assert row["samples"] == len(prompts), "each prompt is asked once"
    pairs = tables.read(PROMPT_PAIRS, study.place("prompt_pairs")).to_pydict()
    values = baselines_of([scores], pairs)["scrutiny"][:, 0, 0]
    assert np.isnan(values).sum() == sum(name == "target-00" for name in pairs["target_id"]) > 0
