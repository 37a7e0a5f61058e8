"""Ask a responder the question of each target with the passages that a defence left, and say what came of it. The
outcome is read from the answer alone.

Where no passage is left, the question is asked by itself: the prompt of answers without any passage. A defence that
asks the responder itself, such as `robustrag`, gives the answer; others leave passages, and one question is asked.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import converse
from ragassay.calls.model import Answer, Model, Request, answer_columns
from ragassay.calls.prompts import Prompt, PromptPair
from ragassay.grading.asking import counted
from ragassay.grading.declines import declines, declines_from_passages
from ragassay.grading.outcomes import target_outcome
from ragassay.schemas.attacks import ANSWERS, POISONED_PASSAGES, TARGETS
from ragassay.schemas.defences import FILTERED
from ragassay.studies.poisoning.attacks.attack import tried as tried_of
from ragassay.studies.poisoning.attacks.attacked_corpus import texts_of
from ragassay.studies.poisoning.defences.defence import DefenceError, kind_of

GRADED = ("target_id", "question", "answers", "target", "target_aliases")  # grading sees no text, clean or poisoned


def answer_attacked(
    targets, filtered, passages, poisoned_passages, prompt, closed_book_prompt, prompts, answers, calls,
    defence, model, ledger, sampling, in_lines, most_rejected, tried=None, kind="none", settings=None,
):  # fmt: skip
    """`prompts` are files, those of a defence of this kind that asks."""
    rows, shown = tables.read(TARGETS, targets, GRADED).to_pylist(), _shown(filtered, defence)
    asked = set(tried_of((row["target_id"] for row in rows), **tried or {}))
    rows = [row for row in rows if row["target_id"] in asked]
    texts = texts_of((name for names in shown.values() for name in names), [passages], [poisoned_passages])
    plain, asking = PromptPair.load(prompt, closed_book_prompt, in_lines), kind_of(kind)(settings)
    named = {loaded.task: loaded for loaded in map(Prompt.load, prompts)}

    async def answered(row, ask):
        asker = Asker(ask, plain, named, sampling)
        passages = [texts[name] for name in shown.get(row["target_id"], [])]
        return await asking.answer(row["question"], passages, asker), asker

    model = Model(**model)
    tally = Tally.of_answers(model.name, "answers", most_rejected)
    poisoned = set(tables.read(POISONED_PASSAGES, poisoned_passages, ["passage_id"])["passage_id"].to_pylist())
    expected = None if named else len(rows)
    given = converse(rows, answered, model, ledger, calls, tally, expected=expected)
    with tables.Writer(ANSWERS, answers) as kept:
        for row, (answer, asker) in zip(rows, given, strict=True):
            names = shown.get(row["target_id"], [])
            graded = target_outcome(answer, row, declines_from_passages if names else declines)
            outcome, reason = counted(tally, row["target_id"], answer, graded, asker.answers)
            about = {"target_id": row["target_id"], "outcome": outcome, "reason": reason, "passages": names}
            about |= {"poisoned": sum(name in poisoned for name in names), "calls": len(asker.answers)}
            about["tokens"] = asker.tokens
            kept.add(about | answer_columns(answer, model.name, asker.digest))
    log.info("%d targets asked", kept.written)


class Asker:
    """How a defence asks the responder: with the prompts that it names, and the one that any answer is asked with. What
    was asked for one question is counted. `ask` gives the answers to a request.
    """

    def __init__(self, ask, plain: PromptPair, prompts: dict[str, Prompt], sampling: dict):
        self._ask, self.plain, self.prompts, self.sampling = ask, plain, prompts, sampling
        self.answers = []  # all that came, in their order
        self.digest = ""  # of the prompt that was asked last

    @property
    def tokens(self) -> int | None:
        """Of all prompts and answers; nothing where one is not counted."""
        counts = [count for given in self.answers for count in (given.prompt_tokens, given.completion_tokens)]
        return None if None in counts else sum(counts)

    async def answer(self, question: str, passages: list[str]) -> Answer:
        """The answer from these passages, or without any if there is none."""
        return await self._asked(self.plain.messages(question, passages), self.plain.digest(passages), {})

    async def __call__(self, name: str, longest: int | None = None, **values) -> Answer:
        """The answer to a prompt of the defence; `longest` is the most tokens that it may have, if that is another."""
        more = {"max_tokens": longest} if longest else {}
        return await self._asked(self.prompts[name].messages(**values), self.prompts[name].digest, more)

    async def _asked(self, messages, digest, more):
        [answer] = await self._ask(Request(messages, self.sampling | more))
        self.answers.append(answer)
        self.digest = digest
        return answer


def _shown(filtered, defence):
    """target -> the passages that are answered from, best first."""
    rows = tables.read(FILTERED, filtered, ["defence", "target_id", "passage_id", "shown"]).to_pylist()
    if rows and defence not in {row["defence"] for row in rows}:
        raise DefenceError(f"{filtered}: found no rows of {defence}; name it in a cell of under_attack, and run again")
    rows = [row for row in rows if row["defence"] == defence and row["shown"]]
    shown = {}
    for row in sorted(rows, key=lambda row: row["shown"]):
        shown.setdefault(row["target_id"], []).append(row["passage_id"])
    return shown


if __name__ == "__main__":
    run(answer_attacked, snakemake)
