"""Ask a responder each prompt of the pairs once, and each question by itself; say what each answer counts as.

What the study of attacks has asked already is not asked again: the same passages for the same question, and no passage.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests, answer_columns
from ragassay.calls.prompts import PromptPair
from ragassay.grading.asking import counted
from ragassay.grading.declines import declines, declines_from_passages
from ragassay.grading.outcomes import ABSTAINED, CORRECT, target_outcome
from ragassay.models.recording import PROVIDER, Recording
from ragassay.schemas.attacks import ANSWERS, TARGETS
from ragassay.schemas.probes import PROMPT_ANSWERS, PROMPT_PAIRS
from ragassay.schemas.relevance import SAID
from ragassay.studies.poisoning.probes.labels import CLEAN, label

GRADED = ("target_id", "question", "answers", "target", "target_aliases")  # grading sees no text, clean or poisoned
ANSWERED = ("outcome", "reason", *(column.name for column in SAID))


def answer_prompts(
    targets, prompt_pairs, answers, prompt, closed_book_prompt, prompt_answers, calls,
    model, ledger, sampling, in_lines, wants, most_rejected,
):  # fmt: skip
    """`answers` are files of the same responder, dataset and retriever; `wants` is what the attack wants."""
    wanted = {row["target_id"]: row for row in tables.read(TARGETS, targets, GRADED).to_pylist()}
    pairs = tables.read(PROMPT_PAIRS, prompt_pairs).to_pylist()
    prompts, model = PromptPair.load(prompt, closed_book_prompt, in_lines), Model(**model)
    if model.provider == PROVIDER:
        digests = [prompts.digest(passages) for passages in ([], [""])]
        Recording.open(model.model).check(digests, [row["question"] for row in wanted.values()])
    given = _given(answers, pairs, prompts)
    asked = [(name, ()) for name in dict.fromkeys(row["target_id"] for row in pairs)]
    asked += [(row["target_id"], tuple(row["passages"])) for row in pairs]
    missing = [one for one in dict.fromkeys(asked) if one not in given]

    def request(one):
        return Request(prompts.messages(wanted[one[0]]["question"], list(one[1])), sampling)

    tally = Tally.of_answers(model.name, "answers", most_rejected)
    for one, [answer] in zip(missing, complete(Requests(missing, request), model, ledger, calls, tally), strict=True):
        graded = target_outcome(answer, wanted[one[0]], declines_from_passages if one[1] else declines)
        outcome, reason = counted(tally, one[0], answer, graded)
        given[one] = {"outcome": outcome, "reason": reason} | answer_columns(answer, model.name, prompts.digest(one[1]))
    tables.write(PROMPT_ANSWERS, prompt_answers, _rows(pairs, given, wants))
    log.info("%d prompts, of which %d asked", len(set(asked)), len(missing))


def _given(answers, pairs, prompts):
    """(target, texts of its passages) -> what was answered to that."""
    texts = {
        (row["target_id"], tuple(row["shown"])): tuple(row["passages"]) for row in pairs if row["shown"] is not None
    }
    texts |= {(row["target_id"], ()): () for row in pairs}
    answered = {}
    for row in tables.read_all(ANSWERS, answers).to_pylist() if answers else ():
        shown = texts.get((row["target_id"], tuple(row["passages"])))
        if shown is not None and row["prompt"] == prompts.digest(shown):
            answered[row["target_id"], shown] = {name: row[name] for name in ANSWERED}
    return answered


def _rows(pairs, given, wants):
    clean = {(row["target_id"], row["condition"]): row for row in pairs if row["side"] == CLEAN}
    for row in pairs:
        key = {name: row[name] for name in ("target_id", "condition", "side")}
        answer, alone = given[row["target_id"], tuple(row["passages"])], given[row["target_id"], ()]["outcome"]
        other = given[row["target_id"], tuple(clean[row["target_id"], row["condition"]]["passages"])]
        own = label(row["condition"], row["side"], answer["outcome"], other["outcome"], wants)
        yield key | answer | {"label": own, "known": None if alone == ABSTAINED else alone == CORRECT}


if __name__ == "__main__":
    run(answer_prompts, snakemake)
