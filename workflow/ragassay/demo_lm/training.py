"""Train the demo's language model: a decoder of Llama's shape, small enough for minutes on one processor.

What has to be found in passages is learnt before facts are known by heart: a model that knows the answer has no reason
to look. So it first copies, then reads passages, alone and beside others, and only then learns facts by heart, too; a
step takes a few rows of each, prose among them, and many small steps teach more than few large ones. What counts is
what follows a prompt, and all of a piece of prose. The same texts and seed give the same weights on the same machine.
Tokens that are never used are kept out of the output, so that training leaves them as they were.
"""

from collections import defaultdict

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from ragassay.demo_lm import beginning, lessons
from ragassay.demo_lm.batches import COPIES, PASSAGES, PROSE, Batches
from ragassay.demo_lm.tokens import PAD, UNUSED
from ragassay.stage import log

COPYING, ALONE, READING = 0.04, 0.2, 0.6  # shares of the steps by which these parts end
READ = (PASSAGES, PROSE)
KNOW = (*READ, lessons.CLOSED)
THETA = 100_000.0  # of rotary positions: with so narrow heads the usual 10,000 leaves few pairs that tell no places
WARM, LEAST = 0.05, 0.02  # the share of the steps in which rates rise, and what they come down to
SHOWN = 50  # steps between two lines of the log


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
    beginning.lay(model, seed)
    return model


def train(model, batches: Batches, steps: int, rate: float, vector_rate: float) -> None:
    """Train in place: matrices at `rate` by Muon, tokens' vectors and norms at `vector_rate` by Adam."""
    optimizers = _optimizers(model, rate, vector_rate)
    schedules = [torch.optim.lr_scheduler.LambdaLR(own, lambda step: _share(step / steps)) for own in optimizers]
    barred = torch.zeros(len(batches.tokenizer))
    barred[batches.tokenizer.convert_tokens_to_ids([PAD, *UNUSED])] = -torch.inf
    shown = defaultdict(list)
    model.train()
    for step in range(steps):
        for kind in _kinds(step / steps):
            tokens, mask, told = batches.batch(kind, alone=step < ALONE * steps)
            loss = _loss(model, tokens, mask, told, barred)
            loss.backward()
            shown[kind].append(float(loss.detach()))
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for part in (*optimizers, *schedules):
            part.step()
        model.zero_grad(set_to_none=True)
        if (step + 1) % SHOWN == 0:
            losses = ", ".join(f"{name} {np.mean(values[-40:]):.2f}" for name, values in shown.items())
            log.info("step %d of %d, losses: %s", step + 1, steps, losses)


def _loss(model, tokens, mask, told, barred):
    states = model.model(input_ids=tokens[:, :-1], attention_mask=mask[:, :-1], use_cache=False).last_hidden_state
    told = told[:, 1:]
    return torch.nn.functional.cross_entropy(model.lm_head(states[told]) + barred, tokens[:, 1:][told])


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
