"""Find what the questions that a defence has put in other words find in a corpus under attack, by vectors."""

from ragassay.base.stage import run
from ragassay.schemas.attacks import FOUND_REWRITTEN
from ragassay.studies.poisoning.attacks import joining
from ragassay.studies.poisoning.attacks.vector_search import search


def retrieve_rewritten(
    queries, neighbours, poisoned_passages, found_rewritten, encoder, query_encoder, embeddings, similarity, count,
    tried=None,
):  # fmt: skip
    together = search(
        queries, neighbours, poisoned_passages, encoder, query_encoder, embeddings, similarity, count, tried
    )
    joining.write(found_rewritten, together, poisoned_passages, FOUND_REWRITTEN)


if __name__ == "__main__":
    run(retrieve_rewritten, snakemake)
