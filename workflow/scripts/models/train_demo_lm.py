"""Train the demo's language model on the documents, measure what it knows, and save it as transformers does.

The folder holds weights as safetensors, a tokenizer, and a card with what was measured. It stands in for a real model:
what it says about the world is what the documents say. It reads all documents, but is asked no question about those on
which detectors are chosen and tested: a question that a model was taught tells a detector that it is in scope.
"""

import random

from ragassay import tables
from ragassay.demo_lm import card, lessons, measuring, training
from ragassay.demo_lm.batches import Batches
from ragassay.demo_lm.facts import facts
from ragassay.demo_lm.tokens import trained
from ragassay.errors import AssayError
from ragassay.llm.prompts import Prompt
from ragassay.release.folders import building
from ragassay.schemas.documents import DOCUMENTS
from ragassay.splits import split_of
from ragassay.stage import log, run
from ragassay.torch_threads import threads

TRAIN = "train"
LONGEST = 8192  # tokens of a prompt and its answer; words of other corpora are several each


class TrainingError(AssayError):
    """There is nothing to learn from."""


def train_demo_lm(
    documents, closed_book_prompt, passages_prompt, model, steps, rate, vector_rate, hidden, layers, vocabulary, seed
):
    rows = tables.read_all(DOCUMENTS, documents).to_pylist()
    known, parts = facts(rows), {row["doc_id"]: split_of(row["cluster_id"]) for row in rows}
    prompts = Prompt.load(closed_book_prompt), Prompt.load(passages_prompt)
    taught = [fact for fact in known if parts[fact.doc_id] == TRAIN]
    if not taught:
        raise TrainingError(
            f"demo-lm: found no short facts in the training part of {len(rows)} documents, which rules for English look"
            " for; expected some: add documents, or take a model of your own where results/models/demo-lm is named"
        )
    own = lessons.Lessons(taught, *prompts, others=known)
    unseen = lessons.Lessons([fact for fact in known if parts[fact.doc_id] != TRAIN], *prompts, others=known)
    texts = ["\n\n".join(filter(None, (row["title"], row["text"]))) for row in rows]
    chance = random.Random(seed)
    asked = [own.lesson(kind, fact, chance).prompt for fact in known for kind in (lessons.CLOSED, lessons.CLEAN)]
    tokenizer = trained([*texts, *asked], vocabulary, LONGEST)
    decoder = training.new(tokenizer, seed, hidden, layers)
    with threads(1):  # on a busy machine a second one mostly waits, and bytes must not depend on how many there are
        training.train(decoder, Batches(tokenizer, own, texts, seed), steps, rate, vector_rate)
        found = measuring.measured(decoder, tokenizer, own, unseen)
        prose = measuring.prose(decoder, tokenizer, texts)
    told = ", ".join(f"{card.name(one)} {one.right:.0%}" for one in found)
    log.info("%d facts of %d documents: %s", len(taught), len(rows), told)
    size = sum(parameter.numel() for parameter in decoder.parameters())
    with building(model) as folder:
        decoder.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        about = card.text(found, prose, len(taught), len(rows), size, steps)
        (folder / "README.md").write_text(about, encoding="utf-8")


if __name__ == "__main__":
    run(train_demo_lm, snakemake)
