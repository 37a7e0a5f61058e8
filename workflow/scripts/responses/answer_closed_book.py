"""Ask each question without its document: does the responder answer, and from what? measure_responses interprets the
answers.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt
from ragassay.schemas.scope_answers import CLOSED_BOOK_ANSWERS
from ragassay.studies.scope.model_answers import asked_questions, count_response, response_row


def answer_closed_book(
    questions, prompt, closed_book_answers, calls, model, ledger, sampling, most_rejected, in_scope_share=1.0
):
    asked, model = Prompt.load(prompt), Model(**model)
    rows = asked_questions(questions, in_scope_share)

    def request(row):
        return Request(asked.messages(question=row["text"]), sampling)

    tally = Tally.of_answers(model.name, "answers", most_rejected)
    with tables.Writer(CLOSED_BOOK_ANSWERS, closed_book_answers) as kept:
        for row, [answer] in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally), strict=True):
            count_response(row, answer, tally)
            kept.add(response_row(row, answer, model.name, asked.digest))
    log.info("%d questions asked without their documents", kept.written)


if __name__ == "__main__":
    run(answer_closed_book, snakemake)
