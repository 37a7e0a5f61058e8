"""Keep the activations of each prompt: one pass of the trunk over it, without the output layer. Answers are read
where the token of interest is their first one, and for what log-probabilities alone say of them. Those of a model that
was recorded come out of its file.

What is stored already is not computed again; prompts that occur in several conditions are computed once. A prompt that
is longer than the model reads has no activations; the others go on.
"""

import functools

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.calls.prompts import PromptPair
from ragassay.models.activations.state_store import Decoder
from ragassay.models.recording import PROVIDER
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.probes import ACTIVATIONS, PROMPT_ANSWERS, PROMPT_PAIRS
from ragassay.studies.poisoning.probes.collecting import Asked, Collector, recorded
from ragassay.studies.poisoning.probes.rows import CERTAINTIES, KEY


def collect_activations(
    targets, prompt_pairs, prompt_answers, prompt, closed_book_prompt, weights, activations, collection,
    model, readings, in_lines, embeddings,
):  # fmt: skip
    """`weights` are the files of the model; `readings` are what is read in one pass."""
    questions = {row["target_id"]: row["question"] for row in tables.read(TARGETS, targets).to_pylist()}
    pairs = tables.read(PROMPT_PAIRS, prompt_pairs, [*KEY, "passages"]).to_pylist()
    answers = tables.read(PROMPT_ANSWERS, prompt_answers, ["text"])["text"].to_pylist()
    prompts = PromptPair.load(prompt, closed_book_prompt, in_lines)
    asked = [
        Asked(
            functools.partial(prompts.messages, questions[row["target_id"]], row["passages"]),
            answer or "",
            row["target_id"],
            " ".join(row[name] for name in KEY),  # share no beginning
        )
        for row, answer in zip(pairs, answers, strict=True)
    ]
    if model["provider"] == PROVIDER:
        collected, read = recorded(model["model"], asked, readings, embeddings)
    else:
        collector = Collector(Decoder(f"model {model['name']}", model), readings, embeddings)
        collected, read = collector.collect(asked), collector.collection
        log.info("%d prompts computed", collector.states.computed)
    with tables.Writer(ACTIVATIONS, activations) as kept:
        for row, key, tokens, certain in zip(pairs, *collected, strict=True):
            columns = {name: row[name] for name in KEY} | dict(zip(CERTAINTIES, certain, strict=True))
            kept.add(columns | {"key": key.hex() if key else None, "tokens": tokens})
    read.save(collection)
    log.info("%d prompts, %d too long", len(pairs), collected.keys.count(None))


if __name__ == "__main__":
    run(collect_activations, snakemake)
