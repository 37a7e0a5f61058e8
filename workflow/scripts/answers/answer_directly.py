"""Ask a responder each query of a set without any passage, and grade the answer: what does it know by itself?"""

from ragassay import tables
from ragassay.answers.asking import answerable, graded, question
from ragassay.llm.parsers.declining import declines
from ragassay.llm.prompts import Prompt
from ragassay.schemas.direct_answers import DIRECT_ANSWERS
from ragassay.stage import log, run


def answer_directly(queries, prompt, direct_answers, calls, model, ledger, sampling, most_rejected):
    asked, rows = Prompt.load(prompt), answerable(queries)

    def messages(row):
        return asked.messages(question=question(row))

    answers = graded(rows, messages, declines, asked.digest, model, ledger, calls, sampling, most_rejected)
    log.info("%d queries asked without passages", tables.write(DIRECT_ANSWERS, direct_answers, answers))


if __name__ == "__main__":
    run(answer_directly, snakemake)
