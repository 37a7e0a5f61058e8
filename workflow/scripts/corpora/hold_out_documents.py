"""Hold documents of a corpus out, each with its near-duplicates: without them the corpus no longer knows what queries
about them ask.

By a hash of their cluster, so that nothing moves when documents are added. Queries are not looked at. Texts stream by:
only keys and signatures are kept of them.
"""

import pyarrow as pa

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import documents
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, PASSAGES
from ragassay.studies.relevance.searched_queries import fractions
from ragassay.text.near_duplicates import clustered


class HoldingOutError(AssayError):
    """Nothing is left of the corpus, or nothing is held out."""


def hold_out_documents(passages, held_out_documents, known_passages, share, similarity, cut_after_words):
    clusters = clustered(documents(passages), similarity, cut_after_words)
    out = dict(zip(clusters, (fractions("held out", list(clusters.values())) < share).tolist(), strict=True))
    if share and (all(out.values()) or not any(out.values())):
        raise HoldingOutError(
            f"{passages}: found {len(set(clusters.values()))} different documents, of which {sum(out.values())} would"
            " be held out; expected some to be held out and some to stay; add documents"
        )
    found = {"document_id": list(clusters), "cluster_id": list(clusters.values()), "held_out": list(out.values())}
    tables.write(HELD_OUT_DOCUMENTS, held_out_documents, pa.table(found))
    with tables.Writer(PASSAGES, known_passages) as kept:
        for batch in tables.batches(PASSAGES, passages):
            kept.write(batch.filter(pa.array([not out[name] for name in batch["document_id"].to_pylist()])))
    log.info("%d of %d documents held out, in %d clusters", sum(out.values()), len(out), len(set(clusters.values())))


if __name__ == "__main__":
    run(hold_out_documents, snakemake)
