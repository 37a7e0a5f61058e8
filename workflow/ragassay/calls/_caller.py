"""Ask one model: through the ledger, within limits and budget, with retries where they can help. The one place that
decides about retries. What the ledger knows is not asked; each attempt is recorded before it is sent, the raw reply
before it is read. A single refused request becomes an abstention; if all of the first ones are refused, the job
stops."""

import asyncio
import contextlib
import random
import time
from collections import Counter
from dataclasses import replace

from ragassay.base.errors import AssayError
from ragassay.base.stage import log
from ragassay.base.terminal import masked
from ragassay.calls._settlement import Refusals, Settlement
from ragassay.calls.ledger.call_keys import CallKeys
from ragassay.calls.ledger.lease import Lease
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.limits.money import Purse, at_most, price_of
from ragassay.calls.limits.pace import Pace, Slots
from ragassay.calls.limits.quirks import SYSTEM, Quirks
from ragassay.calls.limits.rates import SharedLimits
from ragassay.calls.model import Answer, Failure, Model, ModelError, Provider, Request, call_key
from ragassay.calls.wire.failures import REMEDY

ATTEMPTS, TIMEOUTS = 8, 2  # tries of a request, and how many of them may end without a reply, since each may be billed
UNREACHED = 2  # tries to reach a server that no job of the model has reached
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
GIVE_UPS = 10  # requests in a row without an answer after which the provider counts as away
SHOWN = 100  # characters of a prompt that has no answer
HARMLESS = [{"role": "user", "content": "Say yes."}]  # no provider has a reason to refuse it
DRAIN_SECONDS = 25.0  # Slurm kills 30 s after SIGTERM


class GaveUp(AssayError):
    """A request was tried as often as is sensible; the others continue."""


class Stopped(AssayError):
    """The process was asked to end: requests in flight were awaited, nothing new was asked."""

    exit_code = 75  # a temporary failure: run again


class Caller:
    batched = False  # at the price of the provider's batch mode

    def __init__(self, model: Model, ledger: Ledger, provider: Provider, lease: Lease):
        self.model, self.ledger, self.provider, self.lease = model, ledger, provider, lease
        self.identity, self.price = provider.identity(), price_of(model)
        self.before = Counter(ledger.counts)  # what earlier runs had written down
        self.quirks = provider.quirks = Quirks(model, lease.register)
        self.settlement = Settlement(model, ledger, provider, self.quirks, self.price, self.batched)
        if not (model.mode == "replay" or lease.read_only):  # which writes nothing
            self.quirks.exceeded(ledger.excess)
            self.settlement.earlier()
        self.purse = Purse(model.budget_usd, self.quirks, ledger.dollars, ledger.dollars_at_risk, lease.register)
        limits = SharedLimits(model, lease.register, self.quirks)
        self.pace, self.slots = Pace(limits, self._sleep), Slots(limits, self._sleep)
        self.call_keys = CallKeys(ledger.folder)
        self.answered = self.warned = False
        self.refusals = Refusals(model, ledger, lambda: self.in_flight, self._has_answered)
        self.control = None  # a request that the model has answered
        self.hits = self.known = self.in_flight = self.gave_up = 0  # `known`: calls that the ledger answered
        self.failures, self.last_failure = Counter(), ""  # kind -> tries that failed
        self.error, self.deadline = None, 0.0  # why nothing more is asked, and until when replies are awaited
        self._halted = asyncio.Event()
        self._first = asyncio.Lock()
        self._same = {}  # key -> (lock, users), so that equal requests at the same time are paid once

    @property
    def workers(self) -> int:
        """How many conversations go on side by side."""
        return max(1, self.model.concurrency)

    @property
    def waiting(self) -> int:
        """Requests that are begun and not in flight."""
        return max(0, len(self._same) - self.in_flight)

    def _has_answered(self):
        """Whether any job of the model ever had an answer: it shows that a refusal is meant for its request."""
        if self.lease.register:
            self.quirks.refresh()
            return self.quirks.answered
        return bool(self.ledger.counts["samples"])

    async def conclude(self) -> None:
        """All has been asked. Doubtful refusals are settled: what was answered is asked again, or a harmless text."""
        if self.refusals.doubtful and not self.batched and (self.control or self._has_answered()):
            harmless = Request(HARMLESS, self.refusals.sampling)
            await self._send(*(self.control or (call_key(self.identity, harmless), harmless)), [0])
            if self.refusals.doubtful:  # what the model has answered before is refused now, too
                raise self.refusals.error()
        self.refusals.end()

    async def close(self) -> None:
        self.purse.close(self.ledger.dollars, self.ledger.dollars_at_risk)
        await self.slots.close()
        await self.provider.close()

    def halt(self, error: Exception, seconds: float = DRAIN_SECONDS) -> None:
        """Ask nothing more, and give requests in flight this long; the first reason counts."""
        if self.error is None:
            self.error, self.deadline = error, time.monotonic() + seconds
            self._halted.set()

    async def ask(self, request: Request, place: tuple[int, int] | None = None) -> list[Answer]:
        """The answers to one request, in the order of its samples. `place` is its item and its number there."""
        if self.model.sampling:
            sampling = request.sampling | self.model.sampling
            request = replace(request, sampling={name: value for name, value in sampling.items() if value is not None})
        key = call_key(self.identity, request)
        key = self.call_keys.key(*place, key) if place else key
        numbers = range(request.samples)
        if (same := self._same.get(key)) is None:
            answers = self._known(key)
            if all(number in answers for number in numbers):
                self.control = self.control or (None if answers[0].detail else (key, request))
                self.hits += request.samples
                self.known += 1
                return [answers[number] for number in numbers]
        lock, users = same or (asyncio.Lock(), 0)
        self._same[key] = lock, users + 1
        try:
            async with lock:
                if users:
                    answers = self._known(key)
                self.hits += sum(number in answers for number in numbers)
                while missing := [number for number in numbers if number not in answers]:
                    answers |= await self._missing(key, request, missing)
        finally:
            lock, users = self._same.pop(key)
            if users > 1:
                self._same[key] = lock, users - 1
        return [answers[number] for number in numbers]

    def _known(self, key):
        """sample -> answer, from the ledger."""
        answers, rest = self.settlement.answers(key)
        if answers and not self.refusals.takes_others:
            self.refusals.keep()
        return rest | self.refusals.known(key) | answers

    async def _missing(self, key, request, missing):
        if self.model.mode == "replay":
            asked = " ".join(request.messages[-1]["content"].split())[:SHOWN]
            problem = f"model {self.model.name}: mode replay, and the ledger has no answer for call {key}, {asked!r}"
            raise ModelError(f"{problem}; its text, prompt or settings are not those that were asked with")
        if not (self.provider.one_sample or self.quirks.one_sample_a_request):
            answers = await self._send(key, request, missing)
            if len(answers) == 1 < len(missing):
                self.quirks.learn("n", "it answers with one sample, however many are asked for")
            return answers
        parts = (self._send(key, request, [number]) for number in missing)
        answers = {}
        for part in await asyncio.gather(*parts, return_exceptions=True):  # all of them end before one can fail
            if isinstance(part, BaseException):
                raise part
            answers |= part
        return answers

    async def _send(self, key, request, numbers):
        """sample -> answer for some of `numbers`, at least one unless they have to be asked for singly."""
        capped = self.model.budget_usd is not None and not self.model.longest_answer
        most = at_most(request, len(numbers), capped)
        taken_out = set()  # parameters of this request that were refused; to send it without them is no further try
        tries = timeouts = unusable = 0  # `unusable`: replies in a row that came and held no answer
        while tries < ATTEMPTS:
            try:
                return await self._once(key, request, numbers, most, bool(tries or taken_out))
            except Failure as failure:
                if self._can_do_without(failure, request, len(numbers), taken_out):
                    if failure.parameter == "n":
                        return {}
                    continue
                unusable = unusable + 1 if failure.refused else 0
                if failure.refused and (unusable >= failure.patience or not failure.again):
                    self.gave_up, self.answered = 0, True
                    return self.refusals.abstain(key, numbers, failure, request.sampling)
                if not failure.again:
                    raise ModelError(f"model {self.model.name}: {failure.detail}") from failure
                self.refusals.complain(failure)
                last = failure
            self.failures[last.kind] += 1
            self.last_failure = last.detail
            if not (self.answered or self.warned):
                self.warned = True
                log.info("model %s: %s; trying again", self.model.name, last.detail)
            timeouts += last.kind == "timeout"
            tries += 1
            if timeouts == TIMEOUTS or (tries == UNREACHED and self._is_unreached(last)):
                break
            if tries < ATTEMPTS:
                wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (tries - 1)) * random.uniform(0.5, 1.0)
                await self._sleep(max(wait, last.after or 0.0))
        self.gave_up += 1
        problem = f"model {self.model.name}: no answer in {tries} tries, the last: {last.detail}"
        if last.kind == "connection" and not self.answered:
            remedy = REMEDY.replace("base_url", f"{self.model.place}.address") if self.model.service else REMEDY
            raise ModelError(f"{problem}; {remedy}")
        if self.gave_up >= GIVE_UPS:
            away = f"{GIVE_UPS} requests in a row ended so, the provider does not answer: try later"
            raise ModelError(f"{problem}; {away}")
        raise GaveUp(problem)

    def _is_unreached(self, failure):
        """Whether there is no connection to a server that has never answered: its address is probably wrong."""
        return failure.kind == "connection" and not (failure.lost or self.answered or self._has_answered())

    def _can_do_without(self, failure, request, samples, taken_out):
        """Whether the request can be sent without the parameter that was refused; once for each."""
        name = failure.parameter
        if not name or name in taken_out:
            return False
        taken_out.add(name)
        called = "system messages" if name == SYSTEM else f"`{name}`"
        return self.quirks.refused(name, request, samples, f"it takes no {called} ({failure.detail})")

    async def _once(self, key, request, numbers, most, again):
        """The answers to one try. Under a cap the first reply is awaited before more is sent, by whatever job: it shows
        whether answers keep to their limit on tokens.
        """
        if self.purse.cap is not None and not (self.answered or self.batched):
            async with self._first, self.quirks.first(self._sleep):
                if not self.answered:
                    return await self._paid(key, request, numbers, most, again)
        return await self._paid(key, request, numbers, most, again)

    async def _paid(self, key, request, numbers, most, again):
        answers = await self._attempt(key, request, numbers, most, self._worst(most, len(numbers)), again)
        self.gave_up, self.answered = 0, True
        self.quirks.replied()
        self.refusals.keep()
        self.control = self.control or (key, request)
        return answers

    def _worst(self, most, samples):
        """The most dollars that a request may cost; `most` are its tokens if its answers keep to their limit."""
        longest = max(most.completion, (self.model.longest_answer or 0) * samples)
        return self.price.of(replace(most, completion=longest), self.batched)

    async def _attempt(self, key, request, numbers, most, worst, again):
        """sample -> answer of one request."""
        async with self.slots:
            self.ledger.open()  # what takes a while comes before the wait for a point in time, which a request may miss
            self.provider.open()
            await self.pace.wait(most.prompt // 4 + most.completion)
            while await self.refusals.settle() or await self.purse.make_room(worst):  # it has missed its point in time
                await self.pace.wait(0)
            self._go_on()
            with self.purse.holding(worst) as bill:
                sent, moment = self.ledger.intent(key, numbers, worst, again), time.monotonic()
                try:
                    body = await self._reply(sent, request)
                    self.ledger.done(sent, body)
                    answers, bill.paid = self.settlement.settle(sent, body)
                except Failure as failure:
                    if failure.after is not None or failure.kind == "http 429":
                        self.pace.pause(failure.after or 0.0, moment)
                    raise
                self.pace.answered()
                return answers

    async def _reply(self, sent, request):
        """The raw body; a failure is recorded."""
        self.in_flight += 1
        try:
            async with asyncio.timeout(self.model.timeout):
                body, limits = await self.provider.send(request.messages, request.sampling, sent.samples)
            self.pace.learn(limits)
            return masked(body)
        except TimeoutError:
            problem = f"no answer within {self.model.timeout:g} s; if the model is slow, raise its timeout"
            failure = Failure("timeout", problem, again=True, lost=True)
        except Failure as raised:
            failure = raised
        finally:
            self.in_flight -= 1
            self.refusals.replied()
        self.ledger.failed(sent, failure.kind, failure.detail, failure.lost)
        raise failure

    def _go_on(self):
        if self.lease.lost:
            self.halt(Stopped(f"{self.lease.name}: another process took over; what was answered is in the ledger"))
        if self.error:
            raise Stopped("nothing more is asked") from self.error

    async def _sleep(self, seconds):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._halted.wait()
        self._go_on()
