"""Find what targets' questions find in a corpus under attack, by vectors (see `ragassay.attacks.vector_search`)."""

from ragassay.attacks import joining
from ragassay.attacks.vector_search import search
from ragassay.stage import run


def retrieve_dense(
    queries, neighbours, poisoned_passages, retrieved, encoder, query_encoder, embeddings, similarity, count, tried=None
):
    searched = (encoder, query_encoder, embeddings, similarity, count, tried)
    joining.write(retrieved, search(queries, neighbours, poisoned_passages, *searched), poisoned_passages)


if __name__ == "__main__":
    run(retrieve_dense, snakemake)
