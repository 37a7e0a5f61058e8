"""Find near passages of each query by the index of a vector database that the user runs, score them exactly, and count
for some queries how many of the nearest passages it missed. Nothing is written there.
"""

import numpy as np

from ragassay.base.stage import run
from ragassay.search.vectors import search_proposed
from ragassay.services import hits


def search_service(passages, encoder, similarity, count, collection, entry, search, revision, ledger, **searched):
    """Writes the tables `neighbours` and `index_recall`. `collection` and `entry` are the name and the entry of the
    configuration, `searched` are the other arguments of `search_proposed`.
    """
    similarities = None

    def propose(_, vectors, texts, wanted):
        nonlocal similarities
        same = hits.Search(entry, vectors.queries.encoder.digest, similarity, count, search, revision)
        answers = hits.answers(collection, same, hits.CorpusTexts(passages), texts, wanted, ledger)
        positions, similarities = np.full((len(wanted), count), -1), np.full((len(wanted), count), np.nan, np.float32)
        for row, (places, of_places) in enumerate(answers):
            positions[row, : len(places)], similarities[row, : len(places)] = places, of_places
        return positions

    def check(scores):
        hits.check_vectors(collection, scores, similarities, encoder["name"])

    searched |= {"passages": passages, "encoder": encoder, "similarity": similarity, "count": count}
    search_proposed(propose, check, **searched)


if __name__ == "__main__":
    run(search_service, snakemake)
