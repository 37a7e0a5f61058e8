"""Train the demo's language model: a decoder of Llama's shape, small enough for minutes on two processors.

Steps take turns: prose, facts by heart, facts in passages, alone at first and later beside others. What counts of a
fact by heart is its answer; of passages also their text and the question, most of whose words the passage has, from
which a model learns to look back. The same texts and seed give the same weights on the same machine. Tokens that are
never used are kept out of the output, so that training leaves them as they were.
"""

import random
from collections import defaultdict

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from ragassay.demo_lm import lessons
from ragassay.demo_lm.tokens import BEGIN, END, PAD, UNUSED
from ragassay.encoders.batches import padded
from ragassay.stage import log

TURNS = ("passages", lessons.CLOSED, "passages", "passages", "prose", "passages", "passages", "passages")
ROWS = {"prose": 12, lessons.CLOSED: 48, "passages": 24}
ALONE = 0.5  # of the steps: until then passages stand alone
MOST_OTHERS = 2  # passages beside the one that tells
PROSE = 128  # tokens of a piece of prose
IN_PASSAGES = (lessons.CLEAN,) * 3 + (lessons.CONFLICT,) * 5
ANSWER = 4.0  # how much a token of an answer counts, where one of a passage or a question counts 1
THETA = 300.0  # of rotary positions: with so narrow heads the usual 10,000 leaves few that tell neighbours apart


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
        initializer_range=0.05,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(seed)
    return LlamaForCausalLM(config)


class Batches:
    """Rows of tokens with the places whose next token counts; one seed, one sequence of batches."""

    def __init__(self, tokenizer, own: lessons.Lessons, texts: list[str], seed: int):
        self.tokenizer, self.lessons, self.chance = tokenizer, own, random.Random(seed)
        self.prose = [token for text in texts for token in self._tokens(BEGIN + text + END)]
        self.most_others, self._closed = 0, []

    def batch(self, turn: str):
        """Tokens, mask, and the mask of the tokens to be foretold."""
        rows = [self._prose() if turn == "prose" else self._lesson(turn) for _ in range(ROWS[turn])]
        tokens, mask = padded([np.array(row) for row, _ in rows], self.tokenizer.pad_token_id)
        told = np.zeros_like(tokens, bool)
        for number, (row, prompt) in enumerate(rows):
            told[number, prompt : len(row)] = True
        return torch.from_numpy(tokens), torch.from_numpy(mask), torch.from_numpy(told)

    def _prose(self):
        start = self.chance.randrange(max(1, len(self.prose) - PROSE))
        return self.prose[start : start + PROSE], 1

    def _lesson(self, turn):
        if turn == lessons.CLOSED:
            if not self._closed:
                self._closed = self.chance.sample(self.lessons.facts, len(self.lessons.facts))
            return self.row(self.lessons.lesson(turn, self._closed.pop(), self.chance, 0))
        kind, others = self.chance.choice(IN_PASSAGES), self.chance.randint(0, self.most_others)
        return self.row(self.lessons.lesson(kind, self.chance.choice(self.lessons.facts), self.chance, others))

    def row(self, lesson):
        prompt = self._tokens(f"{BEGIN}{lesson.prompt}\nAnswer:")
        return prompt + self._tokens(f" {lesson.answer}{END}"), len(prompt)

    def _tokens(self, text):
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]


def train(model, batches: Batches, steps: int, rate: float) -> None:
    """Train in place."""
    optimizer = torch.optim.AdamW(model.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True)
    warm = max(1, steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min((step + 1) / warm, 0.02 + 0.98 * (1 + np.cos(np.pi * min(1, step / steps))) / 2),
    )
    barred = torch.zeros(len(batches.tokenizer))
    barred[batches.tokenizer.convert_tokens_to_ids([PAD, *UNUSED])] = -torch.inf
    shown = defaultdict(list)
    model.train()
    for step in range(steps):
        turn = TURNS[step % len(TURNS)]
        batches.most_others = 0 if step < ALONE * steps else MOST_OTHERS
        tokens, mask, told = batches.batch(turn)
        states = model.model(input_ids=tokens[:, :-1], attention_mask=mask[:, :-1], use_cache=False).last_hidden_state
        wanted, answers = (mask[:, 1:].bool() if turn == "passages" else told[:, 1:]), told[:, 1:]
        scores = model.lm_head(states[wanted]) + barred
        losses = torch.nn.functional.cross_entropy(scores, tokens[:, 1:][wanted], reduction="none")
        weights = torch.where(answers[wanted], ANSWER, 1.0)
        loss = (losses * weights).sum() / weights.sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        shown[turn].append(float(losses.detach()[answers[wanted]].mean()))
        if (step + 1) % 200 == 0:
            told = ", ".join(f"{name} {np.mean(values[-40:]):.2f}" for name, values in shown.items())
            log.info("step %d of %d, losses: %s", step + 1, steps, told)
