"""A causal language model on this machine, by the transformers library (see `ragassay.models.local`). Prompts that
are asked at the same time are generated together, padded on the left. Each sample draws its tokens with random
numbers of its own, so that neither the rows beside it nor the order of calls change it, up to rounding. Knows
temperature, top_p, max_tokens and seed."""

import asyncio
import json
from dataclasses import dataclass, field

import torch
from transformers import LogitsProcessorList

from ragassay.base import chance
from ragassay.calls import model
from ragassay.calls.model import Answer, Failure, Model, Usage
from ragassay.models.local import LocalModel

ROWS = 16  # of a batch, unless options.rows says otherwise
LONGEST = 512  # tokens of an answer, unless max_tokens says otherwise
KNOWN = {"temperature", "top_p", "max_tokens", "seed"}


@dataclass
class Sample:
    """One sample that somebody waits for."""

    prompt: str
    tokens: list[int]
    sampling: dict
    number: int
    done: asyncio.Future = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Provider(model.Provider):
    def __init__(self, settings: Model):
        super().__init__(settings)
        self.local = LocalModel(f"model {settings.name}", {"model": settings.model, "options": settings.options})
        self.tokenizer, self.weights = self.local.tokenizer, self.local.causal()
        self.tokenizer.pad_token = self.tokenizer.pad_token or self.tokenizer.eos_token
        self.rows, self.waiting, self.running = int(settings.options.get("rows", ROWS)), [], None

    def identity(self):
        """The content of its files, whatever their names: weights, configurations, tokenizer, chat template."""
        return {"provider": self.model.provider} | self.local.identity

    async def send(self, messages, sampling, samples):
        if unknown := sampling.keys() - KNOWN:
            expected = ", ".join(sorted(KNOWN))
            raise Failure("settings", f"found the sampling setting {min(unknown)}, expected {expected}", again=False)
        prompt = self.local.prompt(messages)
        tokens = self.tokenizer(prompt, add_special_tokens=False)["input_ids"]
        self._refuse_too_long(len(tokens), sampling)
        rows = [Sample(prompt, tokens, sampling, number) for number in samples]
        self.waiting += rows
        if self.running is None or self.running.done():
            self.running = asyncio.create_task(self._run())
        results = await asyncio.gather(*(row.done for row in rows))
        texts, ends, prompts, completions = zip(*results, strict=True)
        body = {"texts": texts, "ends": ends, "prompt": prompts[0], "completion": sum(completions)}
        return json.dumps(body), {}

    def read(self, body):
        reply = json.loads(body)
        answers = [Answer(text, end) for text, end in zip(reply["texts"], reply["ends"], strict=True)]
        return answers, Usage(reply["prompt"], 0, reply["completion"])

    async def _run(self):
        await asyncio.sleep(0)  # let all who ask at this moment come first
        while batch := self._next():
            try:
                results = await asyncio.to_thread(self._generate, batch)
            except Exception as error:  # noqa: BLE001  it belongs to those who wait for these rows
                for row in batch:
                    if not row.done.done():
                        row.done.set_exception(error)
            else:
                for row, result in zip(batch, results, strict=True):
                    if not row.done.done():  # nobody waits any more for one that took too long
                        row.done.set_result(result)

    def _next(self):
        """The row that has waited longest, and those beside it that are nearest in length."""
        self.waiting = [row for row in self.waiting if not row.done.done()]
        if not self.waiting:
            return []
        first = self.waiting[0]
        alike = [row for row in self.waiting if row.sampling == first.sampling]
        batch = sorted(alike, key=lambda row: abs(len(row.tokens) - len(first.tokens)))[: self.rows]
        taken = {id(row) for row in batch}
        self.waiting = [row for row in self.waiting if id(row) not in taken]
        return batch

    def _refuse_too_long(self, length, sampling):
        longest, room = sampling.get("max_tokens", LONGEST), self.weights.config.max_position_embeddings
        if length + longest > room:
            detail = f"the prompt has {length} tokens and may be answered with {longest}, the model takes {room} in all"
            raise Failure("context", detail, again=False, refused="too_long")

    @torch.inference_mode()
    def _generate(self, batch):
        """(text, finish reason, prompt tokens, completion tokens) for each row. The tokenizer stays out of it: one that
        pads here while a prompt is read there would pad neither, or both.
        """
        sampling, width = batch[0].sampling, max(len(row.tokens) for row in batch)
        tokens = torch.full((len(batch), width), self.tokenizer.pad_token_id)
        mask = torch.zeros_like(tokens)
        for line, row in enumerate(batch):
            tokens[line, width - len(row.tokens) :] = torch.tensor(row.tokens)
            mask[line, width - len(row.tokens) :] = 1
        draw = LogitsProcessorList([_Draw(batch, sampling)] if sampling.get("temperature", 1.0) else [])
        made = self.weights.generate(
            input_ids=tokens.to(self.weights.device),
            attention_mask=mask.to(self.weights.device),
            max_new_tokens=sampling.get("max_tokens", LONGEST),
            do_sample=False,
            logits_processor=draw,
            pad_token_id=self.tokenizer.pad_token_id,
        )[:, width:].cpu()
        return [self._read_row(tokens, len(row.tokens)) for tokens, row in zip(made, batch, strict=True)]

    def _read_row(self, tokens, prompt):
        ends = (tokens == self.tokenizer.eos_token_id).nonzero()
        length = int(ends[0]) if len(ends) else len(tokens)
        text = self.tokenizer.decode(tokens[:length], skip_special_tokens=True)
        return text, "stop" if len(ends) else "length", prompt, length


class _Draw:
    """Turns the choice of the best token into a draw: logits / temperature plus Gumbel noise of each row's own."""

    def __init__(self, batch, sampling):
        self.temperature, self.top_p = sampling.get("temperature", 1.0), sampling.get("top_p", 1.0)
        self.generators = []
        for row in batch:
            seed = chance.number(None, json.dumps([row.prompt, sampling, row.number], sort_keys=True), width=7)
            self.generators.append(torch.Generator().manual_seed(seed))

    def __call__(self, input_ids, scores):
        scores = scores.float() / self.temperature
        if self.top_p < 1:
            ordered, order = scores.sort(descending=True)
            chances = ordered.softmax(1)
            outside = chances.cumsum(1) - chances >= self.top_p
            scores = scores.masked_fill(outside.gather(1, order.argsort(1)), -torch.inf)
        width = scores.shape[1]
        noise = [torch.empty(width).exponential_(generator=generator) for generator in self.generators]
        return scores - torch.stack(noise).log().to(scores.device)
