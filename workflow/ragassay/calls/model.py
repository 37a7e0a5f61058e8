"""The call layer's view of a model, a request and an answer, and the interface of a provider: one module
`ragassay.calls.providers.<name>` with a class `Provider`, which sends one request, reads one raw body, and says of
each failure whether trying again can help. Everything else is done once, in `complete`."""

import abc
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace

from ragassay.base import variants
from ragassay.base.errors import CRASH, AssayError, Unusable, one_item
from ragassay.base.terminal import masked, printable
from ragassay.config.services import SERVICE
from ragassay.text.characters import fit, replaced

canonical = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode


class ModelError(AssayError):
    """A model cannot be used as it is configured, or a request cannot be answered: the job stops."""


@dataclass(frozen=True)
class Model:
    """An entry `models.<name>` of the configuration."""

    name: str
    provider: str
    model: str
    base_url: str | None = None
    key_variable: str | None = None  # the environment variable that holds the key
    concurrency: int = 1
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 120.0
    mode: str = "online"
    client: str = "official"  # or fast
    price: dict | None = None  # dollars for a million tokens: input, cached_input, output, and batch as a factor
    budget_usd: float | None = None
    longest_answer: int | None = None  # tokens of one, whatever its limit
    register: str | None = None  # the folder that all jobs of this model share
    options: dict = field(default_factory=dict)  # the provider's own
    sampling: dict = field(default_factory=dict)  # instead of a stage's own settings; None removes one
    service: dict = field(default_factory=dict)  # how a service is asked and its replies are read
    identity: str | None = None  # in place of the address in keys of calls

    @property
    def place(self) -> str:
        """Where the configuration has it."""
        return f"services.{self.name.removeprefix(SERVICE)}" if self.service else f"models.{self.name}"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: messages, sampling settings (only those that are set), and how many samples. `part` names a part
    of the stage's work that can be switched off, for estimates.
    """

    messages: list[dict]
    sampling: dict = field(default_factory=dict)
    samples: int = 1
    part: str = ""


@dataclass(slots=True, eq=False)
class Sent:
    """A request that was sent: the id that its end names, the call whose samples it asks for, the most it may cost."""

    id: str
    key: str
    samples: list[int]
    worst: float


@dataclass(frozen=True, slots=True)
class Answer:
    """One sample: the text as it came and why it ended (stop, length, content_filter). Its tokens are known where it
    came alone, and its provider counts them. Where the provider refused the request there is no text: then the finish
    reason is why parsers abstain (refusal, too_long, provider_error, crash) and `detail` holds the provider's words.
    """

    text: str
    finish_reason: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    detail: str = ""
    passages: tuple[dict, ...] | None = None  # that a service retrieved, if it says


def answer_columns(answer: Answer, responder: str, prompt: str) -> dict:
    """What every table of answers says of one; `prompt` is the digest of what was asked."""
    columns = {"text": fit(replaced(answer.text or "")), "finish_reason": answer.finish_reason}
    columns |= {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens}
    columns |= {"detail": answer.detail or None, "truncated": answer.finish_reason == "length"}
    return columns | {"responder": responder, "prompt": prompt}


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply; cached ones are among the prompt's. `served` is the name that the reply gives the model,
    `dollars` what it says that it cost.
    """

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    served: str = ""
    dollars: float | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A batch as its provider describes it."""

    id: str
    input_file: str
    input_sha256: str  # if the provider keeps it
    state: str  # running, or ended as completed, expired, cancelled or failed
    created: float
    files: list[str]  # with outputs and errors
    done: int | None = None  # requests
    error: str = ""


@dataclass(eq=False)
class Failure(Exception):
    """A request that brought no usable reply."""

    kind: str
    detail: str
    _: KW_ONLY
    again: bool  # to send it again may help
    lost: bool = False  # it may have been answered and billed all the same
    paid: float = 0.0  # what such a reply cost
    after: float | None = None  # seconds to wait, as the server asks
    refused: str = ""  # the provider takes other requests, but not this one, and this is why parsers abstain
    patience: int = 2  # so many refusals in a row count, where it is sent again all the same
    parameter: str = ""  # the provider may take it without this parameter or by another name

    def __post_init__(self):
        self.detail = printable(masked(self.detail))
        super().__init__(self.detail)


class Provider(abc.ABC):
    """The interface of a kind of model; one file each."""

    batches = False  # True with the methods of `ragassay.calls.providers.openai`
    one_sample = False  # whether each sample is a request of its own
    quirks = None  # what its server does not take, once a caller has learned of it

    def __init__(self, model: Model):
        self.model = model

    def identity(self) -> dict:
        """Everything about the model that can change an answer; it goes into the key of every call."""
        return {"provider": self.model.provider, "model": self.model.model}

    @abc.abstractmethod
    async def send(self, messages: list[dict], sampling: dict, samples: list[int]) -> tuple[str, dict]:
        """One request for the samples of these numbers: the raw body, and limits in force if the reply names them
        (requests_per_minute, tokens_per_minute). Raises Failure.
        """

    @abc.abstractmethod
    def read(self, body: str) -> tuple[list[Answer], Usage]:
        """The answers in a raw body; raises Failure if it is not whole."""

    def answers(self, body: str) -> tuple[list[Answer], Usage]:
        """Answers and usage, with token counts per answer if the reply allows it. Raises nothing but Failure, and
        MemoryError: a stored reply that raises anything else would end this run and all later ones.
        """
        try:
            with one_item(Failure):
                answers, usage = self.read(body)
        except (AssayError, Unusable) as why:
            raise Failure(CRASH, str(why), again=False, lost=True, refused=CRASH) from why
        if len(answers) == 1 and (usage.prompt or usage.cached or usage.completion):
            answers = [replace(answers[0], prompt_tokens=usage.prompt, completion_tokens=usage.completion)]
        return answers, usage

    def open(self) -> None:  # noqa: B027  most have nothing to prepare
        """Load and prepare what the first request would else wait for; called before each."""

    async def close(self) -> None:  # noqa: B027  most have nothing to release
        """Release connections and memory."""


def provider_for(model: Model) -> Provider:
    return variants.load("ragassay.calls.providers", model.provider, f"models.{model.name}.provider").Provider(model)


def call_key(identity: dict, request: Request) -> str:
    """A hash over all that can change the answers to a request; samples are numbered below it. `ledger` is the version
    of the records: a new one would make them unknown.
    """
    content = {"ledger": 1, "identity": identity, "messages": request.messages, "sampling": request.sampling}
    return hashlib.sha256(canonical(content).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Requests:
    """A stream of requests: each is made when it is asked; their number is known for progress."""

    items: Sequence
    request: Callable[..., Request]  # the request for one item

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Request]:
        return map(self.request, self.items)
