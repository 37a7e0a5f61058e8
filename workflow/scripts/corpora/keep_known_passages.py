"""Leave of a part of a corpus what `hold_out_documents` does not hold out of the whole; that may be nothing. Of the
documents only those of the part are in memory.
"""

import pyarrow as pa

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, PASSAGES


class KnownPassagesError(AssayError):
    """The held-out documents are not those of the corpus that a part is of."""


def keep_known_passages(passages, held_out_documents, known_passages):
    is_known = {}  # document -> whether it stays, None until the other table says so
    for batch in tables.batches(PASSAGES, passages, ["document_id"]):
        is_known |= dict.fromkeys(batch["document_id"].to_pylist())
    for batch in tables.batches(HELD_OUT_DOCUMENTS, held_out_documents, ["document_id", "held_out"]):
        rows = zip(*batch.to_pydict().values(), strict=True)
        is_known |= {name: not out for name, out in rows if name in is_known}
    if missing := [name for name, stays in is_known.items() if stays is None]:
        problem = f"found no document {missing[0]!r}, which {passages} has"
        raise KnownPassagesError(f"{held_out_documents}: {problem}; remove it and run again")
    with tables.Writer(PASSAGES, known_passages) as kept:
        for batch in tables.batches(PASSAGES, passages):
            kept.write(batch.filter(pa.array([is_known[name] for name in batch["document_id"].to_pylist()])))
    log.info("%d passages of %d of %d documents", kept.written, sum(is_known.values()), len(is_known))


if __name__ == "__main__":
    run(keep_known_passages, snakemake)
