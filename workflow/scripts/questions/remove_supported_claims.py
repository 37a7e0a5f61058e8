"""Keep the recovered claims that go beyond their document: the generator names them by their original numbers.

Only the last guess for each slot counts. Guesses that the document or its true claims support are rejected as
supported. If an answer does not say which claims remain, all of its document are rejected with the reason.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally, reject
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt, numbered
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import CLAIMS, NOVEL_CLAIMS, RECOVERED_CLAIMS
from ragassay.studies.scope.model_answers import by_document, remaining

KEPT = [column.name for column in NOVEL_CLAIMS.columns]


def remove_supported_claims(
    documents, claims, recovered_claims, prompt, novel_claims, rejects, calls, model, ledger, sampling, most_rejected
):
    asked, model = Prompt.load(prompt), Model(**model)
    texts = dict(zip(*tables.read(DOCUMENTS, documents, ["doc_id", "text"]).to_pydict().values(), strict=True))
    true = by_document(tables.read(CLAIMS, claims).to_pylist())
    guesses = by_document(tables.read(RECOVERED_CLAIMS, recovered_claims).to_pylist())  # a later round goes last

    def request(doc_id):
        true_claims, last = ({row["slot"]: row["text"] for row in rows} for rows in (true[doc_id], guesses[doc_id]))
        shown = {"claims": numbered(true_claims), "recovered": numbered(dict(sorted(last.items())))}
        return Request(asked.messages(document=texts[doc_id], **shown), sampling)

    tally, looked_at = Tally.of_answers(model.name, "recovered claims", most_rejected), 0
    with tables.Writer(NOVEL_CLAIMS, novel_claims) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        answers = complete(Requests(list(guesses), request), model, ledger, calls, tally)
        for rows, [answer] in zip(guesses.values(), answers, strict=True):
            last = {row["slot"]: row for row in rows}
            left = remaining(answer, {slot: row["text"] for slot, row in last.items()})
            looked_at += len(last)
            tally.hear(rows[0]["doc_id"], [answer])
            for slot, row in last.items():
                if isinstance(left, set):
                    tally.keep()  # supported claims, too: to find them is what the stage is for
                    why = None if slot in left else ("supported", row["text"])
                else:
                    tally.reject(row["recovered_id"], *left, answer)
                    why = left
                if why:
                    refused.add(reject("remove_supported_claims", row, row["recovered_id"], *why))
                else:
                    kept.add({name: row[name] for name in KEPT} | {"prompt": asked.digest})
    assert kept.written + refused.written == looked_at
    log.info("%d recovered claims: %d novel, %d not", looked_at, kept.written, refused.written)


if __name__ == "__main__":
    run(remove_supported_claims, snakemake)
