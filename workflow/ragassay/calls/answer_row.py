"""What every table of answers says of one: the text as it came, its tokens, why it ended, whether it was cut off."""

from ragassay.text import surrogates

LENGTH = "length"  # the finish reason of an answer that met the limit of tokens


def said(answer, responder: str, prompt: str) -> dict:
    """`prompt` is the digest of what was asked."""
    row = {"text": surrogates.replaced(answer.text or ""), "finish_reason": answer.finish_reason}
    row |= {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens}
    row |= {"detail": answer.detail or None, "truncated": answer.finish_reason == LENGTH}
    return row | {"responder": responder, "prompt": prompt}
