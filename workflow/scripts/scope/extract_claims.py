"""Extract standalone claims from each document. Does not judge them.

A document whose answer is no list of claims, or one with too few, is rejected with the parser's reason; the raw
answer stays in the ledger, so that a better parser finds it there without asking again.
"""

import hashlib

from ragassay import tables
from ragassay.llm.calls import complete
from ragassay.llm.model import Model, Request
from ragassay.llm.numbered_lists import parse_numbered
from ragassay.llm.parsing import Abstain
from ragassay.llm.prompts import Prompt
from ragassay.schemas.claims import CLAIMS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.stage import log, run


def extract_claims(
    documents, prompt, claims, rejects, calls, model, ledger, sampling, claims_per_document, fewest_claims
):
    asked, model = Prompt.load(prompt), Model(**model)
    texts = tables.read(DOCUMENTS, documents, ["doc_id", "shard", "text"]).to_pylist()
    requests = Requests(asked, texts, claims_per_document, sampling)
    with tables.Writer(CLAIMS, claims) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for row, [answer] in zip(texts, complete(requests, model, ledger, calls), strict=True):
            parsed = parse_numbered(answer.text, answer.finish_reason)
            found = [] if isinstance(parsed, Abstain) else sorted(parsed.value.items())[:claims_per_document]
            if len(found) < fewest_claims:
                reason = parsed.reason if isinstance(parsed, Abstain) else "count_mismatch"
                detail = f"found {len(found)} claims, expected at least {fewest_claims}"
                reject = {"stage": "extract_claims", "shard": row["shard"], "item": row["doc_id"]}
                refused.add(reject | {"reason": reason, "detail": detail})
            for slot, text in found if len(found) >= fewest_claims else []:
                kept.add(claim(row["doc_id"], slot, text, model.name, asked.digest))
    log.info("%d documents: %d claims, %d documents rejected", len(texts), kept.written, refused.written)


def claim(doc_id, slot, text, generator, prompt) -> dict:
    digest = hashlib.sha256("\0".join([doc_id, generator, str(slot), text]).encode()).hexdigest()[:16]
    row = {"claim_id": f"claim-{digest}", "doc_id": doc_id, "slot": slot, "text": text}
    return row | {"generator": generator, "prompt": prompt}


class Requests:
    """One request per document, made when it is its turn; sized, so that progress can tell the time left."""

    def __init__(self, prompt, texts, n, sampling):
        self.prompt, self.texts, self.n, self.sampling = prompt, texts, n, sampling

    def __len__(self):
        return len(self.texts)

    def __iter__(self):
        for row in self.texts:
            yield Request(self.prompt.messages(document=row["text"], n=self.n), self.sampling)


if __name__ == "__main__":
    run(extract_claims, snakemake)
