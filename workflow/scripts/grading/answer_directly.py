"""Ask a responder each query of a set without any passage, and grade the answer: what does it know by itself?"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.calls.prompts import Prompt
from ragassay.grading.asking import answerable, graded, question
from ragassay.grading.declines import declines
from ragassay.schemas.relevance import DIRECT_ANSWERS


def answer_directly(queries, prompt, direct_answers, calls, model, ledger, sampling, most_rejected):
    asked, rows = Prompt.load(prompt), answerable(queries)

    def messages(row):
        return asked.messages(question=question(row))

    answers = graded(rows, messages, declines, asked.digest, model, ledger, calls, sampling, most_rejected)
    log.info("%d queries asked without passages", tables.write(DIRECT_ANSWERS, direct_answers, answers))


if __name__ == "__main__":
    run(answer_directly, snakemake)
