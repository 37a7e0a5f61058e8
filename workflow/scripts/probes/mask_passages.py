"""A baseline that masks words: how much the likelihood of an answer varies when a share of the words of its passages is
masked, again and again. The score is the standard deviation, over trials, of the mean log-probability of its tokens.

Made for classifiers with a trigger in the input, which is lost whenever the trigger is masked. Here an answer that
hangs on a few words of one passage varies more than one that many passages give.
"""

import random

import numpy as np

from ragassay.base import chance, tables
from ragassay.base.stage import log, run
from ragassay.calls.prompts import PromptPair
from ragassay.models.likelihood import Scorer
from ragassay.models.local import LocalModel
from ragassay.schemas.defences import BASELINE_SCORES
from ragassay.studies.poisoning.probes.reading import behind
from ragassay.studies.poisoning.probes.rows import asked_once

NO_ANSWER = "no_answer"
AT_ONCE = 64  # answers whose prompts are held


def mask_passages(
    targets, prompt_pairs, prompt_answers, prompt, closed_book_prompt, weights, baseline_scores,
    model, in_lines, share, trials, mask, seed,
):  # fmt: skip
    prompts, local = PromptPair.load(prompt, closed_book_prompt, in_lines), LocalModel(f"model {model['name']}", model)
    keys, asked = asked_once(targets, prompt_pairs, prompt_answers)
    scorer, spreads = Scorer(local), {}
    items = [prompt for prompt in asked if prompt.answer.strip()]
    for start in range(0, len(items), AT_ONCE):
        together = items[start : start + AT_ONCE]
        given = [
            local.prompt(prompts.messages(item.question, masked(item, share, mask, seed, trial)))
            for item in together
            for trial in range(trials)
        ]
        answers = [behind(text, together[at // trials].answer) for at, text in enumerate(given)]
        means = [item.total / item.tokens if item.tokens else np.nan for item in scorer.of(answers, given)]
        spread = np.reshape(means, (len(together), trials)).std(axis=1)
        spreads |= dict(zip(together, np.round(spread, 6).tolist(), strict=True))
    none = {"score": None, "reason": NO_ANSWER}
    rows = [key | ({"score": spreads[item], "reason": None} if item in spreads else none) for key, item in keys]
    tables.write(BASELINE_SCORES, baseline_scores, rows)
    log.info("%d answers, each behind %d masked prompts", len(items), trials)


def masked(prompt, share: float, mask: str, seed: int, trial: int) -> list[str]:
    """The passages of a prompt with that share of their words masked, others in each trial."""
    lot = chance.lot(str(seed), trial, prompt.target_id, prompt.passages)
    texts = [text.split() for text in prompt.passages]
    places = [(number, at) for number, words in enumerate(texts) for at in range(len(words))]
    for number, at in random.Random(lot).sample(places, round(share * len(places))):
        texts[number][at] = mask
    return [" ".join(words) for words in texts]


if __name__ == "__main__":
    run(mask_passages, snakemake)
