"""The tables of attacks on as many targets as wanted, made of random words: for what shows them. Seeded."""

import random
from pathlib import Path

from corpora.large_study import speaker
from ragassay.base import tables
from ragassay.schemas.attacks import ANSWERS, POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.defences import FILTERED

FIRST, DEPTH = 5, 10  # passages that a model is shown, and that defences look at
NONE = "none"  # no attack, and no defence


def write_attacks(folder, targets: int, attacks: list[str], defences: list[str], responders: list[str]) -> dict:
    """Write all tables of the dataset `d`, attacked through the retriever `r`; return the files of each. Each attack
    plants three passages for each target, which are the first that its question finds. A defence removes the first of
    them and the last clean passage; a responder gives the wanted answer to every other target, and the right one
    without attack.
    """
    chance, files = random.Random(0), {}
    say = speaker(chance)

    def write(table, rows, **keys):
        names = {"dataset": "d", "retriever": "r", "corpus": "c"} | keys
        path = Path(folder, f"{table.path.format(**names)}.parquet")
        tables.write(table, path, (_row(table, row) for row in rows))
        files.setdefault(table.name, []).append(path)

    names = [f"t{number:05}" for number in range(targets)]
    clean = {name: [f"clean-{name}-{rank}" for rank in range(DEPTH)] for name in names}
    write(
        TARGETS,
        [
            {"target_id": name, "question": f"{say(12)}?", "target": say(3), "answers": [say(2)], "document": name}
            for name in names
        ],
    )
    write(PASSAGES, [{"passage_id": passage, "text": say(30)} for of_target in clean.values() for passage in of_target])
    for attack in attacks:
        planted = {name: [f"poison-{attack}-{name}-{at}" for at in range(3 * (attack != NONE))] for name in names}
        poison = [
            {
                "passage_id": passage,
                "target_id": name,
                "number": at,
                "text": say(30),
                "attack": attack,
                "poisoned": True,
            }
            for name in names
            for at, passage in enumerate(planted[name], start=1)
        ]
        write(POISONED_PASSAGES, poison, attack=attack)
        ranked = {name: [*planted[name], *clean[name]][:DEPTH] for name in names}
        found = [
            {"target_id": name, "rank": rank, "passage_id": passage, "poisoned": passage in planted[name]}
            for name in names
            for rank, passage in enumerate(ranked[name], start=1)
        ]
        write(RETRIEVED, found, attack=attack)
        write(FILTERED, (row for defence in defences for row in _filtered(ranked, defence)), attack=attack)
        for defence in defences:
            for responder in responders:
                answers = []
                for number, name in enumerate(names):
                    outcome = "correct" if attack == NONE or number % 2 else "target"
                    answers.append({"target_id": name, "outcome": outcome, "text": f"{say(20)}.", "poisoned": 2})
                write(ANSWERS, answers, attack=attack, defence=defence, responder=responder)
    return files


def _filtered(ranked, defence):
    for name, passages in ranked.items():
        removes = set() if defence == NONE else {passages[0], passages[-1]}
        left = [passage for passage in passages if passage not in removes]
        for rank, passage in enumerate(passages, start=1):
            place = left.index(passage) + 1 if passage in left[:FIRST] else None
            row = {
                "defence": defence,
                "target_id": name,
                "rank": rank,
                "passage_id": passage,
                "removed": passage in removes,
            }
            yield row | {"shown": place, "reason": "too loud" if passage in removes else None}


def _row(table, values):
    fills = {"string": "", "int32": 0, "double": 0.0, "bool": False}
    empty = {c.name: None if c.null else fills.get(str(c.type), []) for c in table.columns}
    return empty | values
