"""Let a responder answer each question with its document. Whether a response is any good is for judge_defusion.

Every question has a row, even if the response is empty or cut off: this is recorded, not repaired.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import RESPONSES
from ragassay.studies.scope.model_answers import asked_questions, count_response, response_row


def respond(
    documents, questions, prompt, responses, calls, model, ledger, sampling, prompt_name, most_rejected,
    in_scope_share=1.0,
):  # fmt: skip
    asked, model = Prompt.load(prompt), Model(**model)
    texts = dict(zip(*tables.read(DOCUMENTS, documents, ["doc_id", "text"]).to_pydict().values(), strict=True))
    rows = asked_questions(questions, in_scope_share)

    def request(row):
        messages = asked.messages(document=texts[row["doc_id"]], question=row["text"])
        return Request(messages, sampling, part=row["intended"])

    tally = Tally.of_answers(model.name, "responses", most_rejected)
    truncated = 0
    with tables.Writer(RESPONSES, responses) as kept:
        for row, [answer] in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally), strict=True):
            count_response(row, answer, tally)
            row_of = response_row(row, answer, model.name, asked.digest)
            truncated += row_of["truncated"]
            kept.add(row_of | {"prompt_name": prompt_name})
    log.info("%d questions: %d responses, %d of them cut off", len(rows), kept.written, truncated)


if __name__ == "__main__":
    run(respond, snakemake)
