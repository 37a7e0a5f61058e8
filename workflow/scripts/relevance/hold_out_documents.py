"""Hold documents of a corpus out, each with its near-duplicates: without them the corpus no longer knows what queries
about them ask.

By a hash of their cluster, so that nothing moves when documents are added. Queries are not looked at.
"""

import pyarrow as pa

from ragassay import tables
from ragassay.errors import AssayError
from ragassay.relevance.document_clusters import duplicates
from ragassay.relevance.partition import fractions
from ragassay.schemas.held_out_documents import HELD_OUT_DOCUMENTS
from ragassay.schemas.passages import PASSAGES
from ragassay.stage import log, run


class HoldingOutError(AssayError):
    """Nothing is left of the corpus, or nothing is held out."""


def hold_out_documents(passages, held_out_documents, known_passages, share, similarity, cut_after_words):
    rows = tables.read(PASSAGES, passages)
    texts = {}
    for name, text in zip(rows["document_id"].to_pylist(), rows["text"].to_pylist(), strict=True):
        texts.setdefault(name, []).append(text)
    names = sorted(texts)
    first = duplicates([" ".join(texts[name]) for name in names], similarity, cut_after_words)
    clusters = [names[at] for at in first]
    out = dict(zip(names, (fractions("held out", clusters) < share).tolist(), strict=True))
    kept = [not out[name] for name in rows["document_id"].to_pylist()]
    if all(kept) or not any(kept):
        raise HoldingOutError(
            f"{passages}: found {len(set(clusters))} different documents, of which {sum(out.values())} would be held"
            " out; expected some to be held out and some to stay; add documents"
        )
    found = pa.table({"document_id": names, "cluster_id": clusters, "held_out": list(out.values())})
    tables.write(HELD_OUT_DOCUMENTS, held_out_documents, found)
    tables.write(PASSAGES, known_passages, rows.filter(kept))
    log.info("%d of %d documents held out, in %d clusters", sum(out.values()), len(names), len(set(clusters)))


if __name__ == "__main__":
    run(hold_out_documents, snakemake)
