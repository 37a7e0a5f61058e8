"""Train the demo's language model on the documents, measure what it knows, and save it as transformers does.

The folder holds weights as safetensors in half precision, a tokenizer, and a card with what was measured. It stands in
for a real model, whose knowledge of the world is what the documents say. It reads all documents, but is taught no
question about those on which detectors are validated and tested, since a question that it was taught would reveal to a
detector that it is in scope. Nor is it taught the wrong answers of the demo's targets, since studies ask how it takes
these.
"""

import csv
import json
from pathlib import Path

from demo.lm import measuring, training
from demo.lm.course import batches, course
from demo.lm.lessons import read_facts
from ragassay.base import tables
from ragassay.base.atomic import building
from ragassay.base.chance import split_of
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.calls.prompts import Prompt
from ragassay.models.processor import threads
from ragassay.schemas.documents import DOCUMENTS

TRAIN = "train"


class TrainingError(AssayError):
    """There are no documents to train on."""


def train_demo_lm(
    documents, facts, targets, closed_book_prompt, passages_prompt, model,
    steps, rate, vector_rate, hidden, layers, vocabulary, seed,
):  # fmt: skip
    """`facts` is a file of questions and answers about documents, `targets` are files of targets; there may be none."""
    rows = tables.read_all(DOCUMENTS, documents).to_pylist()
    split = {row["doc_id"]: split_of(row["cluster_id"]) for row in rows}
    prompts = Prompt.load(closed_book_prompt), Prompt.load(passages_prompt)
    known = read_facts(facts, rows)
    barred = {pair for path in targets for pair in _planted(path)}
    material = course(rows, known, lambda doc_id: split[doc_id] == TRAIN, prompts, vocabulary, seed, barred)
    if not material.lessons.facts:
        raise TrainingError(
            f"demo-lm: found no facts in {facts} about the training part of {len(rows)} documents, expected some: write"
            " some, or take a model of your own where results/models/demo-lm is named"
        )
    decoder = training.new(material.tokenizer, seed, hidden, layers)
    with threads(1):  # on a busy machine a second thread mostly waits, and bytes must not depend on their number
        parts = batches(material, seed), batches(material, seed + 1, again=True)
        training.train_twice(decoder, *parts, steps, rate, vector_rate)  # it is measured as it is saved
        found = measuring.measured(decoder, material.tokenizer, material.lessons, material.spared, material.unseen)
        read = measuring.understood(decoder, material.tokenizer, rows, material.lessons, material.unseen)
        prose = measuring.prose(decoder, material.tokenizer, material.texts)
    told = ", ".join(f"{measuring.task_name(one)} {one.right:.0%}" for one in found)
    taught = len(material.lessons.facts)
    log.info("%d facts of %d documents: %s", taught, len(rows), told)
    size = sum(parameter.numel() for parameter in decoder.parameters())
    with building(model) as folder:
        decoder.half().save_pretrained(folder)
        material.tokenizer.save_pretrained(folder)
        about = measuring.card(found, read, prose, taught, len(rows), size, steps)
        (folder / "README.md").write_text(about, encoding="utf-8")


def _planted(path):
    """Pairs of a right and a wrong answer in a file of targets."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield from ((answer, row["target"]) for answer in json.loads(row["answers"]))


if __name__ == "__main__":
    run(train_demo_lm, snakemake)
