"""What a responder said, as a row: the text as it came, its tokens, why it ended, and whether it was cut off."""

LENGTH = "length"  # the finish reason of an answer that met the limit of tokens


def said(question: dict, answer, responder: str, prompt: str) -> dict:
    """What responses and closed-book answers have in common; `prompt` is the digest of what was asked."""
    row = {name: question[name] for name in ("question_id", "doc_id")}
    row |= {"text": _writable(answer.text or ""), "finish_reason": answer.finish_reason}
    row |= {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens}
    return row | {"truncated": answer.finish_reason == LENGTH, "responder": responder, "prompt": prompt}


def _writable(text):
    """Half of a surrogate pair is no text; everything else stays as it came."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
