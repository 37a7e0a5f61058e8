"""Draw what people are to label: questions in proportion to topic and label, and responses to those out of scope.

Cochran's formula gives the number of questions. The judge's labels define strata and are not written, since people must
not see them. Each out-of-scope question comes with one response, from all responders and prompts in turn. Without
responses there are only questions.

Hashes of ids and a seed decide what is drawn, so that one more question in the study changes little else. What is drawn
is dealt into groups.
"""

import hashlib
import math
from collections import defaultdict
from fractions import Fraction
from statistics import NormalDist

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.people.labelling import DEFUSION, SCOPE
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import ANNOTATION_ITEMS
from ragassay.schemas.scope_answers import RESPONSES
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope.votes import KEPT, OUT


def sample_for_annotation(
    documents, selected_questions, responses, annotation_items, questions, confidence, margin, groups, seed
):
    columns = ["question_id", "doc_id", "text", "label", "status"]
    asked = {
        row["question_id"]: row for row in tables.read_all(SELECTED_QUESTIONS, selected_questions, columns).to_pylist()
    }
    if questions == KEPT:
        asked = {name: row for name, row in asked.items() if row["status"] == KEPT}
    columns = ["doc_id", "topic", "title", "text"]
    texts = {row["doc_id"]: row for row in tables.read_all(DOCUMENTS, documents, columns).to_pylist()}
    strata = {name: f"{texts[row['doc_id']]['topic'] or ''}\0{row['label']}" for name, row in asked.items()}
    wanted = size(len(asked), confidence, margin, groups)
    chosen = dealt(drawn(strata, wanted, seed), groups)
    rows = [_item(SCOPE, asked[name], texts, group) for name, group in chosen.items()]
    out = {name: group for name, group in chosen.items() if asked[name]["label"] == OUT}
    for name, response in _one_response_each(out, responses, seed).items():
        rows.append(_item(DEFUSION, asked[name], texts, out[name], response))
    tables.write(ANNOTATION_ITEMS, annotation_items, _placed(rows, seed))
    counts = (len(chosen), len(asked), groups, len(rows) - len(chosen))
    log.info("%d of %d questions for %d groups, and %d responses", *counts)


def _item(task, question, texts, group, response=None):
    response = response or dict.fromkeys(("text", "responder", "prompt_name"))
    document = texts[question["doc_id"]]
    identity = "\0".join([task, question["question_id"], response["responder"] or "", response["prompt_name"] or ""])
    return {
        "item_id": f"item-{hashlib.sha256(identity.encode()).hexdigest()[:16]}",
        "task": task,
        "group": group,
        "question_id": question["question_id"],
        "question": question["text"],
        "document": document["text"],
        "response": response["text"],
        **{name: document[name] for name in ("doc_id", "topic", "title")},
        **{name: response[name] for name in ("responder", "prompt_name")},
    }


def _one_response_each(names, paths, seed):
    """question -> its response: in a shuffled order each takes the next responder and prompt that has one for it."""
    by_question = defaultdict(dict)
    for path in paths:
        for row in tables.read(RESPONSES, path, ["question_id", "text", "responder", "prompt_name"]).to_pylist():
            if row["question_id"] in names:
                by_question[row["question_id"]][row["responder"], row["prompt_name"]] = row
    cells = sorted({cell for of_question in by_question.values() for cell in of_question})
    turns = sorted(by_question, key=lambda name: lot(seed, "turn", name))
    given = {}
    for turn, name in enumerate(turns):
        order = [*cells[turn % len(cells) :], *cells[: turn % len(cells)]]
        given[name] = by_question[name][next(cell for cell in order if cell in by_question[name])]
    return given


def _placed(rows, seed):
    """Each group and task in an order that reveals nothing."""
    places = defaultdict(int)
    for row in sorted(rows, key=lambda row: lot(seed, "place", row["item_id"])):
        places[row["group"], row["task"]] += 1
        yield row | {"position": places[row["group"], row["task"]]}


def cochran(population: int, confidence: float, margin: float) -> int:
    """How many of `population` items are enough to estimate any share to within `margin`."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    unlimited = z**2 * 0.25 / margin**2
    return min(population, math.ceil(unlimited / (1 + (unlimited - 1) / population))) if population else 0


def size(population: int, confidence: float, margin: float, groups: int) -> int:
    """Cochran's number, rounded up so that all groups have equal size, if there are enough items."""
    return min(population, groups * math.ceil(cochran(population, confidence, margin) / groups))


def allocation(sizes: dict, wanted: int) -> dict:
    """How many items each stratum contributes: in proportion to its size, the rest by largest remainders."""
    total = sum(sizes.values())
    shares = {name: Fraction(wanted * count, total or 1) for name, count in sizes.items()}
    given = {name: math.floor(share) for name, share in shares.items()}
    by_remainder = sorted(shares, key=lambda name: (given[name] - shares[name], name))
    for name in by_remainder[: wanted - sum(given.values())]:
        given[name] += 1
    return given


def drawn(strata: dict[str, str], wanted: int, seed: int) -> list[str]:
    """Ids, stratum by stratum; `strata` maps each id to the name of its stratum."""
    members = defaultdict(list)
    for name, stratum in strata.items():
        members[stratum].append(name)
    given = allocation({stratum: len(names) for stratum, names in members.items()}, wanted)
    return [
        name
        for stratum in sorted(members)
        for name in sorted(members[stratum], key=lambda name: lot(seed, "draw", name))[: given[stratum]]
    ]


def dealt(names: list[str], groups: int) -> dict[str, int]:
    """The group of each item, from 1: dealt like cards, so that each group gets its share of each stratum."""
    return {name: number % groups + 1 for number, name in enumerate(names)}


def lot(seed: int, *words: str) -> bytes:
    """A key that puts items into a meaningless but repeatable order."""
    return hashlib.sha256("\0".join([str(seed), *words]).encode()).digest()


if __name__ == "__main__":
    run(sample_for_annotation, snakemake)
