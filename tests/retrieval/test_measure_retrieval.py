"""measure_retrieval: recall, nDCG and MRR of each kind of question, with intervals by documents."""

import json
import math

import pytest

from ragassay import tables
from ragassay.schemas.metrics import METRICS
from ragassay.schemas.neighbours import NEIGHBOURS
from ragassay.schemas.queries import QUERIES
from rows import row
from scripts.retrieval.measure_retrieval import measure_retrieval

DRAWS = {"resamples": 30, "seed": 0}


def measured(folder, queries, **found):
    """(table, keys..., metric) -> metric row; `found` says for each retriever what each query found."""
    tables.write(QUERIES, folder / "queries.parquet", queries)
    paths = []
    for name, lists in found.items():
        paths.append(folder / f"{name}.parquet")
        rows = [
            row(NEIGHBOURS, query_id=query, rank=rank, passage_id=passage, score=-rank)
            for query, passages in lists.items()
            for rank, passage in enumerate(passages, 1)
        ]
        tables.write(NEIGHBOURS, paths[-1], rows)
    measure_retrieval(folder / "queries.parquet", paths, folder / "metrics.parquet", list(found), **DRAWS)
    rows = tables.read(METRICS, folder / "metrics.parquet").to_pylist()
    return {(one["table"], *json.loads(one["keys"]).values(), one["metric"]): one for one in rows}


def query(name, kind, passage):
    return row(QUERIES, query_id=name, text="?", kind=kind, passage_id=passage)


def test_kinds_are_apart_and_intervals_go_by_documents(tmp_path):
    asked = [query("a", "in_scope", "p"), query("b", "in_scope", "q"), query("c", "out_of_scope", "p")]
    asked += [query("d", "out_of_scope", "q"), query("e", "other", "q"), query("f", "in_scope", None)]
    lists = {"a": ["p", "q"], "b": ["p", "q"], "c": ["q", "r", "p"], "e": ["q"]}
    found = measured(tmp_path, asked, bm25=lists, minilm={name: ["p"] for name in "abcd"})
    inside = {key[-1]: one for key, one in found.items() if key[:3] == ("by_kind", "in scope", "bm25")}
    assert inside["recall_1"]["value"] == 0.5 and inside["recall_5"]["value"] == 1
    assert inside["mrr"]["value"] == 0.75 and inside["mrr"]["n"] == 2
    assert (inside["mrr"]["low"], inside["mrr"]["high"]) == (0.5, 1)
    outside = found["by_kind", "out of scope", "bm25", "ndcg_10"]
    assert outside["value"] == pytest.approx(
        1 / math.log2(4) / 2
    )  # the query without neighbours counts, and finds nothing
    difference = found["difference", "bm25", "mrr"]
    assert difference["value"] == pytest.approx(0.75 - 1 / 6) and difference["n"] == 4
    assert found["recall", "1.0", "minilm 1", "in_scope"]["value"] == 0.5
    assert found["difference", "minilm", "recall_1"]["low"] == found["difference", "minilm", "recall_1"]["high"] == 0


def test_of_one_kind_alone_there_is_no_difference(tmp_path):
    found = measured(tmp_path, [query("a", "in_scope", "p")], bm25={"a": ["p"]})
    assert found["difference", "bm25", "mrr"]["value"] is None
    assert found["by_kind", "out of scope", "bm25", "mrr"]["value"] is None
