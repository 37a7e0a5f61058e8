"""Let the generator guess claims: in every round each subset of a document's claims is removed and guessed again.

The document is not shown, so guesses drift from it. The calls of one document follow each other, since each works on
the list that the last one left; different documents run side by side. Every guess of every round is a row. Does not
check whether a guess is true: see remove_supported_claims.
"""

from ragassay.base import tables
from ragassay.base.chance import content_id
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally, reject
from ragassay.calls.complete import converse
from ragassay.calls.model import Model, Request
from ragassay.calls.prompts import NEWS, Prompt, numbered
from ragassay.schemas.scope_questions import CLAIMS, RECOVERED_CLAIMS
from ragassay.studies.scope.model_answers import Recovered, blanked, by_document, read_guesses, turns


def recover_claims(
    claims, prompt, recovered_claims, rejects, calls, model, ledger, sampling, rounds, subsets, most_rejected, kind=NEWS
):
    asked, model = Prompt.load(prompt, kind), Model(**model)
    rows = tables.read(CLAIMS, claims).to_pylist()
    tally = Tally.of_answers(model.name, "guesses", most_rejected)
    lists = list(by_document(rows).values())

    async def all_rounds(claim_rows, ask):
        current, guesses = {row["slot"]: row["text"] for row in claim_rows}, []
        ids, doc_id = {row["slot"]: row["claim_id"] for row in claim_rows}, claim_rows[0]["doc_id"]
        for turn, subset, blank in turns(list(current), rounds, subsets):
            shown = numbered(blanked(current, blank))
            [answer] = await ask(Request(asked.messages(claims=shown), sampling))
            tally.hear(doc_id, [answer])
            for slot, (text, *why) in read_guesses(answer, current, blank).items():
                guesses.append(Recovered(turn, subset, slot, text, *why))
                current[slot] = text or current[slot]
                if text:
                    tally.keep()
                else:
                    tally.reject(f"{ids[slot]} round {turn}", *why, answer)
            tally.go_on()  # here, for the first conversation ends when nearly all is asked
        return guesses

    expected = sum(1 for claim_rows in lists for _ in turns([row["slot"] for row in claim_rows], rounds, subsets))
    with tables.Writer(RECOVERED_CLAIMS, recovered_claims) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        results = converse(lists, all_rounds, model, ledger, calls, tally, side_by_side=len(lists), expected=expected)
        for claim_rows, guesses in zip(lists, results, strict=True):
            originals = {row["slot"]: row for row in claim_rows}
            for guess in guesses:
                original = originals[guess.slot]
                if guess.text:
                    kept.add(recovered(original, guess, model.name, asked.digest))
                else:
                    item = f"{original['claim_id']} round {guess.round}"
                    refused.add(reject("recover_claims", original, item, guess.reason, guess.detail))
    assert kept.written + refused.written == rounds * len(rows)
    log.info("%d claims, %d rounds: %d guesses, %d rejected", len(rows), rounds, kept.written, refused.written)


def recovered(original, guess, generator, prompt) -> dict:
    row = {name: original[name] for name in ("claim_id", "doc_id", "shard", "slot")}
    row |= {"recovered_id": content_id("recovered", original["claim_id"], generator, guess.round, guess.text)}
    row |= {"round": guess.round, "subset": guess.subset, "text": guess.text}
    return row | {"generator": generator, "prompt": prompt}


if __name__ == "__main__":
    run(recover_claims, snakemake)
