"""Join what queries found by vectors in the parts of a corpus: the ranking that one search of all of it would give.
Synthetic queries do not find the sentence that they were made from, in whatever part it stands.
"""

from pathlib import Path

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.search.masked_sources import mask
from ragassay.search.neighbours import check_ids, merged, of_parts
from ragassay.search.vectors import Vectors


def merge_neighbours(
    passages, parts, queries, neighbours, encoder, query_encoder, embeddings, titles, similarity, count, copied=0.0
):
    """`copied` is that of `masked_sources`. Parts were searched with 1, but not a corpus that this one extends, whose
    sources have been taken out.
    """
    check_ids(passages)
    written = tables.write(NEIGHBOURS, neighbours, merged(of_parts(NEIGHBOURS, passages, parts), count))
    vectors = Vectors(encoder, query_encoder, embeddings, similarity)
    whole = [file for file in passages if "+" not in Path(file).stem]
    names = [batch for file in whole for batch in tables.batches(PASSAGES, file, ["passage_id", "document_id"])]
    of_whole = {name for batch in names for column in batch.columns for name in column.to_pylist()}

    def done(query, passage):
        return passage in of_whole and query["passage_id"] in of_whole

    mask(neighbours, queries, passages, titles, vectors.scores, copied, done)
    log.info("%d neighbours of %d parts", written, len(parts))


if __name__ == "__main__":
    run(merge_neighbours, snakemake)
