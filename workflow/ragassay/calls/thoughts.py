"""What a reasoning model thought before it answered, which is never part of the answer.

Most servers send thoughts in a field of their own, which is not read. Some leave them in the text, between tags, the
first of which may stand in the prompt; others send parts, of which some are thoughts.
"""

OPENING = ("<think>", "<thinking>", "<thought>")
CLOSING = ("</think>", "</thinking>", "</thought>")


def spoken(content) -> str:
    """The answer in a message's content: a text, nothing, or parts. Raises TypeError if it is something else."""
    if isinstance(content, list):
        content = "".join(_part(part) for part in content)
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TypeError("the answer is not a text")
    return _behind_thoughts(content)


def _part(part):
    if not isinstance(part, dict) or not isinstance(kind := part.get("type"), str):
        raise TypeError("a part of the answer is not a text")
    if kind not in ("text", "output_text"):  # thoughts, references, ...
        return ""
    if not isinstance(part.get("text"), str):
        raise TypeError("a part of the answer is not a text")
    return part["text"]


def _behind_thoughts(text):
    """What follows the first closing tag, unless an answer stands in front of it; nothing if thoughts do not end."""
    begins = text.lstrip()
    opened = begins.startswith(OPENING)
    ends = [(at, tag) for tag in CLOSING if (at := text.find(tag)) >= 0]
    if ends and (opened or not any(tag in text[: min(ends)[0]] for tag in OPENING)):
        at, tag = min(ends)
        return text[at + len(tag) :].lstrip()
    return "" if opened else text
