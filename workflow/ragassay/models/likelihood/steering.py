"""What a part of a prompt does to what a causal model says behind it: gradients by its tokens, and whether the model,
decoding greedily, says a certain text."""

from typing import NamedTuple

import numpy as np
import torch

from ragassay.models.likelihood.scorer import Scorer
from ragassay.models.tracing import embeddings


class Steering(NamedTuple):
    """The tokens of a part of a prompt, and what each token of the vocabulary would add to the log-likelihood of what
    follows, to first order, if it stood there: tokens x vocabulary.
    """

    tokens: np.ndarray
    promised: torch.Tensor


def steering(scorer: Scorer, answer: str, prompt: str, part: tuple[int, int]) -> Steering:
    """For the tokens that end inside `part` of the prompt, which says where it starts and stops in characters."""
    [row], model = scorer.rows([answer], [prompt]), scorer.causal.model
    cut = scorer.local.tokenizer(prompt, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    start = row.first - len(cut["input_ids"])  # tokens that stand before the prompt's own
    places = [start + at for at, (_, end) in enumerate(cut["offset_mapping"]) if part[0] < end <= part[1]]
    tokens, table = torch.from_numpy(row.tokens)[None].to(model.device), model.get_input_embeddings()
    with embeddings(table) as kept:
        logits = model(input_ids=tokens, use_cache=False).logits[0, row.first - 1 : -1].float()
        total = logits.log_softmax(1).gather(1, tokens[0, row.first :, None]).sum()
        [gradients] = torch.autograd.grad(total, kept[0])
    with torch.inference_mode():
        slopes = gradients[0, places].float()
        there = (slopes * kept[0].detach()[0, places].float()).sum(1, keepdim=True)
        return Steering(row.tokens[places], (slopes @ table.weight.float().T - there).cpu())


@torch.inference_mode()
def says(scorer: Scorer, answer: str, prompt: str) -> bool:
    """Whether greedy decoding behind the prompt gives this text, token by token."""
    [row], model = scorer.rows([answer], [prompt]), scorer.causal.model
    tokens = torch.from_numpy(row.tokens)[None].to(model.device)
    likeliest = model(input_ids=tokens, use_cache=False).logits[0, row.first - 1 : -1].argmax(1)
    return bool((likeliest == tokens[0, row.first :]).all())
