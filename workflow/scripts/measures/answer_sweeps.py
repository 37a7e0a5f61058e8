"""Ask a responder what it answers behind RAGuard under other settings. Settings that leave the same passages to a
question are asked about once.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import PromptPair
from ragassay.grading.asking import counted
from ragassay.grading.declines import declines, declines_from_passages
from ragassay.grading.outcomes import target_outcome
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.schemas.defences import SWEEP_ANSWERS, SWEEP_SHOWN
from ragassay.studies.poisoning.attacks.attacked_corpus import texts_of


def answer_sweeps(
    targets, sweep_shown, passages, poisoned_passages, prompt, closed_book_prompt, sweep_answers, calls,
    model, ledger, sampling, in_lines, most_rejected,
):  # fmt: skip
    rows = tables.read(SWEEP_SHOWN, sweep_shown).to_pylist()
    wanted = {row["target_id"]: row for row in tables.read(TARGETS, targets).to_pylist()}
    asked = list(dict.fromkeys((row["target_id"], *row["passages"]) for row in rows))
    texts = texts_of({name for _, *names in asked for name in names}, [passages], poisoned_passages)
    prompts, model = PromptPair.load(prompt, closed_book_prompt, in_lines), Model(**model)

    def request(prompt_key):
        target, *names = prompt_key
        return Request(prompts.messages(wanted[target]["question"], [texts[name] for name in names]), sampling)

    tally, outcomes = Tally.of_answers(model.name, "answers", most_rejected), {}
    for prompt_key, [answer] in zip(
        asked, complete(Requests(asked, request), model, ledger, calls, tally), strict=True
    ):
        target, *names = prompt_key
        graded = target_outcome(answer, wanted[target], declines_from_passages if names else declines)
        outcomes[prompt_key], _ = counted(tally, target, answer, graded)
    planted = set(tables.read_all(POISONED_PASSAGES, poisoned_passages, ["passage_id"])["passage_id"].to_pylist())
    with tables.Writer(SWEEP_ANSWERS, sweep_answers) as kept:
        for row in rows:
            columns = {key: row[key] for key in SWEEP_SHOWN.key}
            columns |= {"outcome": outcomes[row["target_id"], *row["passages"]]}
            kept.add(columns | {"poisoned": sum(name in planted for name in row["passages"])})
    log.info("%d answers for %d rows of sweeps", len(asked), len(rows))


if __name__ == "__main__":
    run(answer_sweeps, snakemake)
