"""Build the index of a corpus' vectors that a retriever with `index` searches. Vectors come from the store, twice: for
the sample that the index is trained on, and to be added.
"""

from ragassay.base.stage import log, run
from ragassay.corpora.corpus import Corpus, ids
from ragassay.search import indexes
from ragassay.search.vectors import Vectors


def build_index(passages, index, encoder, embeddings, titles, similarity, factory):
    names, vectors = ids(passages), Vectors(encoder, encoder, embeddings, similarity)

    def blocks():
        return vectors.of_corpus(Corpus(passages, titles))

    size = indexes.build(index, factory, names, vectors.source(Corpus(passages, titles)), blocks)
    log.info("%d passages in an index %s of %d bytes, %s", len(names), factory, size, vectors.passages.told)


if __name__ == "__main__":
    run(build_index, snakemake)
