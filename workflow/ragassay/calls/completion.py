"""Read a chat completion: its answers, the tokens that it counts and the name that it gives the model.

Servers differ, so whatever can be understood without a guess is read: a byte order mark, a stream that nobody asked
for, choices without an index, counts that are none. What came whole and is no completion is worth one more try at most;
a reply that breaks off may arrive whole the next time.
"""

from collections.abc import Callable

from ragassay.base.errors import printable, shown
from ragassay.calls import streamed
from ragassay.calls.finish_reasons import BROKEN_OFF, meaning
from ragassay.calls.model import Answer, Failure, Usage
from ragassay.calls.streamed import parsed
from ragassay.calls.thoughts import spoken

LARGEST_CONTEXT = 10_000_000  # tokens
LONGEST_THOUGHTS = 1_000_000  # tokens that are billed for a choice and do not stand in the reply


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
        in_order = sorted(enumerate(choices), key=lambda pair: _place(*pair))
        answers = [_answer(choice) for _, choice in in_order]
        return answers, _usage(reply, len(body), len(answers))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        fields = ", ".join(map(repr, list(reply)[:8])) or "none"
        detail = f"the reply is no chat completion ({type(error).__name__}: {error}); found the fields {fields},"
        detail += f" expected choices with a message each; it begins {body[:80]!r}"
        raise Failure("no chat completion", detail, again=True, lost=True, refused="provider_error") from error


def _reply(body):
    text = body.lstrip("\ufeff \t\r\n")
    begins, paid = f"it begins {text[:80]!r}", {"again": True, "lost": True}
    try:
        reply = streamed.whole(text) if streamed.is_streamed(text) else parsed(text)
    except (RecursionError, KeyError, TypeError, AttributeError) as error:
        detail = f"the reply is no chat completion ({type(error).__name__}: {str(error)[:80]}); {begins}"
        raise Failure("no chat completion", detail, **paid, refused="provider_error") from error
    except ValueError as error:
        if text.startswith("<"):
            detail = f"the reply is no chat completion but a web page; {begins}"
            raise Failure("web page", detail, **paid, refused="provider_error", patience=8) from error
        if streamed.is_streamed(text) or not text or (text.startswith(("{", "[")) and not text.rstrip().endswith("}")):
            detail = f"the reply is no whole chat completion, it breaks off; {begins}"
            raise Failure("cut off", detail, **paid) from error
        detail = f"the reply is no chat completion: it is no JSON ({error}); {begins}"
        raise Failure("no JSON", detail, **paid, refused="provider_error", patience=8) from error
    if isinstance(reply, list) and len(reply) == 1:
        [reply] = reply
    if not isinstance(reply, dict):
        detail = f"the reply is no chat completion but a {type(reply).__name__}; {begins}"
        raise Failure("no chat completion", detail, **paid, refused="provider_error")
    return reply


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


def _place(number, choice):
    index = choice.get("index")
    return index if isinstance(index, int) else number


def _answer(choice):
    if choice.get("error"):
        return Answer("", BROKEN_OFF)
    message, end = choice.get("message"), choice.get("finish_reason")
    if message is None and meaning(end, "") == "content_filter":
        return Answer("", "content_filter")
    text = spoken(message.get("content")) or spoken(message.get("refusal"))
    if not text.isascii() and "\\ud" in ascii(text):  # half of a pair, which no file can hold
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return Answer(text, meaning(end, text))


def _usage(reply, size, choices):
    """Counts that are no numbers, or more than the reply and the largest model can hold, are as good as none."""
    served = printable(str(reply.get("model") or "")[:200])
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    prompt, written, total = (_count(usage.get(f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    # Some count thoughts, which are billed, in the total alone.
    written = max(written, total - prompt)
    if prompt > LARGEST_CONTEXT or written > size + LONGEST_THOUGHTS * max(1, choices):
        return Usage(served=served)
    return Usage(prompt, min(cached, prompt), written, served)


def _count(value):
    """A count of tokens; what is none is 0, as if it were not told."""
    try:
        return max(0, int(value or 0))
    except (ValueError, TypeError, OverflowError):  # words, lists, NaN, infinity
        return 0
