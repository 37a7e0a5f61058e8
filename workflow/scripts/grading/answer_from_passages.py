"""Ask a responder each query of a set with the passages that a retriever found for it, and grade the answer.

A query that found nothing is asked all the same, and its prompt says that nothing was found.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.calls.prompts import Prompt
from ragassay.grading.asking import answerable, graded, question
from ragassay.grading.declines import declines_from_passages
from ragassay.schemas.relevance import PASSAGE_ANSWERS
from ragassay.search.neighbours import NOTHING, best_passages


def answer_from_passages(
    passages, queries, neighbours, prompt, passage_answers, calls,
    model, ledger, sampling, shown, about_known, most_rejected,
):  # fmt: skip
    asked, rows = Prompt.load(prompt), answerable(queries, about_known)
    best = best_passages(passages, neighbours, shown)

    def messages(row):
        texts = list(best.get(row["query_id"], {}).values()) or [NOTHING]
        return asked.messages(passages=texts, question=question(row))

    access = (model, ledger, calls, sampling, most_rejected)
    with tables.Writer(PASSAGE_ANSWERS, passage_answers) as kept:
        for row in graded(rows, messages, declines_from_passages, asked.digest, *access):
            kept.add(row | {"passages": list(best.get(row["query_id"], {}))})
    log.info("%d queries asked with passages", kept.written)


if __name__ == "__main__":
    run(answer_from_passages, snakemake)
