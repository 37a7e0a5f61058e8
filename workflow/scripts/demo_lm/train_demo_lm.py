"""Train the demo's language model on the documents, measure what it knows, and save it as transformers does.

The folder holds weights as safetensors in half precision, a tokenizer, and a card with what was measured. It stands in
for a real model, whose knowledge of the world is what the documents say. It reads all documents, but is taught no
question about those on which detectors are validated and tested, since a question that it was taught would reveal to a
detector that it is in scope. Nor is it taught the wrong answers of targets that rules made of the documents, since
studies ask how it takes these.
"""

from ragassay.base import tables
from ragassay.base.atomic import building
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.calls.prompts import Prompt
from ragassay.demo_lm import measuring, training
from ragassay.demo_lm.course import batches, course
from ragassay.documents.ids import split_of
from ragassay.models.processor import threads
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.documents import DOCUMENTS

TRAIN = "train"


class TrainingError(AssayError):
    """There are no documents to train on."""


def train_demo_lm(
    documents, targets, closed_book_prompt, passages_prompt, model,
    steps, rate, vector_rate, hidden, layers, vocabulary, seed,
):  # fmt: skip
    """`targets` are tables of those that rules made; there may be none."""
    rows = tables.read_all(DOCUMENTS, documents).to_pylist()
    split = {row["doc_id"]: split_of(row["cluster_id"]) for row in rows}
    prompts = Prompt.load(closed_book_prompt), Prompt.load(passages_prompt)
    planted = tables.read_all(TARGETS, targets, ["answers", "target"]).to_pylist()
    barred = {(answer, target["target"]) for target in planted for answer in target["answers"]}
    material = course(rows, lambda doc_id: split[doc_id] == TRAIN, prompts, vocabulary, seed, barred)
    if not material.lessons.facts:
        raise TrainingError(
            f"demo-lm: found no short facts in the training part of {len(rows)} documents, which rules for English look"
            " for; expected some: add documents, or take a model of your own where results/models/demo-lm is named"
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


if __name__ == "__main__":
    run(train_demo_lm, snakemake)
