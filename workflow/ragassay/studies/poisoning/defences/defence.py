"""Defences look at what was retrieved for a question and remove what they hold for poison. Each is a module of
`ragassay.studies.poisoning.defences.kinds` that has one of two functions, which get the passages of one question, best
first:

    judge(passages, settings) -> judgements            one `Judgement` for each
    scores(passages, settings) -> {criterion: scores}  a passage is removed if one of its scores reaches the threshold

A passage is a row of the table retrieved with `text` and `question`, and what the module names in `NEEDS`, or in
`needs(settings)`: `scores`, a row of passage_scores, and `vector`, of length 1, from the retriever's encoder.
`SETTINGS` names its settings with their defaults.

Thresholds come from clean text. `CRITERIA` says which for each criterion: a `sample` of passages, or those `found`
for calibration queries. A module with a `judge` may have `fit(null, settings) -> settings`, which are what it
learns there. What was fitted stands in the settings as `fitted`. A module with `scores` looks at each passage by
itself, unless it has `COMPARES`: then its scores depend on the others that the question finds.

A defence may ask models, too, with the prompts that it names in `PROMPTS`:

    answer(question, passages, ask, settings) -> answer    a coroutine; `ask` is an `Asker` of the responder
    rewritten(answer, question) -> question                reads the answer to its one `PROMPT`, before any search

The first k that are left are answered from. A defence whose settings have `doublings` looks at twice as many
passages if none is left, at most so often.
"""

from collections.abc import Iterator

from ragassay.studies.poisoning.defences import thresholds
from ragassay.studies.poisoning.defences.judgement import Judgement
from ragassay.studies.poisoning.defences.modules import KINDS, module
from ragassay.studies.poisoning.defences.null import Null

__all__ = ["KINDS", "SCORES", "VECTORS", "compares", "filtered", "fit", "is_fitted", "judge", "module", "needs"]

SCORES, VECTORS = "scores", "vectors"  # what one may need


def needs(kind: str, settings: dict) -> tuple[str, ...]:
    """What it looks at beside the passages: SCORES, VECTORS."""
    own = module(kind)
    return own.needs(settings) if hasattr(own, "needs") else getattr(own, "NEEDS", ())


def is_fitted(kind: str) -> bool:
    """Whether a defence of this kind needs clean text before it can judge."""
    return hasattr(module(kind), "scores") or hasattr(module(kind), "fit")


def compares(kind: str) -> bool:
    """Whether what it says of a passage depends on the others that the question finds."""
    own = module(kind)
    return not hasattr(own, "scores") or getattr(own, "COMPARES", False)


def fit(kind: str, null: Null, settings: dict) -> dict:
    """What a defence learns from clean text, for its setting `fitted`."""
    own = module(kind)
    return thresholds.fit(own, null, settings) if hasattr(own, "scores") else own.fit(null, settings)


def judge(kind: str, passages: list[dict], settings: dict) -> list[Judgement]:
    """One judgement for each passage."""
    own = module(kind)
    return thresholds.judge(own, passages, settings) if hasattr(own, "scores") else own.judge(passages, settings)


def filtered(kind: str, passages: list[dict], k: int, depth: int, settings: dict) -> Iterator[dict]:
    """The rows of the table filtered for one question. `passages` may be more than `depth`, for doublings."""
    seen, looked, shown = 0, depth, 0
    for _ in range(1 + settings.get("doublings", 0)):
        block = passages[seen:looked]
        for passage, judgement in zip(block, judge(kind, block, settings) if block else [], strict=True):
            is_shown = not judgement.removed and shown < k
            shown += is_shown
            own = {"target_id": passage["target_id"], "rank": passage["rank"], "passage_id": passage["passage_id"]}
            yield own | judgement.row() | {"shown": shown if is_shown else None}
        if shown:
            return
        seen, looked = looked, 2 * looked
