"""measure_calls: files of one rule and model are added up, rules and models are kept apart."""

import json

from ragassay.base import tables
from ragassay.schemas.report import CALLS, METRICS
from scripts.calls.measure_calls import COUNTS, measure_calls


def test_calls_are_added_up_by_rule_and_model(tmp_path):
    files = []
    for number, (rule, model) in enumerate([("extract_claims", "a"), ("extract_claims", "a"), ("judge_scope", "b")]):
        files.append(tmp_path / f"results/calls/{rule}/{model}/{number}.parquet")
        row = {"model": model, **dict.fromkeys(COUNTS, 10**number)}
        row["served_as"] = '{"a-2026": 4, "a-2027": 1}' if model == "a" else None
        tables.write(CALLS, files[-1], [row | {"dollars": 0.5}])
    measure_calls(files, tmp_path / "calls.parquet")
    rows = tables.read(METRICS, tmp_path / "calls.parquet").to_pylist()
    found = {(row["keys"], row["metric"]): row["value"] for row in rows}
    a, b = '{"model": "a", "rule": "extract_claims"}', '{"model": "b", "rule": "judge_scope"}'
    assert found[a, "requests"] == 11 and found[a, "dollars"] == 1.0
    assert found[b, "prompt_tokens"] == 100 and found[b, "possibly_billed_twice"] == 100
    assert len(rows) == 2 * len(COUNTS) + 2


def test_names_that_a_provider_gives_one_model_are_kept_apart(tmp_path):
    files = [tmp_path / f"results/calls/respond/a/{number}.parquet" for number in range(2)]
    for path, served in zip(files, ('{"a-2026": 4}', '{"a-2026": 1, "a-2027": 3}'), strict=True):
        row = {"model": "a", **dict.fromkeys(COUNTS, 1), "served_as": served}
        tables.write(CALLS, path, [row | {"dollars": 0.5}])
    measure_calls(files, tmp_path / "calls.parquet")
    rows = tables.read(METRICS, tmp_path / "calls.parquet").to_pylist()
    found = {json.loads(row["keys"])["name"]: row["value"] for row in rows if row["table"] == "served_as"}
    assert found == {"a-2026": 5, "a-2027": 3}
