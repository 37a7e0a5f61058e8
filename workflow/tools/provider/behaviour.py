"""What the loopback server is told to do: one flat record of settings, checked, and the chances drawn from it.

Every chance is a function of the seed and of what it decides (the number of the request, or with `by_key` the body
and how often it came), so the same settings meet the same run with the same faults. Knows nothing of HTTP.
"""

import dataclasses
import hashlib
import math
import statistics
from dataclasses import dataclass, field

from tools.provider.manners import PROVIDERS, Manners
from tools.provider.spoilt import SPOILT

# What may happen to a reply on its way. All of them come after the answer was generated, so they are billed, but for
# `abort` and for statuses ("429", "500", "503", ...), which stand for a provider that never got to the model.
WIRE = {
    "abort": "the connection is closed at once and nothing is generated",
    "drop": "the answer is generated, the connection is closed before its first byte",
    "cut": "half of the body, though the content length promises all of it, then the connection is closed",
    "cut_short": "half of the body, and the content length says that this is all",
    "html": "status 200 with a web page, as from a proxy",
    "slow": "the body comes in twenty pieces over `slow_seconds`",
    "hang": "no reply at all; the connection stays open",
}
# What may be odd about an answer that arrives well.
ODD = {
    "ignore_n": "one choice, whatever n is",
    "fewer": "at least one choice, but fewer than n",
    "none": "no choice at all",
    "filter": "finish reason content_filter and no text",
    "length": "finish reason length and the first half of the text",
    "empty": "an empty text",
    "null": "null in place of a text",
    "refusal": "null in place of a text, and a refusal",
    "too_long": "the whole text, whatever max_tokens is",
    "thoughts": "thoughts between tags in front of the text",
    "unclosed": "thoughts that do not end, cut by max_tokens",
    "parts": "a list of parts in place of a text, the first of them thoughts",
    "hidden": "thoughts that only the total of tokens counts",
    "no_usage": "tokens are not told",
    "negative_usage": "tokens below zero",
    "same_index": "all choices have the index 0",
    "renamed": "the reply comes from a model of another name",
    "huge": "50 MB that nobody asked for beside the answer",
    **dict.fromkeys(SPOILT, "as provider/spoilt.py has it"),
}
RETRY_FORMS = ("seconds", "ms", "date", "none")
NORMAL = statistics.NormalDist()


@dataclass(frozen=True)
class Behaviour:
    seed: int = 0
    by_key: bool = False  # draw by body and attempt, so that concurrency cannot move a fault to another row
    # who may ask, and for what
    key: str = "test-key"
    models: list = field(default_factory=lambda: ["loopback"])  # an empty list knows every name
    context_tokens: int = 128_000
    # what is refused with a status of its own: prompts that hold a word (word -> status), parameters, n above a number
    refused_words: dict = field(default_factory=dict)
    unsupported: list = field(default_factory=list)
    most_samples: int = 128
    error_text: str = ""  # put behind the message of such errors, and of failed rows of batches
    # answers: "echo", or module:function called as function(messages, sampling, index); `texts` go before both
    respond: str = "echo"
    texts: list = field(default_factory=list)
    fresh_samples: bool = False  # a prompt that comes again is answered with the samples after those it had
    manners: str = "openai"  # the provider that it plays, one of manners.PROVIDERS
    finish: str = "stop"  # the server's word for an answer that came to its end
    # latency in seconds: lognormal around the median where sigma is set
    latency: float = 0.0
    latency_sigma: float = 0.0
    # faults: name (or status) -> rate; faults_at: number of the chat request -> name; "" is none
    faults: dict = field(default_factory=dict)
    faults_at: dict = field(default_factory=dict)
    odd_answers: dict = field(default_factory=dict)
    odd_words: dict = field(default_factory=dict)  # word in a prompt -> what is odd about its answer
    route_faults: dict = field(
        default_factory=dict
    )  # another route, "batches.create": faults of its next calls in turn
    slow_seconds: float = 1.0
    retry_after: float = 1.0
    retry_after_form: str = "seconds"
    # limits that are kept (0 is none), as buckets that hold `burst_seconds` of their rate
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    burst_seconds: float = 60.0
    in_flight_limit: int = 0
    # batches
    batch_seconds: float = 0.0
    batch_expires_after: float = 86_400.0
    batch_shuffled: bool = False
    batch_missing: float = 0.0
    batch_errors: float = 0.0

    def __post_init__(self):
        for name, setting in SETTINGS.items():
            value, kind = getattr(self, name), setting.type
            if kind is float and type(value) is int:
                value = float(value)
                object.__setattr__(self, name, value)
            if type(value) is not kind or (kind in (int, float) and not 0 <= value < math.inf):
                raise ValueError(f"{name}: found {value!r}, expected {kind.__name__}, at least 0 where it is a number")
            if kind is list and not all(isinstance(text, str) for text in value):
                raise ValueError(f"{name}: found {value!r}, expected a list of strings")
        for name, known in (("faults", WIRE), ("odd_answers", ODD)):
            rates = getattr(self, name)
            for fault, rate in rates.items():
                check_fault(name, fault, known)
                if type(rate) not in (int, float) or not 0 <= rate <= 1:
                    raise ValueError(f"{name}.{fault}: found {rate!r}, expected a rate from 0 to 1")
            if sum(rates.values()) > 1 + 1e-9:
                raise ValueError(f"{name}: the rates add up to {sum(rates.values()):g}, expected at most 1")
        for number, fault in self.faults_at.items():
            check_fault(f"faults_at.{number}", fault, WIRE)
        for word, odd in self.odd_words.items():
            check_fault(f"odd_words.{word}", odd, ODD)
        for word, status in self.refused_words.items():
            if type(status) is not int or not 400 <= status <= 599:
                raise ValueError(f"refused_words.{word}: found {status!r}, expected a status from 400")
        for route, faults in self.route_faults.items():
            for fault in faults:
                check_fault(f"route_faults.{route}", fault, WIRE)
        for name in ("batch_missing", "batch_errors"):
            if getattr(self, name) > 1:
                raise ValueError(f"{name}: found {getattr(self, name)}, expected a rate from 0 to 1")
        if self.manners not in PROVIDERS:
            raise ValueError(f"manners: found {self.manners!r}, expected one of {', '.join(PROVIDERS)}")
        if self.retry_after_form not in RETRY_FORMS:
            raise ValueError(f"retry_after_form: found {self.retry_after_form!r}, expected one of {RETRY_FORMS}")

    def changed(self, settings: dict) -> "Behaviour":
        """This behaviour with some settings replaced."""
        if not isinstance(settings, dict):
            raise ValueError(f"found {type(settings).__name__}, expected a JSON object of settings")
        unknown = sorted(settings.keys() - SETTINGS.keys())
        if unknown:
            raise ValueError(f"unknown setting {unknown[0]!r}, expected one of {', '.join(SETTINGS)}")
        return dataclasses.replace(self, **settings)

    @property
    def played(self) -> Manners:
        return PROVIDERS[self.manners]

    def seconds(self, request: str) -> float:
        """How long this request waits for its reply."""
        wait = self.latency
        if self.latency_sigma:
            wait *= math.exp(self.latency_sigma * NORMAL.inv_cdf(chance(self.seed, request, "latency")))
        return wait

    def fault(self, request: str, number: int) -> str:
        """The fault that this request meets, or ""."""
        if str(number) in self.faults_at:
            return self.faults_at[str(number)]
        return self.pick(self.faults, request, "fault")

    def odd(self, request: str, messages: list) -> str:
        """What is odd about the answer to this request, or ""."""
        worded = [odd for word, odd in self.odd_words.items() if any(word in text["content"] for text in messages)]
        return next(iter(worded), "") or self.pick(self.odd_answers, request, "odd") or self.played.thinks

    def pick(self, rates: dict, request: str, what: str) -> str:
        left = chance(self.seed, request, what) if rates else 1
        for name, rate in rates.items():
            left -= rate
            if left < 0:
                return name
        return ""


SETTINGS = {setting.name: setting for setting in dataclasses.fields(Behaviour)}


def check_fault(where: str, fault: str, known: dict) -> None:
    status = known is WIRE and fault.isdigit() and 400 <= int(fault) <= 599
    if fault and fault not in known and not status:
        raise ValueError(f"{where}: unknown fault {fault!r}, expected a status from 400 or one of {', '.join(known)}")


def chance(seed: int, request: str, what: str) -> float:
    """A number between 0 and 1, both excluded, that depends on nothing but its arguments."""
    digest = hashlib.blake2b(f"{seed}/{what}/{request}".encode(), digest_size=7).digest()
    return (int.from_bytes(digest) + 0.5) / 2**56
