"""The quirks of a model's server: what it does not take, and by how much its answers exceed their limit on tokens.
Each is logged once and kept in the model's register for later jobs. What is left out stays a part of the call's key:
an answer is the answer to what was asked for. After an answer that costs more than was set aside, a capped model goes
one request at a time, and one more with each that is no surprise."""

import contextlib

from ragassay.base.stage import log
from ragassay.calls.ledger.register import Register
from ragassay.calls.model import Model, Request

RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
LEFT_OUT = ("n", "temperature", "top_p", "seed", "frequency_penalty", "presence_penalty", "response_format")
SYSTEM = "system"
ROUNDING = 1.000001
HEADROOM = 2  # times the dearest answer so far, set aside for each once answers are longer than max_tokens
LOOKS = 0.1  # seconds between looks whether another job has had the first reply
PARAMETERS = (*RENAMED, *LEFT_OUT, SYSTEM)


class Quirks:
    """`refused` says whether a request can be sent in another way after a refusal; `applied` is how it is sent."""

    def __init__(self, model: Model, register: Register | None = None):
        self.model, self.register = model, register
        self.endpoint = [model.provider, model.model, model.base_url]
        self.known, self.excess, self.answered = set(), 1.0, False  # `answered`: whether any job has had a reply
        self.cut_after = None  # tokens of a prompt that it reads, if it was seen to cut the rest without notice
        self.room = None  # requests that may be in flight after a surprise, None without one
        self.ramps = model.budget_usd is not None and model.mode != "batch"  # the rows of a batch are sent together
        if register:
            self.refresh()

    @property
    def set_aside(self) -> float:
        """How many times what its limit on tokens allows a request may cost."""
        return self.excess * HEADROOM if self.excess > 1.0 else 1.0

    @property
    def one_sample_a_request(self) -> bool:
        return "n" in self.known

    def refused(self, parameter: str, request: Request, samples: int, why: str) -> bool:
        """Whether this parameter of the request can be left out or renamed; if so, it is from now on."""
        sent = {*request.sampling, *self.model.options, *(["n"] if samples > 1 else [])}
        sent |= {SYSTEM} & {message["role"] for message in request.messages}
        if parameter in RENAMED and RENAMED[parameter] in self.known:  # it takes neither name
            return False
        if parameter not in sent:
            return False
        self.learn(parameter, why)
        return True

    def learn(self, parameter: str, why: str) -> None:
        if parameter in self.known:
            return
        self.known.add(parameter)
        log.info("model %s: %s; %s", self.model.name, why, _consequence(parameter, self.model.name))
        self._share()

    @contextlib.asynccontextmanager
    async def first(self, sleep):
        """For the first request of a job: alone among all jobs of the model, until one of them has had a reply."""
        if not self.register:
            yield
            return
        with self.register.turn() as is_ours:
            while not (self.answered or is_ours()):
                await sleep(LOOKS)
                self.refresh()
            self.refresh()
            yield

    def replied(self) -> None:
        """A reply has shown what answers cost, so that other jobs need not wait for one."""
        if not self.answered:
            self.answered = True
            self._share()

    def exceeded(self, factor: float) -> None:
        """An answer cost so many times what its limit on tokens allows."""
        if factor <= self.excess * ROUNDING and not self.room:
            return
        if self.excess == 1.0:
            message = "model %s: answers are longer than max_tokens; %.1f times as much is set aside for each"
            log.info(f"{message} from now on", self.model.name, factor * HEADROOM)
        self._share(factor)

    def _weigh(self, factor):
        if factor > self.set_aside * ROUNDING:
            self.room = 1 if self.ramps else None
        elif self.room:
            self.room = self.room + 1 if self.room < self.model.concurrency else None
        if factor > self.excess * ROUNDING:
            self.excess = factor

    def refresh(self) -> None:
        """Take over what other jobs have learned."""
        with self.register.shared() as (kept, _):
            self.take_over(kept)

    def applied(self, body: dict) -> dict:
        """The body of a request as this server takes it."""
        for parameter in sorted(self.known):
            if parameter in RENAMED and parameter in body:
                body[RENAMED[parameter]] = body.pop(parameter)
            elif parameter in LEFT_OUT:
                body.pop(parameter, None)
            elif parameter == SYSTEM:
                body["messages"] = _without_system(body["messages"])
        return body

    def _share(self, factor=0.0):
        with self.register.shared() if self.register else contextlib.nullcontext(({}, 0)) as (kept, _):
            self.take_over(kept)
            if factor:
                self._weigh(factor)
            learned = {"refused": sorted(self.known), "excess": self.excess, "answered": self.answered}
            before = kept.get("manners", {})
            cut_after = before.get("cut_after") if before.get("endpoint") == self.endpoint else None
            learned |= {"room": self.room, "cut_after": cut_after}  # of which a check alone knows
            kept["manners"] = {"endpoint": self.endpoint} | learned

    def take_over(self, kept: dict) -> None:
        """What a register holds, if it is about the same server."""
        shared = kept.get("manners", {})
        if shared.get("endpoint") == self.endpoint:
            self.known |= set(shared["refused"])
            self.excess = max(self.excess, shared["excess"])
            self.answered = self.answered or shared.get("answered", False)
            self.room = shared.get("room") if self.ramps else None
            if self.cut_after is None and (tokens := shared.get("cut_after")):
                self.cut_after = tokens
                message = "model %s: its server reads %s tokens of a prompt and cuts the rest without notice"
                log.warning(message, self.model.name, tokens)


def _consequence(parameter, name):
    if parameter == "n":
        return "each sample is a request of its own from now on, and its prompt is paid each time"
    if parameter == SYSTEM:
        return "what they say stands in front of the question from now on"
    if parameter in RENAMED:
        return f"it is called `{RENAMED[parameter]}` from now on"
    remedy = f"models.{name}.sampling can say so beforehand"
    return f"it is left out from now on, and the provider's default holds ({remedy})"


def _without_system(messages):
    """Each system message is put in front of the message behind it."""
    without, before = [], ""
    for message in messages:
        if message["role"] == SYSTEM:
            before += message["content"] + "\n\n"
        else:
            without.append(message | {"content": before + message["content"]})
            before = ""
    return without + ([{"role": "user", "content": before.strip()}] if before else [])
