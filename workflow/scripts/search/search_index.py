"""Find near passages of each query by an index, score them exactly, and count for some queries how many of the nearest
passages the index missed.
"""

from ragassay.base.stage import run
from ragassay.corpora.corpus import Corpus
from ragassay.search import indexes
from ragassay.search.vectors import search_proposed


def search_index(index, passages, titles, count, search, **searched):
    """Writes the tables `neighbours` and `index_recall`; `searched` are the other arguments of `search_proposed`."""

    def propose(names, vectors, _, wanted):
        loaded = indexes.load(index, names, vectors.source(Corpus(passages, titles)), search)
        return indexes.proposed(loaded, wanted, count)

    search_proposed(propose, lambda _: None, passages=passages, titles=titles, count=count, **searched)


if __name__ == "__main__":
    run(search_index, snakemake)
