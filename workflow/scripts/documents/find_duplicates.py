"""Find the near-duplicates among the articles of one shard, and index its texts for later shards.

Articles of equal content are one text. Texts are compared by their signatures, of the whole and of the words that a
document keeps. The article that was published first represents a cluster (undated ones come last; ties go to the
smallest id). Does not look at other shards; collect_documents does.
"""

import numpy as np
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.documents import ARTICLES
from ragassay.text.duplicate_index import DuplicateIndex
from ragassay.text.near_duplicates import components, signatures


def find_duplicates(articles, index, similarity, cut_after_words):
    numbers = {}  # content_hash -> number of the text
    text_signatures = signatures(_texts(articles, numbers), cut_after_words)
    cluster = components(text_signatures, similarity)

    rows = tables.read(ARTICLES, articles, ["article_id", "content_hash", "published_at"])
    text = np.fromiter(map(numbers.get, rows["content_hash"].to_pylist()), np.int64, len(rows))
    order = pc.sort_indices(rows, [("published_at", "ascending"), ("article_id", "ascending")]).to_numpy()
    clusters, places = np.unique(cluster[text[order]], return_index=True)
    represents = order[places][np.searchsorted(clusters, cluster)]  # of each text, the article of its cluster
    names = pc.binary_join_element_wise("cluster", pc.utf8_slice_codeunits(rows["content_hash"], 0, 16), "-")
    DuplicateIndex.of(
        text_signatures,
        cluster,
        content_hash=list(numbers),
        cluster_id=names.take(represents),
        representative=rows["article_id"].take(represents),
    ).write(index)
    log.info("%d articles: %d texts in %d clusters", len(rows), len(numbers), len(clusters))


def _texts(articles, numbers):
    """The texts, each content once; numbered in this order."""
    for batch in tables.batches(ARTICLES, articles, ["content_hash", "text"]):
        for digest, text in zip(batch["content_hash"].to_pylist(), batch["text"], strict=True):
            if digest not in numbers:
                numbers[digest] = len(numbers)
                yield text.as_py()


if __name__ == "__main__":
    run(find_duplicates, snakemake)
