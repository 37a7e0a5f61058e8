"""Let a judge vote on each response to a question that was meant to be out of scope: does it decline or correct the
question instead of answering it?

All votes on a response are samples of one request. Where there is no response to judge (empty, only reasoning that
never came to an end, withheld by the provider), no model is asked, and the votes abstain with that reason.
label_defusion computes the majority.
"""

from operator import itemgetter

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.calls.prompts import Prompt
from ragassay.grading.verdicts import ballot
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import DEFUSION_VOTES, RESPONSES
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.votes import OUT, UNLABELLED


def judge_defusion(
    documents, questions, responses, prompt, defusion_votes, calls, model, ledger, sampling, votes, most_rejected,
    unlabelled=False,
):  # fmt: skip
    """Responses to questions that nobody labelled are judged, too, if they are to be `unlabelled`."""
    asked, model = Prompt.load(prompt), Model(**model)
    texts = dict(zip(*tables.read(DOCUMENTS, documents, ["doc_id", "text"]).to_pydict().values(), strict=True))
    questions = tables.read(QUESTIONS, questions, ["question_id", "intended", "text"]).to_pylist()
    judged = (OUT, UNLABELLED) if unlabelled else (OUT,)
    out = {row["question_id"]: row["text"] for row in questions if row["intended"] in judged}
    rows = [row for row in tables.read(RESPONSES, responses).to_pylist() if row["question_id"] in out]
    rows.sort(key=itemgetter("doc_id"))  # prompts of one document begin alike, which providers' caches notice
    parts = {row["question_id"]: answer_part(row["text"], row["finish_reason"]) for row in rows}

    def request(row):
        shown = {"document": texts[row["doc_id"]], "question": out[row["question_id"]]}
        return Request(asked.messages(**shown, response=parts[row["question_id"]].strip()), sampling, votes)

    there = [row for row in rows if not isinstance(parts[row["question_id"]], Abstain)]
    tally = Tally.of_answers(model.name, "votes", most_rejected)
    answers, abstained = complete(Requests(there, request), model, ledger, calls, tally), 0
    with tables.Writer(DEFUSION_VOTES, defusion_votes) as kept:
        for row in rows:
            part = parts[row["question_id"]]
            if isinstance(part, Abstain):  # a failure of the responder, which its own stage counts
                none = {"verdict": None, "abstained": part.reason, "detail": row["detail"]}
                ballots = [{"vote": number, **none} for number in range(1, votes + 1)]
            else:
                ballots = ballot(row, next(answers), tally)
            same = {name: row[name] for name in ("question_id", "doc_id", "responder", "prompt_name")}
            for vote in ballots:
                abstained += vote["verdict"] is None
                kept.add(same | vote | {"judge": model.name, "prompt": asked.digest})
        assert next(answers, None) is None  # which also ends the calls
    assert kept.written == votes * len(rows)
    log.info(
        "%d responses, %d of them to judge: %d votes, %d abstained", len(rows), len(there), kept.written, abstained
    )


if __name__ == "__main__":
    run(judge_defusion, snakemake)
