"""What defences cost for each question, counted: passages that they look at, how often a language model runs for these,
and what they ask the responder. Milliseconds depend on the machine: see the benchmark.
"""

from collections.abc import Iterator

from ragassay.studies.poisoning.measures.detection import SECTION


def cost_rows(keys: dict, filtered, questions: int, forwards: int) -> Iterator[dict]:
    """`forwards` is how often a model runs for a passage before it can be judged. Those of clean passages are stored
    once, so that this is the most.
    """
    looked = len(filtered) / questions if questions else 0.0
    yield from SECTION.rows("costs", keys, {"passages": looked, "forwards": looked * forwards}, questions)


def asking_rows(keys: dict, own) -> Iterator[dict]:
    """Answers of the model for each question, of which a defence takes all but one, and the tokens of these."""
    yield SECTION.row("calls", keys, "calls", own["calls"].mean(), len(own))
    known = own["tokens"].dropna()
    if len(known):
        yield SECTION.row("calls", keys, "tokens", known.mean(), len(known))
