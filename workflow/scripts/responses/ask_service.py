"""Let a service answer each question, asked alone, as often as its entry says; compare its answers with the passages
that it retrieved, and these with the question's document. The first answer is the response that judges see; whether it
is any good is for judge_defusion.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.grading.declines import declines_from_passages
from ragassay.grading.grounding import citations, grounding, is_of_document
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import RESPONSES
from ragassay.schemas.services import SERVICE_ANSWERS, SERVICE_PASSAGES
from ragassay.studies.scope.model_answers import asked_questions, count_response, response_row
from ragassay.studies.scope.votes import ALONE
from ragassay.text.characters import fit, replaced


def ask_service(
    documents, questions, responses, service_answers, service_passages, calls, model, ledger, asks, most_rejected,
    in_scope_share=1.0,
):  # fmt: skip
    model, rows = Model(**model), asked_questions(questions, in_scope_share)
    by_id = {
        row["doc_id"]: row
        for row in tables.read(DOCUMENTS, documents, ["doc_id", "source_id", "url", "text"]).to_pylist()
    }

    def request(row):
        return Request([{"role": "user", "content": row["text"]}], {}, asks, part=row["intended"])

    tally = Tally.of_answers(model.name, "answers", most_rejected)
    with (
        tables.Writer(RESPONSES, responses) as kept,
        tables.Writer(SERVICE_ANSWERS, service_answers) as answered,
        tables.Writer(SERVICE_PASSAGES, service_passages) as retrieved,
    ):
        for row, answers in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally), strict=True):
            count_response(row, answers[0], tally)
            kept.add(response_row(row, answers[0], model.name, "") | {"prompt_name": ALONE})
            for ask, answer in enumerate(answers, 1):
                key = {"question_id": row["question_id"], "ask": ask, "responder": model.name}
                passages = None if answer.passages is None else [*map(_fit, answer.passages)]
                places = [is_of_document(passage, by_id[row["doc_id"]]) for passage in passages or ()]
                for rank, (passage, of_document) in enumerate(zip(passages or (), places, strict=True), 1):
                    fields = {"passage_id" if name == "id" else name: value for name, value in passage.items()}
                    retrieved.add(key | fields | {"rank": rank, "of_document": of_document})
                answered.add(key | _checked(row, answer, passages, places))
    log.info("%d questions, asked %d times each: %d passages", kept.written, asks, retrieved.written)


def _fit(passage):
    """The passage as it is stored, as its document and the answer are."""
    return {name: fit(value) if isinstance(value, str) else value for name, value in passage.items()}


def _checked(row, answer, passages, places):
    """What an answer says, and whether its passages bear it out; `places` tells which are of the document."""
    part = answer_part(answer.text, answer.finish_reason)
    columns = {name: row[name] for name in ("doc_id", "intended", "question_type")}
    columns |= {"text": fit(replaced(answer.text)), "finish_reason": answer.finish_reason}
    columns |= {"detail": answer.detail or None}
    columns |= {"outcome": "abstained", "support": None, "supported": None, "citations": 0, "unknown_citations": None}
    columns |= {"retrieved": None if passages is None else len(passages)}
    columns |= {"document_rank": places.index(True) + 1 if True in places else None}
    if isinstance(part, Abstain):
        return columns
    columns["outcome"] = "declined" if declines_from_passages(part) else "answered"
    if passages is not None:
        cited = citations(part, passages)
        support, supported = grounding(part, row["text"], passages)
        columns |= {"support": support, "supported": supported}
        columns |= {"citations": len(cited), "unknown_citations": cited.count(False)}
    return columns


if __name__ == "__main__":
    run(ask_service, snakemake)
