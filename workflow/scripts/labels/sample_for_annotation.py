"""Draw what people are to label: questions in proportion to topic and label, and responses to those out of scope.

Cochran's formula gives the number of questions. The judge's labels define strata and are not written, since people must
not see them. Each out-of-scope question comes with one response, from all responders and prompts in turn. Without
responses there are only questions.
"""

import hashlib
from collections import defaultdict

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.people import sampling
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
    wanted = sampling.size(len(asked), confidence, margin, groups)
    chosen = sampling.dealt(sampling.drawn(strata, wanted, seed), groups)
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
    turns = sorted(by_question, key=lambda name: sampling.lot(seed, "turn", name))
    given = {}
    for turn, name in enumerate(turns):
        order = [*cells[turn % len(cells) :], *cells[: turn % len(cells)]]
        given[name] = by_question[name][next(cell for cell in order if cell in by_question[name])]
    return given


def _placed(rows, seed):
    """Each group and task in an order that reveals nothing."""
    places = defaultdict(int)
    for row in sorted(rows, key=lambda row: sampling.lot(seed, "place", row["item_id"])):
        places[row["group"], row["task"]] += 1
        yield row | {"position": places[row["group"], row["task"]]}


if __name__ == "__main__":
    run(sample_for_annotation, snakemake)
