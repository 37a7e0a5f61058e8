"""Draw what people are to label: questions in proportion to topic and label, and responses to those out of scope.

Cochran's formula gives the number of questions. The judge's labels define strata and are not written, since people must
not see them. Each out-of-scope question comes with one response, from all responders and prompts in turn. Without
responses there are only questions.

Hashes of ids and a seed decide what is drawn, so that one more question in the study changes little else. What is drawn
is dealt into groups.
"""

import hashlib
import heapq
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from statistics import NormalDist

import pyarrow as pa
import pyarrow.compute as pc

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
    """Files of `documents` and `selected_questions` are of the same shards; one shard is in memory at a time."""
    shards = (_strata(*of_shard, questions) for of_shard in zip(documents, selected_questions, strict=True))
    names, population = drawn(shards, lambda number: size(number, confidence, margin, groups), seed)
    chosen = dealt(names, groups)
    columns = ["question_id", "doc_id", "text", "label"]
    asked = {row["question_id"]: row for row in _rows(SELECTED_QUESTIONS, selected_questions, columns, chosen)}
    columns = ["doc_id", "topic", "title", "text"]
    owners = {row["doc_id"] for row in asked.values()}
    texts = {row["doc_id"]: row for row in _rows(DOCUMENTS, documents, columns, owners)}
    rows = [_item(SCOPE, asked[name], texts, group) for name, group in chosen.items()]
    out = {name: group for name, group in chosen.items() if asked[name]["label"] == OUT}
    for name, response in _one_response_each(out, responses, seed).items():
        rows.append(_item(DEFUSION, asked[name], texts, out[name], response))
    tables.write(ANNOTATION_ITEMS, annotation_items, _placed(rows, seed))
    counts = (len(chosen), population, groups, len(rows) - len(chosen))
    log.info("%d of %d questions for %d groups, and %d responses", *counts)


def _strata(documents, selected_questions, questions):
    """question -> its stratum, of one shard."""
    topics = tables.read(DOCUMENTS, documents, ["doc_id", "topic"]).to_pydict()
    topics = dict(zip(*topics.values(), strict=True))
    asked = tables.read(SELECTED_QUESTIONS, selected_questions, ["question_id", "doc_id", "label", "status"])
    if questions == KEPT:
        asked = asked.filter(pc.equal(asked["status"], KEPT))
    return {row["question_id"]: f"{topics[row['doc_id']] or ''}\0{row['label']}" for row in asked.to_pylist()}


def _rows(table, paths, columns, wanted):
    """The rows of which the first of `columns` has one of the wanted values."""
    wanted = pa.array(list(wanted), pa.string())
    for path in paths:
        for batch in tables.batches(table, path, columns):
            yield from batch.filter(pc.is_in(batch[columns[0]], wanted)).to_pylist()


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
    for row in _rows(RESPONSES, paths, ["question_id", "text", "responder", "prompt_name"], names):
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


def drawn(shards: Iterable[dict[str, str]], wanted: Callable[[int], int], seed: int) -> tuple[list[str], int]:
    """Ids, stratum by stratum, and of how many; `shards` map ids to the names of their strata, and `wanted` says how
    many are wanted of so many, never fewer of more.
    """
    most, sizes, firsts = wanted(sys.maxsize), Counter(), defaultdict(list)
    for strata in shards:
        sizes.update(strata.values())
        for name, stratum in strata.items():
            firsts[stratum].append((lot(seed, "draw", name), name))
        for lots in firsts.values():
            lots[:] = heapq.nsmallest(most, lots)
    given = allocation(sizes, wanted(sizes.total()))
    return [name for stratum in sorted(firsts) for _, name in firsts[stratum][: given[stratum]]], sizes.total()


def dealt(names: list[str], groups: int) -> dict[str, int]:
    """The group of each item, from 1: dealt like cards, so that each group gets its share of each stratum."""
    return {name: number % groups + 1 for number, name in enumerate(names)}


def lot(seed: int, *words: str) -> bytes:
    """A key that puts items into a meaningless but repeatable order."""
    return hashlib.sha256("\0".join([str(seed), *words]).encode()).digest()


if __name__ == "__main__":
    run(sample_for_annotation, snakemake)
