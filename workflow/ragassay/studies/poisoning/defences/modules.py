"""Where kinds of defences are, and which of them ask models. Loads a kind alone, so that a job that asks needs no more
than that.
"""

from ragassay.base import variants

KINDS = "ragassay.studies.poisoning.defences.kinds"


def module(kind: str, place: str = "defences"):
    return variants.load(KINDS, kind, place)


def asks(kind: str) -> bool:
    """Whether it takes part in answering."""
    return hasattr(module(kind), "answer")


def rewrites(kind: str) -> bool:
    """Whether it puts questions in other words before they are searched for."""
    return hasattr(module(kind), "rewritten")


def prompts(kind: str) -> tuple[str, ...]:
    """The prompts that it asks responders with, beside the one that all are asked with."""
    return module(kind).PROMPTS if asks(kind) else ()
