"""measure_retrieval: recall, nDCG and MRR of each kind of question, with intervals by documents."""

import math

import pytest

from described import shown
from ragassay.base import tables
from ragassay.schemas.corpora import INDEX_RECALL, NEIGHBOURS, PASSAGES, QUERIES
from ragassay.search.measures import GoldError
from rows import metrics_of, place, row
from scripts.search.measure_retrieval import measure_retrieval

DRAWS = {"resamples": 30, "seed": 0}


def measured(folder, queries, own=None, index_recall=(), **found):
    """(table, keys..., metric) -> metric row; `found` says for each retriever what each query found."""
    tables.write(QUERIES, place(folder, QUERIES), queries)
    paths = []
    for name, lists in found.items():
        paths.append(folder / f"{name}.parquet")
        rows = [one for query, passages in lists.items() for one in ranked(query, *passages)]
        tables.write(NEIGHBOURS, paths[-1], rows)
    passages = write_passages(folder / "results/passages/documents.parquet", ["p", "q", "r"])
    own = own or {"own_queries": [], "own_neighbours": [], "own_passages": []}
    files = {"queries": place(folder, QUERIES), "neighbours": paths, "passages": passages, "index_recall": index_recall}
    metrics = folder / "metrics.parquet"
    measure_retrieval(**files, **own, metrics=metrics, retrievers=list(found), **DRAWS)
    assert shown("retrieval", metrics)[1] == ([] if len(found) > 1 else ["retrievers"])
    return metrics_of(metrics)


def write_passages(path, passages):
    """`passages` are ids of whole documents, or a dict of the documents that they were cut from."""
    of = passages if isinstance(passages, dict) else dict(zip(passages, passages, strict=True))
    tables.write(PASSAGES, path, [row(PASSAGES, passage_id=name, document_id=of[name]) for name in of])
    return path


def ranked(query, *passages):
    return [
        row(NEIGHBOURS, query_id=query, rank=rank, passage_id=name, score=-rank)
        for rank, name in enumerate(passages, 1)
    ]


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
    assert inside["mrr"]["low"] < 0.1 and inside["mrr"]["high"] > 0.99, "two documents say little about others"
    outside = found["by_kind", "out of scope", "bm25", "ndcg_10"]
    assert outside["value"] == pytest.approx(1 / math.log2(4) / 2)  # the query that finds nothing counts
    difference = found["difference", "bm25", "mrr"]
    assert difference["value"] == pytest.approx(0.75 - 1 / 6) and difference["n"] == 4
    assert found["recall", "1.0", "minilm 1", "in_scope"]["value"] == 0.5
    assert found["difference", "minilm", "recall_1"]["low"] == found["difference", "minilm", "recall_1"]["high"] == 0


def test_a_retriever_is_compared_with_the_first_on_the_same_questions(tmp_path):
    asked = [query(f"q{number}", "in_scope", "pqr"[number % 3]) for number in range(12)]
    places = {"bm25": [1, 1, 2, 0, 1, 3, 1, 2, 1, 1, 0, 1], "minilm": [2, 1, 1, 0, 3, 1, 0, 2, 2, 2, 1, 2]}
    lists = {
        name: {f"q{n}": [*["x", "y"][: at - 1], "pqr"[n % 3]] if at else [] for n, at in enumerate(of)}
        for name, of in places.items()
    }
    found = measured(tmp_path, asked, **lists)
    own = found["comparisons", "minilm", "bm25", "recall_1"]
    firsts = {name: [at == 1 for at in of] for name, of in places.items()}
    assert own["value"] == pytest.approx((sum(firsts["minilm"]) - sum(firsts["bm25"])) / 12) and own["n"] == 12
    assert own["low"] < own["value"] < own["high"]
    reciprocal = {name: sum(1 / at for at in of if at) for name, of in places.items()}
    mrr = found["comparisons", "minilm", "bm25", "mrr"]["value"]
    assert mrr == pytest.approx((reciprocal["minilm"] - reciprocal["bm25"]) / 12)
    turned = measured(tmp_path, asked, minilm=lists["minilm"], bm25=lists["bm25"])
    assert turned["comparisons", "bm25", "minilm", "recall_1"]["value"] == pytest.approx(-own["value"])


def test_one_retriever_is_compared_with_none_and_of_one_kind_alone_there_is_no_difference(tmp_path):
    found = measured(tmp_path, [query("a", "in_scope", "p")], bm25={"a": ["p"]})
    assert not [key for key in found if key[0] == "comparisons"]
    assert found["difference", "bm25", "mrr"]["value"] is None
    assert found["by_kind", "out of scope", "bm25", "mrr"]["value"] is None


def own_set(folder, *queries):
    """A set of two queries in a corpus of two parts, whose documents were cut into passages."""
    parts = {"mine+1": {"d1#1": "d1", "d1#2": "d1"}, "mine+2": {"d2#1": "d2", "d2#2": "d2", "d3": "d3"}}
    files = {name: folder / f"results/passages/{name}.parquet" for name in parts}
    found = ranked("q1", "d2#2", "d2#1", "d1#2", "d3") + ranked("q2", "d3", "d1#1", "d2#1")
    neighbours, asked = folder / "results/neighbours/mine/bm25/set.parquet", folder / "results/queries/set.parquet"
    tables.write(QUERIES, asked, queries)
    tables.write(NEIGHBOURS, neighbours, found)
    passages = [write_passages(files[name], parts[name]) for name in parts]
    return {"own_queries": [asked], "own_neighbours": [neighbours], "own_passages": passages}


def test_a_set_of_the_users_is_measured_by_documents_and_their_grades(tmp_path):
    judged = row(QUERIES, query_id="q1", relevant=["d1", "d3"], grades=[1, 3])
    about = row(QUERIES, query_id="q2", passage_id="d1#2")  # another passage of it counts, too
    unknown = row(QUERIES, query_id="q3")
    found = measured(tmp_path, [query("a", "in_scope", "p")], own_set(tmp_path, judged, about, unknown), bm25={})
    own = {key[-1]: one["value"] for key, one in found.items() if key[:4] == ("sets", "mine", "set", "bm25")}
    gain = 1 / math.log2(3) + 3 / math.log2(4)
    best = 3 + 1 / math.log2(3)
    assert own["mrr"] == 0.5 and own["recall_1"] == 0 and own["recall_5"] == 1  # d2, d1, d3 and d3, d1, d2
    assert own["ndcg_10"] == pytest.approx((gain / best + 1 / math.log2(3)) / 2)
    assert found["sets", "mine", "set", "bm25", "mrr"]["n"] == 2


def test_what_is_relevant_has_to_be_in_the_corpus(tmp_path):
    nobody = row(QUERIES, query_id="q1", relevant=["d1", "d7"], grades=[1, 1])
    with pytest.raises(GoldError, match="query 'q1': found 'd7' as relevant, expected a passage or a document of the"):
        measured(tmp_path, [query("a", "in_scope", "p")], own_set(tmp_path, nobody), bm25={})


def test_what_an_index_finds_is_the_mean_share_of_what_is_nearest(tmp_path):
    counts = {
        "q1": [(1, 1, 1), (5, 2, 4), (10, 4, 4), (100, 4, 4)],
        "q2": [(1, 0, 1), (5, 4, 4), (10, 4, 4), (100, 4, 4)],
    }
    path = tmp_path / "results/index_recall/documents/near/questions.parquet"
    rows = [
        dict(zip(INDEX_RECALL.schema.names, (name, *count), strict=True))
        for name, of_query in counts.items()
        for count in of_query
    ]
    tables.write(INDEX_RECALL, path, rows)
    empty = tmp_path / "results/index_recall/documents/other/questions.parquet"  # no query was searched exactly as well
    tables.write(INDEX_RECALL, empty, [])
    asked = [query("a", "in_scope", "p")]
    rows = measured(tmp_path, asked, index_recall=[path, empty], near={"a": ["p"]}, bm25={"a": ["p"]})
    of_indexes = {key[1:]: row["value"] for key, row in rows.items() if key[0] == "indexes"}
    assert of_indexes == {
        ("documents", "questions", "near", "recall_1"): 0.5,
        ("documents", "questions", "near", "recall_5"): 0.75,
        ("documents", "questions", "near", "recall_10"): 1,
        ("documents", "questions", "near", "recall_100"): 1,
    }
