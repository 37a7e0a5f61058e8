"""The files that guides let their reader bring: an invented manual of machines, queries, a drifting log, targets."""

import csv
import datetime
import json
import random
import re

from project import ROOT

MACHINES = (
    "loom crane lathe kiln press furnace turbine pump winch mill bellows anvil forge sawmill boiler compressor drill"
    " grinder"
).split()
OTHERS = "telescope organ printer aquarium planetarium tram escalator fountain greenhouse windmill".split()
ABOUT = {  # a query and the sentence that answers it
    "How often does the {} need oil?": "Oil the {} every {number} weeks with two drops out of the {colour} can.",
    "Who built the {}?": "{name} built the {} in 18{number}, as a plate above the {colour} door tells.",
    "What should I do when the {} stops?": "If the {} stops, first switch it off; then call {name} in room {number}.",
    "When may visitors touch the {}?": "On {colour} days children may touch the {} from {number} past nine.",
}
COLOURS = "red green blue yellow white black".split()
NAMES = "Ada Boris Clara Dmitri Emilia Farid Greta Hugo".split()
EVERYDAY = (
    "Why is the sky blue?", "How long does an egg take to boil?", "What is a good name for a cat?",
    "Who won the football cup?", "Where does chocolate come from?", "How can I fall asleep faster?",
    "What is the square root of two?", "How do bees dance?", "How do I remove a stain of wine?",
)  # fmt: skip
FIRST, DAYS, EACH, DRIFT = datetime.date(2026, 11, 1), 30, 10, 16  # days are numbered from 1


def pages(guide="relevance"):
    """The blocks of a guide by kind; those without a kind are commands."""
    found = {}
    for kind, block in re.findall(r"```(\w*)\n(.*?)```", (ROOT / f"docs/{guide}.md").read_text(), re.DOTALL):
        found.setdefault(kind, []).append(block)
    return found


def write_files(folder):
    """The guide's data/, and known queries."""
    dice, texts, known = random.Random(0), [], []
    for machine in MACHINES:
        for query, text in ABOUT.items():
            drawn = {"number": dice.randrange(10, 99), "colour": dice.choice(COLOURS), "name": dice.choice(NAMES)}
            texts.append((f"text {len(texts)}", text.format(machine, **drawn)))
            known.append((f"known {len(known)}", query.format(machine), texts[-1][0]))
    near = [(f"near {at}", list(ABOUT)[at % 4].format(OTHERS[at // 4])) for at in range(4 * len(OTHERS))]
    asked = [query for _, query, _ in known]
    log = []
    for day in range(1, DAYS + 1):
        for hour in range(EACH):
            date = datetime.datetime.combine(FIRST + datetime.timedelta(day - 1), datetime.time(8 + hour))
            drifted = day >= DRIFT and dice.random() < 0.5
            log.append((date.isoformat(), dice.choice(EVERYDAY if drifted else asked)))
    _write(folder / "manual.csv", ("id", "text"), texts)
    _write(folder / "known.csv", ("id", "text", "passage_id"), known)
    _write(folder / "near.csv", ("id", "text"), near)
    _write(folder / "log.csv", ("date", "text"), log)
    return asked


def write_targets(folder):
    """The data/ of the guide to attacks: the manual, and who did not build each machine."""
    dice, texts, targets = random.Random(1), [], []
    for at, machine in enumerate(MACHINES):
        builder, other = dice.sample(NAMES, 2)
        for text in ABOUT.values():
            drawn = {"number": dice.randrange(10, 99), "colour": dice.choice(COLOURS), "name": builder}
            texts.append((f"text {len(texts)}", text.format(machine, **drawn)))
        wrong = [
            f"{other} built the {machine} in a single winter.",
            f"Children wave at {other}, who made the {machine}.",
        ]
        targets.append((f"target {at}", f"Who built the {machine}?", json.dumps([builder]), other, json.dumps(wrong)))
    _write(folder / "handbook.csv", ("id", "text"), texts)
    _write(folder / "targets.csv", ("target_id", "question", "correct_answer", "target", "texts"), targets)


def _write(path, names, rows):
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
