"""How well a retriever finds the document that each query is about, by kinds of queries: recall, nDCG@10 and the mean
reciprocal rank; 95 % intervals by resampled documents, since the queries of one find or miss it together.
"""

import numpy as np
import pyarrow as pa

from ragassay import tables
from ragassay.metrics import ranking, resampling
from ragassay.schemas.neighbours import NEIGHBOURS

DEPTHS, NDCG = (1, 5, 10, 100), 10  # how deep recall and nDCG look


def values(asked: list[dict], neighbours) -> dict[str, np.ndarray]:
    """metric -> its value for each query; `neighbours` is a file, `asked` are rows of queries."""
    rows = tables.read(NEIGHBOURS, neighbours, ["query_id", "rank", "passage_id"])
    places = {row["query_id"]: at for at, row in enumerate(asked)}
    known = pa.compute.is_in(rows["query_id"], pa.array(list(places), pa.string()))
    lists = [[] for _ in asked]
    for query, passage in zip(*rows.filter(known).select(["query_id", "passage_id"]).to_pydict().values(), strict=True):
        lists[places[query]].append(passage)
    gains, ideal = ranking.grades(lists, [{row["passage_id"]: 1} for row in asked])
    found = {f"recall_{depth}": ranking.recall(gains, ideal, depth) for depth in DEPTHS}
    return found | {f"ndcg_{NDCG}": ranking.ndcg(gains, ideal, NDCG), "mrr": ranking.reciprocal_rank(gains)}


def means(columns: list[np.ndarray], asked: list[dict], kinds: dict[str, np.ndarray], difference=(), **draws) -> dict:
    """kind -> for each column its mean, how many queries, and the interval; `kinds` are masks of the queries. Of two
    kinds that `difference` names the pair has how much more the first has, with the same draws.
    """
    matrix = np.column_stack(columns)
    told = _means(matrix, kinds, difference, np.ones(len(asked)))
    drawn = []
    if asked:
        weights = resampling.resamples([row["passage_id"] for row in asked], draws["times"], draws["seed"])
        drawn = [_means(matrix, kinds, difference, one) for one in weights]
    counts = {kind: int(mask.sum()) for kind, mask in kinds.items()} | ({difference: len(asked)} if difference else {})
    return {
        kind: [
            (own[at], counts[kind], *resampling.interval(one[kind][at] for one in drawn)) for at in range(len(columns))
        ]
        for kind, own in told.items()
    }


def _means(matrix, kinds, difference, weights):
    """None of what was not drawn."""
    found = {}
    for kind, mask in kinds.items():
        own = weights * mask
        found[kind] = (own @ matrix / own.sum()).tolist() if own.sum() else [None] * matrix.shape[1]
    if difference:
        pairs = zip(*(found[kind] for kind in difference), strict=True)
        found[difference] = [None if None in pair else pair[0] - pair[1] for pair in pairs]
    return found
