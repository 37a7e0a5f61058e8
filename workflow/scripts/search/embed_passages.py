"""Give each passage of a corpus a vector, in a file of the corpus in the store. What is written is a receipt: the store
is no output.

If somebody empties the store later, searches compute what they miss themselves.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import Corpus
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.store import digest
from ragassay.schemas.corpora import EMBEDDED_PASSAGES


def embed_passages(passages, embedded_passages, encoder, embeddings, titles):
    corpus, embedder = Corpus(passages, titles), Embedder(Encoder(**encoder), embeddings)
    dimensions = embedder.write_file(corpus.texts, "passage").dimensions
    row = {"encoder": embedder.encoder.digest, "passages": len(corpus.ids), "dimensions": dimensions}
    tables.write(EMBEDDED_PASSAGES, embedded_passages, [row | {"texts": digest(corpus.texts())}])
    log.info("%d passages, %s", len(corpus.ids), embedder.told)


if __name__ == "__main__":
    run(embed_passages, snakemake)
