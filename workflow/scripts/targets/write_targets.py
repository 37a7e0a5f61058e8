"""Let a model make targets of queries: it answers each from the passage that holds the answer and by heart; where both
agree, it proposes a wrong answer and texts. What cannot be used is a row of the rejects, with its reason.

The model may have to answer from each text alone. A text that does not yield the wrong answer is written again, as a
further sample of one request.
"""

from collections import defaultdict
from typing import NamedTuple

from ragassay.base import chance, tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import converse, estimating
from ragassay.calls.model import Model, Request
from ragassay.calls.prompts import Prompt
from ragassay.grading.declines import declines, declines_from_passages
from ragassay.grading.outcomes import TARGET, plain_answer, right_answers, target_outcome
from ragassay.schemas.corpora import PASSAGES, QUERIES
from ragassay.studies.poisoning.targets import proposals
from ragassay.studies.poisoning.targets.hygiene import Problem, TargetTables, usable, without_debris

CLOSED_BOOK = "closed_book"
MOST = 20  # passages of one document that answers a query


class NoTargets(AssayError):
    """No question of a query set can become a target."""


def write_targets(
    queries, passages, answer_prompt, propose_prompt, text_prompt, targets, rejects, calls, model, ledger, dataset,
    count, seed, agreement, texts, words, tries, answering, writing, most_rejected, trigger=None,
):  # fmt: skip
    prompts = Prompts(*(Prompt.load(path) for path in (answer_prompt, propose_prompt, text_prompt)))
    model = Model(**model)
    settings = Settings(model.name, agreement, texts, words, tries, answering, writing, estimating())
    tally = Tally.of_answers(model.name, "targets and texts", most_rejected)
    with TargetTables("write_targets", dataset, targets, rejects, tally, trigger) as made:
        usable, gold = _askable(queries, passages, count, seed, agreement, made)

        async def interviewed(query, ask):
            interview = Interview(query, gold[named(query)], prompts, settings, ask)
            return await interview.target(), interview

        for row, one in converse(usable, interviewed, model, ledger, calls, tally):
            tally.hear(one.query["query_id"], one.answers)
            made.take(row, one.problems, one.answers[-1])
            for problem in one.excluded:
                made.exclude(problem)
    made.tell()
    if not made.kept.written:
        log.info("%s: no question of %d became a target; the rejects say why", dataset, len(usable))


def _askable(queries, passages, count, seed, agreement, made):
    """The drawn queries that can be asked, and what answers each; the others are rejects."""
    rows = tables.read(QUERIES, queries).to_pylist()
    rows = sorted(rows, key=lambda row: chance.lot(None, seed, row["query_id"]))[:count]  # most stay as the set grows
    gold, askable = gold_texts(passages, {named(row) for row in rows} - {None}), []
    for row in rows:
        if named(row) not in gold:
            detail = f"{named(row)!r} is no passage or document of the corpus" if named(row) else "no passage is named"
            made.exclude(Problem(row["query_id"], "no_gold_passage", detail))
        elif agreement != CLOSED_BOOK and not any(answer.strip() for answer in row["answers"] or []):
            made.exclude(Problem(row["query_id"], "no_answer", "the query set has no answer to it"))
        else:
            askable.append(row)
    if not askable:
        wanted = "a passage or document of the corpus" + (" and answers" if agreement != CLOSED_BOOK else "")
        raise NoTargets(
            f"{queries}: found {len(rows)} queries and none with {wanted}; name the columns in query_sets, or take"
            " another query set or corpus"
        )
    return askable, gold


def named(query: dict) -> str | None:
    """What answers a query: what it is about, which is what was judged best if it does not say so."""
    return query["passage_id"] or next(iter(query["relevant"] or []), None)


def gold_texts(passages, names: set[str]) -> dict[str, list[str]]:
    """name -> its texts: of a passage, that alone; of a document, its passages up to MOST. Only these are held."""
    alone, parts = {}, defaultdict(list)
    for batch in tables.batches(PASSAGES, passages, ["passage_id", "document_id", "text"]):
        for row in batch.to_pylist():
            if row["passage_id"] in names:
                alone[row["passage_id"]] = [row["text"]]
            if row["document_id"] in names and len(parts[row["document_id"]]) < MOST:
                parts[row["document_id"]].append(row["text"])
    return parts | alone


class Prompts(NamedTuple):
    answer: Prompt
    propose: Prompt
    text: Prompt


class Settings(NamedTuple):
    """Those of a dataset; with `most` as much is asked as can be, for an estimate."""

    model: str  # its name
    agreement: str
    texts: int
    words: int
    tries: int
    answering: dict
    writing: dict
    most: bool = False


class Interview:
    def __init__(self, query: dict, gold: list[str], prompts: Prompts, settings: Settings, ask):
        """`query` is a row of queries, `gold` are the texts that answer it; `ask` gives the answers to a request."""
        self.query, self.gold, self.prompts, self.settings, self._ask = query, gold, prompts, settings, ask
        self.answers = []  # all that came from the model
        self.problems = []  # why there is no target, or which texts went
        self.excluded = []  # the same, where nothing failed: the rules want it so
        self._names = []  # of the proposal's texts that are left
        self._further = 0  # texts that were written in the place of others

    async def target(self) -> dict | None:
        """A row of the table targets, if there is one."""
        right = await self._right_answers()
        row = await self._proposal(right) if right else None
        return await self._tested(row) if row and self.settings.tries else row

    async def _right_answers(self):
        given = plain_answer(await self._briefly(self.gold), declines_from_passages)
        others = self.query["answers"] or []
        if self.settings.agreement == CLOSED_BOOK:
            by_heart = plain_answer(await self._briefly([]), declines)
            others = [by_heart] if by_heart else []
        if right := right_answers(given, others):
            return right
        if self.settings.most:
            return [given or self.query["text"]]
        detail = f"from the passage {given!r:.80}, otherwise {', '.join(map(repr, others)) or None!s:.80}"
        self.excluded.append(Problem(self.query["query_id"], "no_agreement", detail))
        return []

    async def _proposal(self, right):
        name, settings = self.query["query_id"], self.settings
        values = {"question": self.query["text"], "answer": right[0], "n": settings.texts, "words": settings.words}
        request = Request(self.prompts.propose.messages(**values), settings.writing)
        proposed = proposals.proposal(await self._answer(request), settings.texts)
        if isinstance(proposed, proposals.NoProposal):
            self.problems.append(Problem(name, *proposed))
            return None
        row = {"target_id": name, "question": self.query["text"], "kind": self.query["kind"]}
        row |= {"document": named(self.query), "answers": right, "target": proposed.target, "target_aliases": []}
        row |= {"texts": proposed.texts, "tries": [], "origin": "model", "made_by": settings.model}
        row, problems = usable(row)
        self.problems += problems
        dropped = {problem.item for problem in problems}
        items = [f"{name} text {number}" for number in range(1, len(proposed.texts) + 1)]
        self._names = [item for item in items if item not in dropped]
        return row

    async def _tested(self, row):
        """The same with texts that yield the target by themselves, and how often each was written until it did."""
        kept = {}  # text -> tries
        for name, text in zip(self._names, row["texts"], strict=True):
            tried = 1
            while tried <= self.settings.tries and (not text or text in kept or not await self._yields(row, text)):
                tried += 1
                text = await self._another(row) if tried <= self.settings.tries else None
            if tried <= self.settings.tries:
                kept[text] = tried
            else:
                self.problems.append(Problem(name, "not_yielded", f"{tried - 1} tries"))
        if not kept:
            self.problems.append(Problem(row["target_id"], "no_texts", "no text yields the target by itself"))
            return None
        return usable(row | {"texts": list(kept)})[0] | {"tries": list(kept.values())}

    async def _yields(self, row, text):
        outcome, _ = target_outcome(await self._briefly([text]), row, declines_from_passages)
        return outcome == TARGET and not self.settings.most

    async def _another(self, row):
        """A further text, None if it is of no use."""
        self._further += 1
        values = {"question": row["question"], "answer": row["target"], "n": 1, "words": self.settings.words}
        request = Request(self.prompts.text.messages(**values), self.settings.writing, self._further)
        texts = proposals.texts(await self._answer(request), 1)
        return None if isinstance(texts, proposals.NoProposal) else without_debris(texts[0])

    async def _briefly(self, passages):
        asked = self.prompts.answer.messages(passages=passages, question=self.query["text"])
        return await self._answer(Request(asked, self.settings.answering))

    async def _answer(self, request):
        """The last sample of a request."""
        self.answers.append((await self._ask(request))[-1])
        return self.answers[-1]


if __name__ == "__main__":
    run(write_targets, snakemake)
