"""Chat completions as the loopback server gives them: what a request may hold, what it is answered, what that costs.

Answers are canned or come from a Python function; tokens are counted as four characters each, which is near enough to
test arithmetic with. Does not stream, call tools or return log probabilities.
"""

import importlib
import json
import time
import traceback
from dataclasses import dataclass, field

from tools.provider.behaviour import Behaviour, chance
from tools.provider.http import Refused
from tools.provider.log import digest
from tools.provider.spoilt import SPOILT, spoilt

CHARACTERS = 4  # a token
BLOCK = 128  # tokens; prompts are cached in such steps
MOST_BLOCKS = 200_000  # remembered of all prompts together
LEAST_CACHED = 1024  # tokens of the shortest common start of prompts that counts as cached
THOUGHT = "Let me see. The answer is: yes. Or is it? The answer is: no."  # which is not the answer
THOUGHTFUL = ("thoughts", "unclosed", "parts")
HUGE = 50_000_000
SAMPLING = ("temperature", "top_p", "max_tokens", "seed", "stop")


@dataclass(slots=True)
class Completion:
    """A generated answer: the reply's JSON and what is billed for it."""

    body: bytes
    samples: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    odd: str = ""
    status: int = 200
    headers: dict = field(default_factory=dict)

    def bill(self) -> dict:
        return {
            "billed": 1,
            "samples": self.samples,
            "prompt_tokens": self.prompt_tokens,
            "cached_tokens": self.cached_tokens,
            "completion_tokens": self.completion_tokens,
        }


def tokens(text: str) -> int:
    return (len(text) + CHARACTERS - 1) // CHARACTERS


def refuse_unless(right: bool, param: str, expected: str, found) -> None:
    if not right:
        raise Refused(400, f"Invalid '{param}': expected {expected}, got {str(found)[:80]!r}.", param=param)


def check(body, behaviour: Behaviour) -> int:
    """Refuse what the real endpoint would refuse too; how many tokens the prompt has."""
    refuse_unless(isinstance(body, dict), "body", "a JSON object", body)
    messages = body.get("messages")
    refuse_unless(isinstance(messages, list) and messages, "messages", "a list that is not empty", messages)
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        refuse_unless(isinstance(message, dict), where, "an object", message)
        refuse_unless(message.get("role") in ("system", "user", "assistant"), f"{where}.role", "a role", message)
        refuse_unless(isinstance(message.get("content"), str), f"{where}.content", "a string", message.get("content"))
    n, most = body.get("n", 1), body.get("max_tokens", body.get("max_completion_tokens", 1))
    refuse_unless(type(n) is int and 1 <= n <= 128, "n", "an integer from 1 to 128", n)
    refuse_unless(type(most) is int and most >= 1, "max_tokens", "an integer of at least 1", most)
    refuse_unless(not body.get("stream"), "stream", "false, since this server does not stream", True)
    for name, highest in (("temperature", 2), ("top_p", 1)):
        value = body.get(name, 1)
        refuse_unless(
            type(value) in (int, float) and 0 <= value <= highest, name, f"a number from 0 to {highest}", value
        )
    stop = body.get("stop") or []
    stops = [stop] if isinstance(stop, str) else stop
    right = isinstance(stops, list) and all(isinstance(text, str) for text in stops)
    refuse_unless(right, "stop", "a string or a list of strings", stop)
    model = body.get("model")
    refuse_unless(isinstance(model, str) and model, "model", "a name", model)
    if behaviour.models and model not in behaviour.models:
        raise Refused(404, f"The model '{model}' does not exist.", code="model_not_found", param="model")
    refuse_unless(n <= behaviour.most_samples, "n", f"at most {behaviour.most_samples}", n)
    if n > (played := behaviour.played).most_samples:
        raise played.refusal("n")
    roles = {message["role"] for message in messages}
    for name in played.refuses:
        if name in body or name in roles & {"system"}:
            raise played.refusal(name)
    for name in behaviour.unsupported:
        if name in roles & {"system"}:
            raise Refused(400, "System role not supported" + behaviour.error_text)
        if name in body:
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            raise Refused(400, message + behaviour.error_text, code="unsupported_parameter", param=name)
    for word, status in behaviour.refused_words.items():
        if any(word in message["content"] for message in messages):
            message = "The prompt triggered the content management policy." + behaviour.error_text
            raise Refused(status, message, code="content_filter", param="prompt")
    size = 3 + sum(tokens(message["content"]) + 4 for message in messages)
    if size > behaviour.context_tokens:
        message = f"The messages have {size} tokens, the context of this model has {behaviour.context_tokens}."
        if behaviour.manners != "openai":
            message = played.too_long.format(size=size, most=behaviour.context_tokens)
        raise Refused(400, message, code="context_length_exceeded", param="messages")
    return size


class Model:
    """Answers checked requests. Remembers prompts, for what is cached and for which samples a prompt already had."""

    def __init__(self):
        self.blocks = set()  # starts of prompts that were seen
        self.given = {}  # prompt -> samples generated so far
        self.functions = {"echo": None}

    def function(self, name: str):
        """The function that answers, from "module:function"."""
        if name not in self.functions:
            module, _, attribute = name.partition(":")
            try:
                self.functions[name] = getattr(importlib.import_module(module), attribute)
            except (ImportError, AttributeError, ValueError) as error:
                raise ValueError(f"respond: {name!r} cannot be imported ({error}), expected module:function") from error
        return self.functions[name]

    def complete(self, body: dict, size: int, prompt: str, request: str, behaviour: Behaviour, name: str) -> Completion:
        """The completion of a checked body with `size` tokens; `prompt` is the digest of its messages."""
        odd, n = behaviour.odd(request, body["messages"]), body.get("n", 1)
        if odd == "fewer" and n > 1:
            n = 1 + int((n - 1) * chance(behaviour.seed, request, "fewer"))
        played = behaviour.played
        n = {"ignore_n": 1, "none": 0}.get(odd, 1 if played.ignores_n else n)
        sampling = {key: body[key] for key in SAMPLING if body.get(key) is not None}
        if "max_completion_tokens" in body:
            sampling["max_tokens"] = body["max_completion_tokens"]
        first = 0
        if behaviour.fresh_samples:
            first = self.given.get(prompt, 0)
            self.given[prompt] = first + n
        choices, written = [], 0
        for index in range(n):
            text = self.text(body["messages"], sampling, first + index, prompt, behaviour)
            text, finish = (text, "stop") if odd == "too_long" else limited(text, sampling)
            finish = behaviour.finish if finish == "stop" else finish
            message = {"role": "assistant", "content": text, "refusal": None}
            if odd == "length":
                message["content"], finish = text[: len(text) // 2], "length"
            elif odd in ("filter", "empty"):
                message["content"], finish = "", "content_filter" if odd == "filter" else finish
            elif odd in ("null", "refusal"):
                message["content"] = None
                message["refusal"] = "I cannot help with this." if odd == "refusal" else None
            elif odd in ("thoughts", "unclosed", "parts"):
                message["content"], finish = with_thoughts(odd, text, finish)
                text = json.dumps(message["content"])
            written += tokens(text if odd in THOUGHTFUL else message["content"] or message["refusal"] or "")
            finish = played.ends.get(finish, finish)
            message |= played.extra
            choices.append({"index": index, "message": message, "logprobs": None, "finish_reason": finish})
        hidden = tokens(THOUGHT) * n if odd == "hidden" else 0
        cached = self.cached(body["messages"])
        reply = {
            "id": f"chatcmpl-{name}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body["model"],
            "choices": choices,
            "usage": {
                "prompt_tokens": size,
                "completion_tokens": written,
                "total_tokens": size + written + hidden,
                "prompt_tokens_details": {"cached_tokens": cached},
            },
            "system_fingerprint": "fp_loopback",
        }
        spoil(reply, odd)
        status, headers, sent = spoilt(odd, reply) if odd in SPOILT else (200, {}, json.dumps(reply).encode())
        return Completion(sent, n, size, cached, written + hidden, odd, status, headers)

    def text(self, messages: list, sampling: dict, index: int, prompt: str, behaviour: Behaviour) -> str:
        if behaviour.texts:
            return behaviour.texts[(int(prompt[:8], 16) + index) % len(behaviour.texts)]
        respond = self.function(behaviour.respond)
        if respond is None:
            return f"echo {digest([prompt, index])}"
        try:
            return respond(messages, sampling, index)
        except Exception as error:
            traceback.print_exc()
            raise Refused(500, f"{behaviour.respond} failed: {error!r}", "server_error") from error

    def cached(self, messages: list) -> int:
        """How many tokens at the start of this prompt were the start of an earlier one, in whole blocks."""
        text = "".join(message["role"] + "\0" + message["content"] + "\0" for message in messages)
        found, start, seen = 0, 0, True
        for end in range(BLOCK * CHARACTERS, len(text) + 1, BLOCK * CHARACTERS):
            start = hash((start, text[end - BLOCK * CHARACTERS : end]))
            seen = seen and start in self.blocks
            found += BLOCK * seen
            self.blocks.add(start)
        if len(self.blocks) > MOST_BLOCKS:
            self.blocks.clear()
        return found if found >= LEAST_CACHED else 0


def spoil(reply: dict, odd: str) -> None:
    """What may be odd about a reply beside its texts."""
    if odd == "no_usage":
        del reply["usage"]
    elif odd == "negative_usage":
        reply["usage"] = dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), -1)
    elif odd == "same_index":
        for choice in reply["choices"]:
            choice["index"] = 0
    elif odd == "renamed":
        reply["model"] += "-0613"
    elif odd == "huge":
        reply["padding"] = "x" * HUGE


def with_thoughts(odd: str, text: str, finish: str) -> tuple:
    """Content that holds thoughts, and why it ends."""
    if odd == "unclosed":
        return f"<think>\n{THOUGHT}", "length"
    if odd == "parts":
        thoughts = {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}
        return [thoughts, {"type": "text", "text": text}], finish
    return f"<think>\n{THOUGHT}\n</think>\n\n{text}", finish


def limited(text: str, sampling: dict) -> tuple[str, str]:
    """The text up to the first stop sequence and the most tokens, and why it ends there."""
    stops = sampling.get("stop") or []
    for stop in [stops] if isinstance(stops, str) else stops:
        text = text.partition(stop)[0] if stop else text
    most = sampling.get("max_tokens")
    if most and tokens(text) > most:
        return text[: most * CHARACTERS], "length"
    return text, "stop"
