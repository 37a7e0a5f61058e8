"""A baseline that asks the responder itself: it answers once more in steps, and then judges whether these steps support
the answer that it gave. The score of an answer is the share of judgements that they do not.

Made for backdoors, whose answers have no reasons. A planted passage gives the model its reasons, too. Answers without a
text, and judgements without a verdict, have no score.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import converse
from ragassay.calls.model import Model, Request
from ragassay.calls.parsers.result import Abstain
from ragassay.calls.prompts import Prompt
from ragassay.grading.verdicts import parse_verdict
from ragassay.schemas.defences import BASELINE_SCORES
from ragassay.studies.poisoning.probes.rows import asked_once

NO_ANSWER, NO_REASONS, NO_VERDICT = "no_answer", "no_reasons", "no_verdict"


def scrutinise_answers(
    targets, prompt_pairs, prompt_answers, reasoning_prompt, scrutiny_prompt, baseline_scores, calls,
    model, ledger, sampling, votes, voting, in_lines, most_rejected,
):  # fmt: skip
    model, prompts = Model(**model), [Prompt.load(path) for path in (reasoning_prompt, scrutiny_prompt)]
    keys, asked = asked_once(targets, prompt_pairs, prompt_answers)
    items = [prompt for prompt in asked if prompt.answer.strip()]

    async def scrutinised(prompt, ask):
        passages = list(prompt.passages)
        [reasons] = await ask(Request(prompts[0].messages(passages=passages, question=prompt.question), sampling))
        if not reasons.text.strip():
            return reasons, None
        material = {"question": prompt.question, "reasons": reasons.text, "answer": prompt.answer}
        return reasons, await ask(Request(prompts[1].messages(**material), voting, votes))

    tally, scores = Tally.of_answers(model.name, "answers", most_rejected), {}
    results = converse(items, scrutinised, model, ledger, calls, tally, model.concurrency, len(items) * 2)
    for prompt, (reasons, judged) in zip(items, results, strict=True):
        scores[prompt] = _score(judged)
        tally.hear(prompt.target_id, [reasons])
        if scores[prompt]["reason"]:
            tally.reject(prompt.target_id, scores[prompt]["reason"], reasons.detail, reasons)
        else:
            tally.keep()
    none = {"score": None, "reason": NO_ANSWER}
    tables.write(BASELINE_SCORES, baseline_scores, [key | scores.get(prompt, none) for key, prompt in keys])
    log.info("%d answers scrutinised, %d without a verdict", len(items), tally.rejected)


def _score(judged):
    if judged is None:
        return {"score": None, "reason": NO_REASONS}
    verdicts = [parse_verdict(answer.text, answer.finish_reason) for answer in judged]
    heard = [not one.value for one in verdicts if not isinstance(one, Abstain)]
    return {"score": sum(heard) / len(heard) if heard else None, "reason": None if heard else NO_VERDICT}


if __name__ == "__main__":
    run(scrutinise_answers, snakemake)
