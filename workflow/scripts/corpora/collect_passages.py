"""The documents of a study are a corpus: one passage per document."""

import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.documents import DOCUMENTS


def collect_passages(documents, earlier, passages):
    """A document that two files hold is one passage, and none of this part if an earlier one has it."""
    ids, seen = tables.read_all(DOCUMENTS, documents, ["doc_id"])["doc_id"], set()
    for path in earlier:
        before = tables.read(DOCUMENTS, path, ["doc_id"])["doc_id"]
        seen.update(before.filter(pc.is_in(before, value_set=ids)).to_pylist())
    with tables.Writer(PASSAGES, passages) as kept:
        for path in documents:
            for batch in tables.batches(DOCUMENTS, path, ["doc_id", "title", "text", "shard"]):
                for row in batch.to_pylist():
                    if row["doc_id"] not in seen:
                        seen.add(row["doc_id"])
                        kept.add(
                            {
                                "passage_id": row["doc_id"],
                                "document_id": row["doc_id"],
                                "title": row["title"],
                                "text": row["text"],
                                "source": row["shard"],
                            }
                        )
    log.info("%d passages", kept.written)


if __name__ == "__main__":
    run(collect_passages, snakemake)
