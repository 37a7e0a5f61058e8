"""Extract standalone claims from each document. Does not judge them.

A document whose answer is not a list of claims, or has too few, is rejected with the parser's reason. The raw answer
stays in the ledger, so that a better parser can read it without asking again.
"""

from ragassay.base import tables
from ragassay.base.chance import content_id
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally, reject
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.parsers.result import Abstain
from ragassay.calls.prompts import NEWS, Prompt
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import CLAIMS


def extract_claims(
    documents, prompt, claims, rejects, calls, model, ledger, sampling, claims_per_document, fewest_claims,
    most_rejected, kind=NEWS,
):  # fmt: skip
    asked, model = Prompt.load(prompt, kind), Model(**model)
    texts = tables.read(DOCUMENTS, documents, ["doc_id", "shard", "text"]).to_pylist()

    def request(row):
        return Request(asked.messages(document=row["text"], n=claims_per_document), sampling)

    tally = Tally.of_answers(model.name, "documents", most_rejected)
    with tables.Writer(CLAIMS, claims) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for row, [answer] in zip(texts, complete(Requests(texts, request), model, ledger, calls, tally), strict=True):
            tally.hear(row["doc_id"], [answer])
            parsed = parse_numbered(answer.text, answer.finish_reason)
            claims_found = [] if isinstance(parsed, Abstain) else sorted(parsed.value.items())[:claims_per_document]
            if len(claims_found) < fewest_claims:
                reason = parsed.reason if isinstance(parsed, Abstain) else "count_mismatch"
                detail = answer.detail or f"found {len(claims_found)} claims, expected at least {fewest_claims}"
                refused.add(reject("extract_claims", row, row["doc_id"], reason, detail))
                tally.reject(row["doc_id"], reason, detail, answer)
                continue
            tally.keep()
            for slot, text in claims_found:
                kept.add(claim(row, slot, " ".join(text.split()), model.name, asked.digest))
    assert tally.kept + refused.written == len(texts)
    log.info("%d documents: %d claims, %d documents rejected", len(texts), kept.written, refused.written)


def claim(document, slot, text, generator, prompt) -> dict:
    row = {"claim_id": content_id("claim", document["doc_id"], generator, slot, text), "doc_id": document["doc_id"]}
    return row | {"shard": document["shard"], "slot": slot, "text": text, "generator": generator, "prompt": prompt}


if __name__ == "__main__":
    run(extract_claims, snakemake)
