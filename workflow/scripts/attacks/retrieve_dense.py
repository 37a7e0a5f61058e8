"""Find what targets' questions find in a corpus under attack, by vectors (see
`ragassay.studies.poisoning.attacks.vector_search`)."""

from ragassay.base.stage import run
from ragassay.studies.poisoning.attacks import joining
from ragassay.studies.poisoning.attacks.vector_search import search


def retrieve_dense(
    queries, neighbours, poisoned_passages, retrieved, encoder, query_encoder, embeddings, similarity, count, tried=None
):
    searched = (encoder, query_encoder, embeddings, similarity, count, tried)
    joining.write(retrieved, search(queries, neighbours, poisoned_passages, *searched), poisoned_passages)


if __name__ == "__main__":
    run(retrieve_dense, snakemake)
