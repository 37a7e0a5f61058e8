"""measure_calls: files of one rule and model are added up, rules and models are kept apart."""

from ragassay import tables
from ragassay.schemas.calls import CALLS
from ragassay.schemas.metrics import METRICS
from scripts.llm.measure_calls import COUNTS, measure_calls


def test_calls_are_added_up_by_rule_and_model(tmp_path):
    files = []
    for number, (rule, model) in enumerate([("extract_claims", "a"), ("extract_claims", "a"), ("judge_scope", "b")]):
        files.append(tmp_path / f"results/calls/{rule}/{model}/{number}.parquet")
        row = {"model": model, **dict.fromkeys(COUNTS, 10**number)}
        tables.write(CALLS, files[-1], [row | {"dollars": 0.5}])
    measure_calls(files, tmp_path / "calls.parquet")
    rows = tables.read(METRICS, tmp_path / "calls.parquet").to_pylist()
    found = {(row["keys"], row["metric"]): row["value"] for row in rows}
    a, b = '{"model": "a", "rule": "extract_claims"}', '{"model": "b", "rule": "judge_scope"}'
    assert found[a, "requests"] == 11 and found[a, "dollars"] == 1.0
    assert found[b, "prompt_tokens"] == 100 and found[b, "possibly_billed_twice"] == 100
    assert len(rows) == 2 * len(COUNTS)
