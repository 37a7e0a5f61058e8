"""Let a judge vote on each question, seeing question and document: is it out of the document's scope?

All votes on a question are samples of one request, so that its prompt is paid once. Every vote becomes a row, also one
without a verdict. label_scope computes the majority. With a `sample`, the items that people label, only those questions
are asked about.
"""

from operator import itemgetter

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt
from ragassay.grading.verdicts import ballot
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import ANNOTATION_ITEMS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_VOTES


def judge_scope(
    documents, questions, prompt, scope_votes, calls, model, ledger, sampling, votes, most_rejected, sample=()
):
    asked, model = Prompt.load(prompt), Model(**model)
    texts = dict(zip(*tables.read(DOCUMENTS, documents, ["doc_id", "text"]).to_pydict().values(), strict=True))
    rows = tables.read(QUESTIONS, questions, ["question_id", "doc_id", "text"]).to_pylist()
    if sample:
        chosen = set(tables.read_all(ANNOTATION_ITEMS, sample, ["question_id"])["question_id"].to_pylist())
        rows = [row for row in rows if row["question_id"] in chosen]
    rows.sort(key=itemgetter("doc_id"))  # prompts of one document begin alike, which providers' caches notice

    def request(row):
        return Request(asked.messages(document=texts[row["doc_id"]], question=row["text"]), sampling, votes)

    tally = Tally.of_answers(model.name, "votes", most_rejected)
    with tables.Writer(SCOPE_VOTES, scope_votes) as kept:
        for row, answers in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally), strict=True):
            for vote in ballot(row, answers, tally):
                same = {"question_id": row["question_id"], "doc_id": row["doc_id"]}
                kept.add(same | vote | {"judge": model.name, "prompt": asked.digest})
    assert kept.written == votes * len(rows)
    log.info("%d questions: %d votes, %d of them abstained", len(rows), kept.written, tally.rejected)


if __name__ == "__main__":
    run(judge_scope, snakemake)
