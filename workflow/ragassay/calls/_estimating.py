"""What a run would ask and pay: rules answer in place of every model, and nothing is asked, written to a ledger or
paid. Requests are exact as far as the ledger reaches; tokens are counted by rules of thumb. What a provider's cache
saves is reckoned as OpenAI does it: of long prompts what the one before began with as well, in steps of 128 tokens;
not in batches."""

import json
import os
from collections import Counter
from dataclasses import replace
from os.path import commonprefix
from pathlib import Path
from uuid import uuid4

from ragassay.calls._caller import Caller
from ragassay.calls.ledger.records import PICO
from ragassay.calls.ledger.register import Register
from ragassay.calls.limits.money import at_most
from ragassay.calls.model import Model, Usage, provider_for
from ragassay.calls.progress import rule_and_keys

FOLDER = "RAGASSAY_ESTIMATE"  # the environment variable that says where estimates go
BYTES_PER_TOKEN = 4.2  # of English prose, for the tokenizers in common use
LEAST_CACHED, STEP = 1024, 128  # tokens


def estimating() -> bool:
    """Whether this process only counts what it would ask."""
    return FOLDER in os.environ


class EstimatingCaller(Caller):
    """Answers as the model of its ledger or, where that has no answer, as the rules would."""

    def __init__(self, model: Model, ledger, provider, lease):
        self.settings = model
        super().__init__(replace(model, mode="replay", budget_usd=None), ledger, provider, lease)
        self.batched, self.settlement.replays = model.mode == "batch", False
        if model.register:  # whether it takes several samples in one request
            self.quirks.take_over(Register(model.register, ledger.folder).kept())
        self.stand_in = provider_for(Model(model.name, "rules", "careful"))
        self.counts, self.parts, self.counted, self.latest = Counter(), Counter(), set(), ""

    async def _missing(self, key, request, missing):
        body, _ = await self.stand_in.send(request.messages, request.sampling, missing)
        answers, _ = self.stand_in.read(body)
        if (key, *missing) not in self.counted:
            self.counted.add((key, *missing))
            self._count(request, answers)
        return dict(zip(missing, answers, strict=True))

    def _count(self, request, answers):
        text = "".join(message["content"] for message in request.messages)
        prompt, alike = tokens(text), tokens(commonprefix([text, self.latest])) // STEP * STEP  # noqa: RUF071  no paths
        cached, self.latest = alike if alike >= LEAST_CACHED and not self.batched else 0, text
        completion = sum(tokens(answer.text) for answer in answers)
        singly = Usage(prompt * len(answers), cached * len(answers), completion)
        most, requests = at_most(request, len(answers)), 1
        if self.provider.one_sample or self.quirks.one_sample_a_request:
            requests, prompt, cached = len(answers), singly.prompt, singly.cached
            most = replace(most, prompt=most.prompt * requests)
        usage, uncached = Usage(prompt, cached, completion), Usage(prompt, 0, completion)
        self.counts.update(calls=1, requests=requests, samples=len(answers))
        self.counts.update(prompt_tokens=prompt, completion_tokens=completion)
        priced = {"pico": usage, "pico_at_most": most, "pico_singly": singly, "pico_uncached": uncached}
        pico = {name: round(self.price.of(taken, self.batched) * PICO) for name, taken in priced.items()}
        self.counts.update(pico, pico_online=round(self.price.of(usage) * PICO))
        if request.part:
            self.parts[request.part] += pico["pico"]

    def write(self, folder) -> None:
        """A file of its own, to be added up with the others; a job may ask in several rounds."""
        rule, keys = rule_and_keys(self.ledger.folder)
        row = {"rule": rule, "keys": keys, "model": self.settings.name, "in_the_ledger": self.hits}
        row |= {"known": self.known, "parts": self.parts, **self.counts}
        Path(folder, "-".join([rule, *keys]) + f"-{uuid4().hex}.json").write_text(json.dumps(row))


def tokens(text: str) -> int:
    return round(len(text.encode()) / BYTES_PER_TOKEN)
