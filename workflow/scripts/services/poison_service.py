"""Measure poison through a whole service: ask it the targets' questions as it is, and again with the passages of each
attack in the collection for tests where it searches. They are removed in the end, whatever goes wrong, and what a
killed job left there is removed first. Outcomes are read as everywhere in the study; of each answer stands here, too,
which of the project's guards would have stopped it, standing where they stand in a service: the gate before the search,
the guard behind it, the screen before the index.

A gate stops what it does not pass on. A guard that removes any passage stops the answer, which may come from it, as the
proxy of `ragassay serve` does. A screen stops poison if it holds all planted passages that were retrieved; it takes a
clean answer if it holds any of its passages. A guard judges by thresholds that have not seen the question.
"""

import hashlib
from pathlib import Path
from typing import Any

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete, estimating
from ragassay.calls.model import Model, Request, Requests
from ragassay.grading.asking import counted
from ragassay.grading.declines import declines_from_passages
from ragassay.grading.matches import normalized
from ragassay.grading.outcomes import target_outcome
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.schemas.services import POISONED_SERVICE_ANSWERS
from ragassay.search.nearest import comparable
from ragassay.services.gate import Gate
from ragassay.services.guard import Guard
from ragassay.services.screen import Screen
from ragassay.services.staging import check, clean, staging
from ragassay.studies.poisoning.attacks.attack import tried as tried_of
from ragassay.studies.poisoning.defences.defence import DefenceError
from ragassay.studies.poisoning.defences.thresholds import SAMPLE, CriteriaDefence, fold_of
from ragassay.text.characters import fit, replaced

CLEAN, REPLAY = "none", "replay"
NAMES = GATE, GUARD, SCREEN = "gate", "guard", "screen"
GRADED = ("target_id", "question", "answers", "target", "target_aliases")


def poison_service(
    targets, poisoned_passages, gate, guard, scorer, poisoned_service_answers, calls,
    model, ledger, most_rejected, count, tried, collection, entry, encoder, search,
):  # fmt: skip
    """`poisoned_passages` is a file for each attack, `collection` and `entry` where they are put, `count` how many
    targets are asked, all if it is None. `gate`, `guard` and `scorer` are lists of at most one.
    """
    check(collection, entry)
    asked, planted = _asked(targets, count), {CLEAN: []}
    for path in poisoned_passages:
        planted[tables.keys(POISONED_PASSAGES, path)["attack"]] = tables.read(POISONED_PASSAGES, path).to_pylist()
    guards = StandingGuards(gate, guard, scorer, search)
    tally, first = Tally.of_answers(model["name"], "answers", most_rejected), 0
    asks = model["mode"] != REPLAY and not estimating()
    if asks:
        clean(collection, entry)
    with tables.Writer(POISONED_SERVICE_ANSWERS, poisoned_service_answers) as writer:
        for attack, passages in planted.items():
            rows = _of_attack(asked, passages, tried.get(attack, {}))
            poisoned = Model(**model | {"model": model["model"] + _state(passages)})
            state = {"attack": attack, "planted": Planted(passages), "guards": guards}
            if attack == CLEAN or not asks:
                _ask(rows, poisoned, ledger, calls, tally, writer, first, state)
            else:
                with staging(collection, entry, passages, encoder):
                    _ask(rows, poisoned, ledger, calls, tally, writer, first, state)
            first += len(rows)
    log.info("%d answers, with %d attacks", writer.written, len(planted) - 1)


def _asked(targets, count):
    rows = tables.read(TARGETS, targets, GRADED).to_pylist()
    chosen = {*tried_of((row["target_id"] for row in rows), count)}
    return [row for row in rows if row["target_id"] in chosen]


def _of_attack(asked, passages, tried):
    """The targets that an attack is measured on: those that it aims at, or all of those that it is tried on."""
    chosen = {*tried_of((row["target_id"] for row in asked), **tried)}
    aimed = {row["target_id"] for row in passages}
    return [row for row in asked if row["target_id"] in (chosen if None in aimed or not aimed else aimed)]


def _state(passages):
    """What is in the collection beside the service's own, as part of the version that answers are kept under."""
    names = "".join(sorted(row["passage_id"] for row in passages))
    return f" with {hashlib.sha256(names.encode()).hexdigest()[:16]}" if passages else ""


def _ask(rows, model, ledger, calls, tally, writer, first, state):
    def request(row):
        return Request([{"role": "user", "content": row["question"]}])

    for row, [answer] in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally, first), strict=True):
        graded = target_outcome(answer, row, declines_from_passages)
        outcome, reason = counted(tally, row["target_id"], answer, graded)
        texts, is_planted = None, []
        if answer.passages is not None:
            texts = [replaced(passage["text"]) for passage in answer.passages]
            is_planted = [state["planted"](passage) for passage in answer.passages]
        columns = {"attack": state["attack"], "target_id": row["target_id"], "responder": model.name}
        columns |= {"outcome": outcome, "reason": reason, "text": fit(replaced(answer.text or ""))}
        columns |= {"passages": None, "poisoned": None}
        if texts is not None:  # guards judge what a model would read
            columns |= {"passages": [fit(text) for text in texts], "poisoned": sum(is_planted)}
        stops = state["guards"].stops(row["question"], texts, is_planted)
        writer.add(columns | {f"{name}_stops": stop for name, stop in stops.items()})


class StandingGuards:
    """`gate`, `guard` and `scorer` are lists of at most one, as inputs of a rule; `search` has the encoders and the
    similarity of the search that the guard was fitted with.
    """

    def __init__(self, gate: list[str], guard: list[str], scorer: list, search: dict[str, Any]):
        for place in (*gate, *guard):
            if not Path(place).exists():
                problem = "found nothing, expected a fitted gate or guard; run the study that fits it"
                raise DefenceError(f"{place}: {problem}")
        self.gate = Gate.load(*gate) if gate else None
        self.guard = Guard.load(*guard, *scorer) if guard else None
        self.screen, self.search = None, search
        if self.guard:
            if self.guard.own_encoder:
                raise DefenceError(
                    f"{guard[0]}: found a guard that compares vectors of {self.guard.own_encoder}, expected one that"
                    " compares those of the service's search; fit one without the setting encoder"
                )
            self.encoders = {
                role: Embedder(Encoder(**search[name]), search["embeddings"])
                for role, name in (("passage", "encoder"), ("query", "query_encoder"))
            }
            defence = self.guard.defence
            sources = defence.CRITERIA.values() if isinstance(defence, CriteriaDefence) else ()
            if SAMPLE in sources and not defence.COMPARES:
                self.screen = Screen(self.guard)

    def names(self) -> list[str]:
        return [name for name in NAMES if getattr(self, name)]

    def stops(self, question: str, passages: list[str] | None, planted: list[bool]) -> dict[str, bool | None]:
        """Which of them stop the answer; None where nobody can tell, as without passages. `planted` says which passages
        an attack put there: none of a clean answer.
        """
        stops: dict[str, bool | None] = dict.fromkeys(NAMES)
        if self.gate:
            stops[GATE] = not self.gate(question).in_knowledge
        if passages is None or not self.guard:
            return stops
        stops[GUARD] = any(judgement.removed for judgement in self._judged(question, passages))
        if self.screen:
            held = [judgement.removed for judgement in self.screen(passages)] if passages else []
            of_planted = [is_held for is_held, is_planted in zip(held, planted, strict=True) if is_planted]
            stops[SCREEN] = all(of_planted) if of_planted else any(held)
        return stops

    def _judged(self, question, passages):
        if not passages:
            return []
        vectors = comparable(self.encoders["passage"].embed(passages, "passage"), self.search["similarity"])
        asked = comparable(self.encoders["query"].embed([question], "query"), self.search["similarity"])
        return self.guard.judge(question, passages, vectors @ asked[0], vectors, fold_of(question))


class Planted:
    """Recognizes what an attack planted among passages that a service returned: by its id, or by its words, of which a
    service may have joined or cut some. `rows` are those of the table poisoned_passages.
    """

    def __init__(self, rows: list[dict]):
        self.ids = {row["passage_id"] for row in rows}
        self.texts = {_words(row["text"]) for row in rows}

    def __call__(self, passage: dict) -> bool:
        places = " ".join(str(passage[name]) for name in ("id", "source") if passage[name])
        if any(name in places for name in self.ids):
            return True
        words = _words(passage["text"])
        return bool(words.strip()) and any(words in text or text in words for text in self.texts)


def _words(text):
    """Behind each word stands a space, and before the first, so that no word is cut in two."""
    return f" {' '.join(normalized(text))} "


if __name__ == "__main__":
    run(poison_service, snakemake)
