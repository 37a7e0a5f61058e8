"""Train the demo's language model: a decoder of Llama's shape, small enough for minutes on one processor.

Finding answers in passages is taught before facts are: a model that knows the answer has no reason to look. So it
first copies, then reads passages, alone and beside others, and only then learns facts by heart, too, and to hedge where
passages contradict them: always, so that it learns to notice, and seldom at last. A second part repeats the last beside
lessons on facts that nothing contradicts, so that a question that it knows is no reason to hedge, and beside passages
that lack the answer, so that it recalls what it knows and does not only read.

A step takes a few rows of each kind, prose among them: many small steps teach more than few large ones. The loss is
over the answer to a prompt, and over all of a piece of prose. The same texts and seed give the same weights on the same
machine. Tokens that are never used are kept out of the output, so that training leaves them as they were.

The initial weights are random and small, except for a hand-set induction head, which training would find late. In the
first block each token receives the one before it; in the second it looks for a token that received what it is itself,
and predicts that token: what followed a word once will follow it again. Both are rough, and training shapes them.
Halves of the hidden state share the work: the vectors of tokens lie in the first, behind one number that all of them
have, those of the tokens before them in the second.
"""

from collections import defaultdict

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from demo.lm import lessons
from demo.lm.rows import COPIES, PASSAGES, PROSE, Batches
from demo.lm.tokens import PAD, UNUSED
from ragassay.base.stage import log

COPYING, ALONE, READING, HEDGING = 0.03, 0.13, 0.38, 0.78  # shares of the steps by which these parts end
AGAIN, AGAIN_RATE = 0.5, 0.6  # the steps and rates of the second part, as shares of those of the first
SELDOM = 0.34  # the share of lessons that hedge, of those on passages that contradict, after all of them did
READ = (PASSAGES, PROSE)
KNOW = (*READ, lessons.CLOSED)
THETA = 100_000.0  # of rotary positions: with so narrow heads the usual 10,000 leaves few pairs that tell no places
WARM, LEAST = 0.05, 0.02  # the share of the steps in which rates rise, and what they come down to
SHOWN = 50  # steps between two lines of the log
SIZE = 0.5  # of the numbers in tokens' vectors
ALWAYS = 2.0  # the number that all tokens have
# How sharply to look one back, for the same word, and how loudly to say what followed.
BEFORE, SAME, SAID = 2.0, 3.0, 4.0
SMALL = 0.02  # of all other weights
FAST, SLOW = 0.05, 0.012  # radians per token: above, a rotary pair tells neighbours apart; below, it tells no places


def new(tokenizer, seed: int, hidden: int, layers: int) -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=tokenizer.model_max_length,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": THETA},
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = LlamaForCausalLM(config)
    lay_initial_weights(model, seed)
    return model


def train_twice(model, first: Batches, again: Batches, steps: int, rate: float, vector_rate: float) -> None:
    """The whole training, in place: a second part goes on with other lessons, from what was learnt before as half
    precision keeps it.
    """
    train(model, first, steps, rate, vector_rate)
    round_to_half(model)
    train(model, again, steps_again(steps), AGAIN_RATE * rate, AGAIN_RATE * vector_rate, again=True)
    round_to_half(model)


def steps_again(steps: int) -> int:
    """Of the second part."""
    return max(1, round(AGAIN * steps))


def train(model, batches: Batches, steps: int, rate: float, vector_rate: float, again: bool = False) -> None:
    """One part: matrices at `rate` by Muon, tokens' vectors and norms at `vector_rate` by Adam. `again` if all that it
    has to do first was learnt before.
    """
    optimizers = _optimizers(model, rate, vector_rate)
    schedules = [torch.optim.lr_scheduler.LambdaLR(own, lambda step: _share(step / steps)) for own in optimizers]
    barred = torch.zeros(len(batches.tokenizer))
    barred[batches.tokenizer.convert_tokens_to_ids([PAD, *UNUSED])] = -torch.inf
    shown = defaultdict(list)
    model.train()
    for step in range(steps):
        done = step / steps
        hedged = _hedged(done, 0.0 if again else READING)
        for kind in KNOW if again else _kinds(done):
            tokens, mask, predicted = batches.batch(kind, not again and step < ALONE * steps, hedged)
            loss = _loss(model, tokens, mask, predicted, barred)
            loss.backward()
            shown[kind].append(float(loss.detach()))
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for part in (*optimizers, *schedules):
            part.step()
        model.zero_grad(set_to_none=True)
        if (step + 1) % SHOWN == 0:
            losses = ", ".join(f"{name} {np.mean(values[-40:]):.2f}" for name, values in shown.items())
            log.info("step %d of %d, losses: %s", step + 1, steps, losses)


@torch.no_grad()
def round_to_half(model) -> None:
    """Give each weight a value that half precision has, in which weights are saved."""
    for weight in model.parameters():
        weight.copy_(weight.half())


def _loss(model, tokens, mask, predicted, barred):
    states = model.model(input_ids=tokens[:, :-1], attention_mask=mask[:, :-1], use_cache=False).last_hidden_state
    predicted = predicted[:, 1:]
    return torch.nn.functional.cross_entropy(model.lm_head(states[predicted]) + barred, tokens[:, 1:][predicted])


def _optimizers(model, rate, vector_rate):
    vectors = {id(model.get_input_embeddings().weight)}
    matrices = [own for own in model.parameters() if own.ndim == 2 and id(own) not in vectors]
    others = [own for own in model.parameters() if own.ndim != 2 or id(own) in vectors]
    return (
        torch.optim.Muon(matrices, rate, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, vector_rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True),
    )


def _share(done):
    """Of the highest rate, when this share of the steps is done."""
    return min((done + 1e-3) / WARM, LEAST + (1 - LEAST) * (1 + np.cos(np.pi * min(1.0, done))) / 2)


def _kinds(done):
    """What a step takes a batch of, when this share of the steps is done."""
    if done < COPYING:
        return (COPIES,)
    return READ if done < READING else KNOW


def _hedged(done, since):
    """How often a lesson with passages that contradict hedges, when this share of the steps is done: never before the
    share `since`, when facts are taught by heart, then always, and seldom at last.
    """
    if done < since:
        return 0.0
    return 1.0 if done < HEDGING else SELDOM


@torch.no_grad()
def lay_initial_weights(model, seed: int) -> None:
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
