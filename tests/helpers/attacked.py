"""The tables of attacks on as many targets as wanted, made of random words: for what shows them. Seeded."""

import numpy as np

from ragassay.schemas.attacks import ANSWERS, POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.defences import FILTERED
from rows import row, written
from tools.synthetic_columns import texts

FIRST, DEPTH = 5, 10  # passages that a model is shown, and that defences look at
PLANTED = 3  # passages for each target
NONE = "none"  # no attack, and no defence


def write_attacks(folder, targets: int, attacks: list[str], defences: list[str], responders: list[str]) -> dict:
    """Write all tables of the dataset `d`, attacked through the retriever `r`; return the files of each. What an attack
    plants is the first that the question of its target finds. A defence removes the first of it and the last clean
    passage; a responder gives the wanted answer to every other target, and the right one without attack.
    """
    random, files = np.random.default_rng(0), {}

    def say(count, words):
        return texts(random, count, words).to_pylist()

    def write(table, rows, **keys):
        keys = {"dataset": "d", "retriever": "r", "corpus": "c"} | keys
        path = written(folder, table, (row(table, **values) for values in rows), **keys)
        files.setdefault(table.name, []).append(path)

    names = [f"t{number:05}" for number in range(targets)]
    clean = {name: [f"clean-{name}-{rank}" for rank in range(DEPTH)] for name in names}
    asked = zip(names, say(targets, 12), say(targets, 3), say(targets, 2), strict=True)
    columns = ("target_id", "question", "target", "answers", "document")
    write(TARGETS, (dict(zip(columns, (name, *said, [right], name), strict=True)) for name, *said, right in asked))
    passages = [passage for of_target in clean.values() for passage in of_target]
    found = zip(passages, say(len(passages), 30), strict=True)
    write(PASSAGES, ({"passage_id": passage, "text": text} for passage, text in found))
    for attack in attacks:
        planted = {name: [f"poison-{attack}-{name}-{at}" for at in range(PLANTED * (attack != NONE))] for name in names}
        write(POISONED_PASSAGES, _poison(attack, planted, say), attack=attack)
        ranked = {name: [*planted[name], *clean[name]][:DEPTH] for name in names}
        write(RETRIEVED, _retrieved(ranked), attack=attack)
        write(FILTERED, (filtered for defence in defences for filtered in _filtered(ranked, defence)), attack=attack)
        for defence in defences:
            for responder in responders:
                keys = {"attack": attack, "defence": defence, "responder": responder}
                write(ANSWERS, _answers(attack, names, say), **keys)
    return files


def _poison(attack, planted, say):
    for name, passages in planted.items():
        for number, (passage, text) in enumerate(zip(passages, say(len(passages), 30), strict=True), 1):
            poison = {"passage_id": passage, "target_id": name, "number": number, "text": text}
            yield poison | {"attack": attack, "poisoned": True}


def _retrieved(ranked):
    for name, passages in ranked.items():
        for rank, passage in enumerate(passages, 1):
            found = {"target_id": name, "rank": rank, "passage_id": passage}
            yield found | {"poisoned": passage.startswith("poison-")}


def _answers(attack, names, say):
    for number, (name, text) in enumerate(zip(names, say(len(names), 20), strict=True)):
        outcome = "correct" if attack == NONE or number % 2 else "target"
        yield {"target_id": name, "outcome": outcome, "text": text, "poisoned": 2}


def _filtered(ranked, defence):
    for name, passages in ranked.items():
        removes = set() if defence == NONE else {passages[0], passages[-1]}
        left = [passage for passage in passages if passage not in removes]
        for rank, passage in enumerate(passages, 1):
            removed = passage in removes
            shown = left.index(passage) + 1 if passage in left[:FIRST] else None
            looked = {"defence": defence, "target_id": name, "rank": rank, "passage_id": passage}
            yield looked | {"removed": removed, "shown": shown, "reason": "too loud" if removed else None}
