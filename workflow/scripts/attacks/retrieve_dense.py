"""Find what targets' questions find in a corpus under attack, by vectors."""

from ragassay.base.stage import run
from ragassay.studies.poisoning.attacks import attacked_corpus, attacked_search


def retrieve_dense(
    queries, neighbours, poisoned_passages, retrieved, encoder, query_encoder, embeddings, similarity, count, tried=None
):
    together = attacked_search.search(
        queries, neighbours, poisoned_passages, encoder, query_encoder, embeddings, similarity, count, tried
    )
    attacked_corpus.write(retrieved, together, poisoned_passages)


if __name__ == "__main__":
    run(retrieve_dense, snakemake)
