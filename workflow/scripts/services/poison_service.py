"""Measure poison through a whole service: ask it the targets' questions as it is, and again with the passages of each
attack in the collection for tests where it searches. They are removed in the end, whatever goes wrong, and what a
killed job left there is removed first. Outcomes are read as everywhere in the study; of each answer stands here, too,
which of the project's guards would have stopped it.
"""

import hashlib

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete, estimating
from ragassay.calls.model import Model, Request, Requests
from ragassay.grading.asking import counted
from ragassay.grading.declines import declines_from_passages
from ragassay.grading.outcomes import target_outcome
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.schemas.services import POISONED_SERVICE_ANSWERS
from ragassay.services import standing_guards
from ragassay.services.staging import check, clean, staging
from ragassay.studies.poisoning.attacks.attack import tried as tried_of
from ragassay.text.characters import fit, replaced

CLEAN, REPLAY = "none", "replay"
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
    guards = standing_guards.opened(gate, guard, scorer, search)
    tally, first = Tally.of_answers(model["name"], "answers", most_rejected), 0
    asks = model["mode"] != REPLAY and not estimating()
    if asks:
        clean(collection, entry)
    with tables.Writer(POISONED_SERVICE_ANSWERS, poisoned_service_answers) as writer:
        for attack, passages in planted.items():
            rows = _of_attack(asked, passages, tried.get(attack, {}))
            poisoned = Model(**model | {"model": model["model"] + _state(passages)})
            state = {"attack": attack, "planted": standing_guards.Planted(passages), "guards": guards}
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


if __name__ == "__main__":
    run(poison_service, snakemake)
