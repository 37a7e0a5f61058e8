"""The texts of the best passages that a retriever found for each query, for a model to read. Only these texts are held,
whatever the size of the corpus.
"""

from collections import defaultdict

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES

NOTHING = "(nothing was found)"  # the only passage of a query that shares no word with any


class PassageError(AssayError):
    """A search found what the corpus does not have."""


def best_passages(passages, neighbours, count: int) -> dict[str, dict[str, str]]:
    """query -> its `count` best passages, best first: id -> text. A query that found nothing has none."""
    rows = tables.read(NEIGHBOURS, neighbours, ["query_id", "rank", "passage_id"])
    rows = rows.filter(pc.less_equal(rows["rank"], count))
    texts = _texts(passages, pc.unique(rows["passage_id"]))
    best = defaultdict(dict)
    for query, passage in zip(rows["query_id"].to_pylist(), rows["passage_id"].to_pylist(), strict=True):
        if passage not in texts:
            raise PassageError(
                f"{neighbours}: found the passage {passage!r}, which {passages} does not have; search again"
            )
        best[query][passage] = texts[passage]
    return best


def _texts(passages, wanted: pa.Array) -> dict[str, str]:
    texts = {}
    for batch in tables.batches(PASSAGES, passages, ["passage_id", "text"]):
        own = batch.filter(pc.is_in(batch["passage_id"], value_set=wanted))
        texts.update(zip(own["passage_id"].to_pylist(), own["text"].to_pylist(), strict=True))
    return texts
