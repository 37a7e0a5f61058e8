"""The scope verdict on human-checked questions about real news, which lie beside the project and stay there."""

import pyarrow.parquet as pq
import pytest

from project import ROOT

GOLD = ROOT / "../shared/data/scopeqa_gold"


@pytest.mark.parametrize("group", [1, 2])
def test_scope_verdicts_agree_with_the_intended_labels(ask, group):
    texts = {row["doc_id"]: row["text"] for row in pq.read_table(GOLD / f"documents_{group}.parquet").to_pylist()}
    rows = pq.read_table(GOLD / f"questions_{group}.parquet").to_pylist()
    right = [
        ask("judge_scope", document=texts[row["doc_id"]], question=row["question"]).endswith("yes")
        is row["out_of_scope"]
        for row in rows
    ]
    assert len(right) == 72 and sum(right) >= 0.85 * len(right)
