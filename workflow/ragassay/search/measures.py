"""How well a retriever finds the documents that each query is about: recall, nDCG@10 and the reciprocal rank.

A document is found where the first of its passages is; its further passages take no rank.
"""

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.metrics import ranking
from ragassay.schemas.corpora import NEIGHBOURS

DEPTHS, NDCG = (1, 5, 10, 100), 10  # how deep recall and nDCG look


def values(
    query_ids: list[str], relevant: list[dict[str, int]], neighbours, documents: dict[str, str]
) -> dict[str, np.ndarray]:
    """metric -> its value for each query; `neighbours` is a file, `relevant` and `documents` are those of
    `ragassay.search.gold`.
    """
    rows = tables.read(NEIGHBOURS, neighbours, ["query_id", "passage_id"])  # best first
    places = {query: at for at, query in enumerate(query_ids)}
    known = pa.compute.is_in(rows["query_id"], pa.array(list(places), pa.string()))
    lists = [{} for _ in places]  # documents in their order
    for query, passage in zip(*rows.filter(known).to_pydict().values(), strict=True):
        lists[places[query]][documents.get(passage, passage)] = None
    gains, ideal = ranking.grades([list(own) for own in lists], relevant)
    found = {f"recall_{depth}": ranking.recall(gains, ideal, depth) for depth in DEPTHS}
    return found | {f"ndcg_{NDCG}": ranking.ndcg(gains, ideal, NDCG), "mrr": ranking.reciprocal_rank(gains)}
