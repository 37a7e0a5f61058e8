"""A response as a row: the text as it came, its tokens, why it ended, and whether it was cut off."""

from ragassay.llm.parsers.result import Abstain, answer_part
from ragassay.text import surrogates

LENGTH = "length"  # the finish reason of an answer that met the limit of tokens


def said(question: dict, answer, responder: str, prompt: str) -> dict:
    """What responses and closed-book answers have in common; `prompt` is the digest of what was asked."""
    row = {name: question[name] for name in ("question_id", "doc_id")}
    row |= {"text": surrogates.replaced(answer.text or ""), "finish_reason": answer.finish_reason}
    row |= {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens}
    row |= {"detail": answer.detail or None, "truncated": answer.finish_reason == LENGTH}
    return row | {"responder": responder, "prompt": prompt}


def count(question: dict, answer, tally) -> None:
    """Tell the tally whether there is a text that could be judged. One that was cut off can be."""
    tally.hear(question["doc_id"], [answer])
    part = answer_part(answer.text, answer.finish_reason)
    if isinstance(part, Abstain):
        tally.reject(question["question_id"], part.reason, answer.detail, answer)
    else:
        tally.keep()
