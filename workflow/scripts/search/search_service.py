"""Find near passages of each query by the index of a vector database that the user runs, score them exactly, and count
for some queries how many of the nearest passages it missed. Nothing is written there.
"""

import numpy as np

from ragassay.base.stage import run
from ragassay.search import proposals
from ragassay.services import hits


def search_service(passages, encoder, similarity, count, collection, entry, search, revision, ledger, **searched):
    """`collection` and `entry` are the name and the entry of the configuration, `searched` is the rest of what
    `proposals.search` gets.
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

    searched |= {"passages": passages, "encoder": encoder, "similarity": similarity, "count": count}
    scores = proposals.search(propose, **searched)
    hits.check_vectors(collection, scores, similarities, encoder["name"])


if __name__ == "__main__":
    run(search_service, snakemake)
