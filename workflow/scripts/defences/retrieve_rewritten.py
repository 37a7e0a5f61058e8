"""Find what the questions that a defence has put in other words find in a corpus under attack, by vectors."""

from ragassay.base.stage import run
from ragassay.schemas.attacks import FOUND_REWRITTEN
from ragassay.studies.poisoning.attacks import attacked_corpus, attacked_search


def retrieve_rewritten(
    queries, neighbours, poisoned_passages, found_rewritten, encoder, query_encoder, embeddings, similarity, count,
    tried=None,
):  # fmt: skip
    together = attacked_search.search(
        queries, neighbours, poisoned_passages, encoder, query_encoder, embeddings, similarity, count, tried
    )
    attacked_corpus.write(found_rewritten, together, poisoned_passages, FOUND_REWRITTEN)


if __name__ == "__main__":
    run(retrieve_rewritten, snakemake)
