"""How providers of OpenAI's protocol differ from its reference, as their documentation and their clients' users tell:
which parameters they refuse or ignore, in what words and shape, how they end an answer, and where thoughts go.

The loopback server behaves as the one that it is told to play. What is played is the protocol, not the model.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from tools.provider.http import Refused


def plainly(refused: Refused):
    """OpenAI's own form."""
    return refused.body


def flat(refused: Refused):
    """As vLLM put it for years: no `error` around it, and the status as the code."""
    return {"object": "error", "type": "BadRequestError", "code": refused.status, **_words(refused), "param": None}


def short(refused: Refused):
    return {"error": {**_words(refused), "type": "invalid_request_error"}}


def numbered(refused: Refused):
    return {"error": {"code": refused.status, **_words(refused), "type": "invalid_request_error"}}


def in_a_list(refused: Refused):
    status = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}.get(refused.status, "INTERNAL")
    return [{"error": {"code": refused.status, **_words(refused), "status": status}}]


def checked(refused: Refused):
    """A checker of types: where, and what is wrong there."""
    if refused.body["error"]["param"] in (None, "prompt"):
        return {"object": "error", **_words(refused), "type": "invalid_request_error", "param": None, "code": "3051"}
    place = ["body", refused.body["error"]["param"]]
    found = [{"type": "extra_forbidden", "loc": place, "msg": "Extra inputs are not permitted", "input": 1}]
    return {"object": "error", "message": {"detail": found}, "type": "invalid_request_error", "param": None}


def typed(refused: Refused):
    kind = {429: "rate_limit_error", 529: "overloaded_error"}.get(refused.status, "invalid_request_error")
    return {"error": {"code": kind, **_words(refused), "type": kind, "param": None}}


def _words(refused):
    return {"message": refused.body["error"]["message"]}


@dataclass(frozen=True)
class Manners:
    refuses: tuple = ()  # parameters, or "system"
    words: str = "Unsupported parameter: '{name}' is not supported with this model."
    own_words: dict = field(default_factory=dict)  # for some parameters
    shape: Callable[[Refused], object] = plainly
    status: int = 400  # of a refused parameter
    most_samples: int = 128
    ignores_n: bool = False
    ends: dict = field(default_factory=dict)  # stop, length, content_filter -> its words
    too_long: str = "This model's maximum context length is {most} tokens. However, your messages resulted in {size}."
    thinks: str = ""  # the odd answer (behaviour.ODD) that is its usual one
    extra: dict = field(default_factory=dict)  # further fields of each message

    def refusal(self, name: str) -> Refused:
        words = self.own_words.get(name, self.words).format(name=name)
        return Refused(self.status, words, code="unsupported_parameter", param=name)

    def body(self, refused: Refused) -> bytes:
        return json.dumps(self.shape(refused)).encode()


ONE = "Only one completion choice is allowed"
PROVIDERS = {
    "openai": Manners(),
    "openai_reasoning": Manners(
        refuses=("max_tokens", "temperature", "top_p"),
        words="Unsupported value: '{name}' does not support 0.7 with this model. Only the default value is supported.",
        own_words={
            "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model."
            " Use 'max_completion_tokens' instead."
        },
    ),
    "azure": Manners(extra={"content_filter_results": {"hate": {"filtered": False, "severity": "safe"}}}),
    "together": Manners(
        ends={"stop": "eos"},
        too_long="Input validation error: `inputs` tokens + `max_new_tokens` must be <= {most}. Given: {size}",
        shape=short,
    ),
    "groq": Manners(
        refuses=("frequency_penalty",),
        words="property '{name}' is unsupported",
        own_words={"n": "'n' : number must be at most 1"},
        most_samples=1,
        shape=short,
        thinks="thoughts",
    ),
    "mistral": Manners(
        refuses=("seed", "max_completion_tokens"),
        shape=checked,
        status=422,
        ends={"length": "model_length"},
        thinks="parts",
    ),
    "anthropic": Manners(
        most_samples=1,
        own_words={"n": "n: must be 1"},
        shape=typed,
        ends={"stop": "end_turn", "length": "max_tokens"},
        too_long="prompt is too long: {size} tokens > {most} maximum",
    ),
    "gemini": Manners(
        refuses=("seed", "frequency_penalty"),
        words='Invalid JSON payload received. Unknown name "{name}": Cannot find field.',
        shape=in_a_list,
        ends={"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"},
        too_long="The input token count ({size}) exceeds the maximum number of tokens allowed ({most}).",
        thinks="hidden",
    ),
    "vllm": Manners(
        refuses=("system",),
        words="System role not supported",
        shape=flat,
        extra={"reasoning_content": None},
        too_long="This model's maximum context length is {most} tokens. Please reduce the messages ({size}).",
    ),
    "llama_cpp": Manners(
        most_samples=1,
        own_words={"n": ONE},
        shape=numbered,
        too_long="the request exceeds the available context size, try increasing it ({size} > {most} tokens)",
        thinks="thoughts",
    ),
    "ollama": Manners(ignores_n=True, shape=short, thinks="thoughts"),
    "deepseek": Manners(extra={"reasoning_content": "Let me see."}, ends={"length": "length"}, ignores_n=True),
}
