"""Find near passages of each query by an index, score them exactly, and count for some queries how many of the nearest
passages the index missed.
"""

from ragassay.base.stage import run
from ragassay.search import indexes, proposals


def search_index(index, count, search, **searched):
    """`searched` is the rest of what `proposals.search` gets."""

    def propose(names, vectors, _, wanted):
        loaded = indexes.load(index, names, vectors.passages.encoder.digest, search)
        return indexes.proposed(loaded, wanted, count)

    proposals.search(propose, count=count, **searched)


if __name__ == "__main__":
    run(search_index, snakemake)
