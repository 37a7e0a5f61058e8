"""measure_calls: files of one rule and model are added up, rules and models are kept apart."""

import json

from ragassay.base import tables
from ragassay.schemas.report import CALLS, METRICS
from scripts.calls.measure_calls import COUNTS, measure_calls


def written(folder, *rows):
    """Files of calls, each of a rule and a model, with counts of 1, 10, 100; and the metrics that they give."""
    files = []
    for number, (rule, model, served) in enumerate(rows):
        files.append(folder / f"results/calls/{rule}/{model}/{number}.parquet")
        counts = {"model": model, **dict.fromkeys(COUNTS, 10**number), "served_as": served, "dollars": 0.5}
        tables.write(CALLS, files[-1], [counts])
    measure_calls(files, folder / "calls.parquet")
    return tables.read(METRICS, folder / "calls.parquet").to_pylist()


def test_calls_are_added_up_by_rule_and_model_and_names_of_one_model_are_kept_apart(tmp_path):
    served = '{"a-2026": 4}', '{"a-2026": 1, "a-2027": 3}'
    rows = written(tmp_path, *(("extract_claims", "a", names) for names in served), ("judge_scope", "b", None))
    values = {(row["keys"], row["metric"]): row["value"] for row in rows}
    a, b = '{"model": "a", "rule": "extract_claims"}', '{"model": "b", "rule": "judge_scope"}'
    assert values[a, "requests"] == 11 and values[a, "dollars"] == 1.0
    assert values[b, "prompt_tokens"] == 100 and values[b, "possibly_billed_twice"] == 100
    names = {json.loads(row["keys"])["name"]: row["value"] for row in rows if row["table"] == "served_as"}
    assert names == {"a-2026": 5, "a-2027": 3}
    assert len(rows) == 2 * len(COUNTS) + 2
