"""Read a chat completion: its answers, why each ended, its tokens, and the name that it gives the model. Whatever can
be understood without a guess is read: streams that nobody asked for, choices without an index, counts that are none.
Reasoning before the answer is never part of it. Finish reasons become stop, length or content_filter; an unknown one
counts as a stop if there is a text."""

import json
from collections.abc import Callable

from ragassay.base.stage import log
from ragassay.base.terminal import printable, shown
from ragassay.calls.model import Answer, Failure, Usage
from ragassay.text.characters import replaced

LARGEST_CONTEXT = 10_000_000  # tokens
LONGEST_REASONING = 1_000_000  # tokens that are billed for a choice and do not stand in the reply
STREAM_STARTS = ("data:", "event:", ":")  # the last one is a comment, sent to keep the connection open
OPENING = ("<think>", "<thinking>", "<thought>")
CLOSING = ("</think>", "</thinking>", "</thought>")
BROKEN_OFF = "error"
NAMES = {
    "stop": "stop stopped stop_sequence eos eos_token end end_turn end_of_turn complete completed done finish finished"
    " tool_calls tool_call tool_use function_call",
    "length": "length max_tokens max_output_tokens max_length model_length token_limit limit truncated incomplete"
    " model_context_window_exceeded context_length_exceeded",
    "content_filter": "content_filter content_filtered content_blocked filtered refusal safety prohibited_content"
    " recitation blocklist spii sensitive language violation",
    BROKEN_OFF: "error abort aborted cancelled canceled failed malformed_function_call insufficient_system_resource"
    " network_error timeout",
}
MEANING = {name: meaning for meaning, names in NAMES.items() for name in names.split()}
_unknown_names = set()  # those that were logged
leniently = json.JSONDecoder(strict=False).decode


def completion(body: str, error_in: Callable[[object, bool], Failure]) -> tuple[list[Answer], Usage]:
    """Raises Failure. `error_in` makes one of an error that a reply holds, and of whether it may be billed."""
    reply = _reply(body)
    choices = reply.get("choices")
    try:
        if not choices and (reason := _blocked(reply)):
            detail = f"the provider blocked the prompt: {shown(reason)}"
            raise Failure("blocked", detail, again=False, refused="refusal")
        if error := _error(reply, choices or []):
            raise error_in(error, bool(choices or reply.get("usage")))
        if not isinstance(choices, list):
            raise KeyError("choices")
        places = [choice.get("index") for choice in choices]
        in_order = sorted(range(len(choices)), key=lambda n: places[n] if isinstance(places[n], int) else n)
        answers = [_answer(choices[number]) for number in in_order]
        return answers, _usage(reply, len(body), len(answers))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        fields = ", ".join(map(repr, list(reply)[:8])) or "none"
        detail = f"the reply is no chat completion ({type(error).__name__}: {error}); found the fields {fields},"
        detail += f" expected choices with a message each; it begins {body[:80]!r}"
        raise Failure("no chat completion", detail, again=True, lost=True, refused="provider_error") from error


def _reply(body):
    text = body.lstrip("\ufeff \t\r\n")
    streamed = text.startswith(STREAM_STARTS)

    def failure(kind, problem, refused="provider_error", patience=2):
        detail = f"the reply is no {problem}; it begins {text[:80]!r}"
        return Failure(kind, detail, again=True, lost=True, refused=refused, patience=patience)

    try:
        reply = _whole_stream(text) if streamed else _parsed(text)
    except (RecursionError, KeyError, TypeError, AttributeError) as error:
        problem = f"chat completion ({type(error).__name__}: {str(error)[:80]})"
        raise failure("no chat completion", problem) from error
    except ValueError as error:
        if text.startswith("<"):
            raise failure("web page", "chat completion but a web page", patience=8) from error
        if streamed or not text or (text.startswith(("{", "[")) and not text.rstrip().endswith("}")):
            raise failure("cut off", "whole chat completion, it breaks off", refused="") from error
        raise failure("no JSON", f"chat completion: it is no JSON ({error})", patience=8) from error
    if isinstance(reply, list) and len(reply) == 1:
        [reply] = reply
    if not isinstance(reply, dict):
        raise failure("no chat completion", f"chat completion but a {type(reply).__name__}")
    return reply


def _parsed(text):
    """The value of a JSON text, also where line ends stand unescaped in it or a number has thousands of digits."""
    try:
        return leniently(text)
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            raise
        return json.loads(text, strict=False, parse_int=float)


def _whole_stream(body):
    """The reply that a stream stands for, or its error; ValueError if the stream broke off."""
    lines = [line.removeprefix("data:").strip() for line in body.splitlines() if line.startswith("data:")]
    events = [_parsed(line) for line in lines if line != "[DONE]"]
    reply, choices = {}, {}
    for event in events:
        if event.get("error"):
            return {"error": event["error"], "usage": event.get("usage") or choices}
        reply |= {name: value for name, value in event.items() if value is not None}  # usage comes with the last one
        for piece in event.get("choices") or []:
            index, delta = piece.get("index") or 0, piece.get("delta") or {}
            choice = choices.setdefault(index, {"index": index, "message": {"content": ""}, "finish_reason": None})
            choice["message"]["content"] += delta.get("content") or ""
            choice["finish_reason"] = piece.get("finish_reason") or choice["finish_reason"]
            choice["error"] = piece.get("error")
    if lines[-1:] != ["[DONE]"] or not all(choice["finish_reason"] for choice in choices.values()):
        raise ValueError("the stream broke off")
    return reply | {"choices": list(choices.values())}


def _error(reply, choices):
    """The error that a reply holds in place of its answers; beside answers that came to their end it is none."""
    if reply.get("error"):
        ends = [choice.get("finish_reason") for choice in choices]
        if not ends or not all(ends) or BROKEN_OFF in map(meaning, ends, ends):
            return reply["error"]
    errors = [choice.get("error") for choice in choices]
    return errors[0] if errors and all(errors) else None


def _blocked(reply):
    """Why the prompt was blocked, as Gemini says it."""
    feedback = reply.get("promptFeedback") or reply.get("prompt_feedback")
    return feedback.get("blockReason") or feedback.get("block_reason") if isinstance(feedback, dict) else None


def _answer(choice):
    if choice.get("error"):
        return Answer("", BROKEN_OFF)
    message, end = choice.get("message"), choice.get("finish_reason")
    if message is None and meaning(end, "") == "content_filter":
        return Answer("", "content_filter")
    text = answer_in(message.get("content")) or answer_in(message.get("refusal"))
    return Answer(replaced(text), meaning(end, text))


def answer_in(content) -> str:
    """The answer in a message's content: a text, nothing, or parts. Raises TypeError if it is something else."""
    if isinstance(content, list):
        content = "".join(_part(part) for part in content)
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TypeError("the answer is not a text")
    return _without_reasoning(content)


def _part(part):
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(kind, str) and kind not in ("text", "output_text"):  # reasoning, references, ...
        return ""
    if not (isinstance(kind, str) and isinstance(part.get("text"), str)):
        raise TypeError("a part of the answer is not a text")
    return part["text"]


def _without_reasoning(text):
    """What follows the first closing tag, unless an answer stands in front of it; nothing if no tag closes."""
    begins = text.lstrip()
    opened = begins.startswith(OPENING)
    ends = [(at, tag) for tag in CLOSING if (at := text.find(tag)) >= 0]
    if ends and (opened or not any(tag in text[: min(ends)[0]] for tag in OPENING)):
        at, tag = min(ends)
        return text[at + len(tag) :].lstrip()
    return "" if opened else text


def meaning(name: str | None, text: str) -> str:
    """What a server's word for the end of `text` means; no word at all is a stop."""
    if not name:
        return "stop"
    standard = MEANING.get(str(name).partition(":")[0].strip().lower().removeprefix("finish_reason_"))
    if standard or not text:
        return standard or str(name)
    if name not in _unknown_names:
        _unknown_names.add(name)
        log.info("the finish reason %.40r of an answer is unknown; answers with it count as whole (stop)", name)
    return "stop"


def _usage(reply, size, choices):
    """Counts that are no numbers, or more than the reply and the largest model can hold, are as good as none."""
    served = printable(str(reply.get("model") or "")[:200])
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    prompt, written, total = (_count(usage.get(f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    # Some count reasoning, which are billed, in the total alone.
    written = max(written, total - prompt)
    if prompt > LARGEST_CONTEXT or written > size + LONGEST_REASONING * max(1, choices):
        return Usage(served=served)
    return Usage(prompt, min(cached, prompt), written, served)


def _count(value):
    """A count of tokens; what is none is 0, as if it were missing."""
    try:
        return max(0, int(value or 0))
    except (ValueError, TypeError, OverflowError):  # words, lists, NaN, infinity
        return 0
