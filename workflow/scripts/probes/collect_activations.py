"""Keep the activations of each prompt: one pass of the trunk over it, without the output layer. Answers are read
where the token of interest is their first one, and for what log-probabilities alone say of them.

What is stored already is not computed again; prompts that occur in several conditions are computed once. A prompt that
is longer than the model reads has no activations; the others go on.
"""

from collections.abc import Sequence

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.calls.prompts import PromptPair
from ragassay.models.activations.state_store import Decoder
from ragassay.models.store import Store
from ragassay.models.store import key as text_key
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.probes import ACTIVATIONS, PROMPT_ANSWERS, PROMPT_PAIRS
from ragassay.studies.poisoning.probes.reading import Collection, Readings, behind
from ragassay.studies.poisoning.probes.rows import CERTAINTIES

AT_ONCE = 256  # answers whose log-probabilities are computed together


class Asked(Sequence):
    """Prompts as tokens. Each is rendered and split once, however often it is looked at and shown, and then takes four
    bytes a token.
    """

    def __init__(self, rows, tokens):
        self.keys = [(row["target_id"], tuple(row["passages"]), row["answer"]) for row in rows]
        self.tokens, self.kept = tokens, {}

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, number):
        key = self.keys[number]
        if key not in self.kept:
            self.kept[key] = np.array(self.tokens(*key), np.int32)
        return self.kept[key].tolist()


def collect_activations(
    targets, prompt_pairs, prompt_answers, prompt, closed_book_prompt, weights, activations, collection,
    model, readings, in_lines, embeddings,
):  # fmt: skip
    """`weights` are the files of the model; `readings` are what is read in one pass."""
    questions = {row["target_id"]: row["question"] for row in tables.read(TARGETS, targets).to_pylist()}
    pairs = tables.read(PROMPT_PAIRS, prompt_pairs, ["target_id", "condition", "side", "passages"]).to_pylist()
    answers = tables.read(PROMPT_ANSWERS, prompt_answers, ["text"])["text"].to_pylist()
    rows = [row | {"answer": answer or ""} for row, answer in zip(pairs, answers, strict=True)]
    prompts, decoder = PromptPair.load(prompt, closed_book_prompt, in_lines), Decoder(f"model {model['name']}", model)
    readings = Readings.resolved(readings, decoder)
    texts = [decoder.prompt(prompts.messages(questions[row["target_id"]], row["passages"])) for row in rows]
    states = readings.store(decoder, embeddings)

    def tokens(target, passages, answer):
        return readings.tokens(decoder, prompts.messages(questions[target], list(passages)), answer)

    names = [row["target_id"] for row in rows]
    asked = Asked(rows, tokens)
    owners = [" ".join(row[name] for name in ("target_id", "condition", "side")) for row in rows]  # share no beginning
    keys = states.keys(asked, owners, names)
    certain = certainties(decoder, texts, [row["answer"] for row in rows], embeddings)
    with tables.Writer(ACTIVATIONS, activations) as kept:
        for row, key, prompt, text in zip(rows, keys, asked, texts, strict=True):
            own = {name: row[name] for name in ("target_id", "condition", "side")}
            own |= dict(zip(CERTAINTIES, certain.get((text, row["answer"]), [None] * 3), strict=True))
            kept.add(own | {"key": key.hex() if key else None, "tokens": len(prompt)})
    Collection.of(states, readings).save(collection)
    log.info("%d prompts, %d computed, %d too long", len(rows), states.computed, keys.count(None))


def certainties(decoder: Decoder, prompts: list[str], answers: list[str], embeddings) -> dict[tuple, list[float]]:
    """(prompt, answer) -> what log-probabilities say, where there is an answer that the model can read behind it. They
    are stored as activations are, each number as the sum of two of 16 bits.
    """
    lengths = {text: len(decoder.tokenizer(text)["input_ids"]) for text in dict.fromkeys(prompts)}
    pairs = dict.fromkeys(zip(prompts, answers, strict=True))
    pairs = [(text, answer) for text, answer in pairs if answer.strip() and lengths[text] < decoder.longest]
    store = Store.of(embeddings, {"certainties": 1} | decoder.identity, "decoder")
    keys = [text_key("\0".join(pair)) for pair in pairs]

    def compute(missing):
        from ragassay.models.likelihood.scorer import Scorer  # and with it torch

        scorer = Scorer(decoder)
        for start in range(0, len(missing), AT_ONCE):
            some = missing[start : start + AT_ONCE]
            values = scorer.certainties([behind(*pairs[at]) for at in some], [pairs[at][0] for at in some])
            with np.errstate(over="ignore"):  # what is too large is refused by the store
                upper = values.astype(np.float16)
            yield some, np.concatenate([upper, values - upper], axis=1)

    store.fill(keys, compute)
    halves = store.vectors(keys).astype(float).reshape(len(keys), 2, len(CERTAINTIES))
    return dict(zip(pairs, np.round(halves.sum(axis=1), 6).tolist(), strict=True))


if __name__ == "__main__":
    run(collect_activations, snakemake)
