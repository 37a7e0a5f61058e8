"""First weights of the demo's language model: random and small, but for one way of looking back that it would take most
of its training to find.

In the first block each token receives the one before it; in the second it looks for a token that received what itself
is, and foretells that token: what followed a word once will follow it again. Both are rough, and training makes of
them what it needs. Halves of the hidden state share the work: tokens' own vectors lie in the first, behind one number
that all of them have, those of the tokens before them in the second.
"""

import torch

SIZE = 0.5  # of the numbers in tokens' vectors
ALWAYS = 2.0  # the number that all tokens have
BEFORE, SAME, SAID = (
    2.0,
    3.0,
    4.0,
)  # how sharply to look one back, for the same word, and how loudly to say what followed
SMALL = 0.02  # of all other weights
FAST, SLOW = 0.05, 0.012  # radians per token: above, a rotary pair tells neighbours apart; below, it tells no places


@torch.no_grad()
def lay(model, seed: int) -> None:
    """Set all weights of a Llama-shaped model with as many key heads as heads, two blocks or more, and tied vectors."""
    chance, config = torch.Generator().manual_seed(seed), model.config
    for weight in model.parameters():
        if weight.ndim == 2:
            weight.normal_(0, SMALL, generator=chance)
    own, before = range(1, config.hidden_size // 2), range(config.hidden_size // 2, config.hidden_size)
    vectors = model.get_input_embeddings().weight
    vectors.zero_()
    vectors[:, own] = SIZE * torch.randn(len(vectors), len(own), generator=chance)
    vectors[:, 0] = ALWAYS
    half = config.head_dim // 2
    speeds = config.rope_parameters["rope_theta"] ** (-torch.arange(half) / half)
    fast = [pair for pair in range(half) if speeds[pair] > FAST]
    slow = [place for pair in range(half) if speeds[pair] <= SLOW for place in (pair, half + pair)]
    first, second = (block.self_attn for block in model.model.layers[:2])
    for head in range(min(config.num_attention_heads, -(-len(own) // config.head_dim))):
        start = head * config.head_dim
        for pair in fast:  # a key turned by one place is what a query meets one place later
            first.q_proj.weight[start + pair, 0] += BEFORE
            first.k_proj.weight[start + pair, 0] += BEFORE * torch.cos(speeds[pair])
            first.k_proj.weight[start + half + pair, 0] += BEFORE * torch.sin(speeds[pair])
        for number, place in enumerate(slow):
            at = (head * len(slow) + number) % len(own)
            second.q_proj.weight[start + place, own[at]] += SAME
            second.k_proj.weight[start + place, before[at]] += SAME
        for number, at in enumerate(range(len(own))[start : start + config.head_dim]):
            first.v_proj.weight[start + number, own[at]] += 1
            first.o_proj.weight[before[at], start + number] += 1
            second.v_proj.weight[start + number, own[at]] += 1
            second.o_proj.weight[own[at], start + number] += SAID
