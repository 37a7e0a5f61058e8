"""The answered prompts of a study, each once however many conditions show it."""

from typing import NamedTuple

from ragassay.base import tables
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.probes import PROMPT_ANSWERS, PROMPT_PAIRS


class Asked(NamedTuple):
    target_id: str
    question: str
    passages: tuple[str, ...]
    answer: str  # empty if there is none


def asked_once(targets, prompt_pairs, prompt_answers) -> tuple[list[tuple[dict, Asked]], list[Asked]]:
    """The key of each row of both tables with what was asked, and the same without repetition."""
    questions = {
        row["target_id"]: row["question"]
        for row in tables.read(TARGETS, targets, ["target_id", "question"]).to_pylist()
    }
    pairs = tables.read(PROMPT_PAIRS, prompt_pairs, ["target_id", "condition", "side", "passages"]).to_pylist()
    answers = tables.read(PROMPT_ANSWERS, prompt_answers, ["text"])["text"].to_pylist()
    found = []
    for row, answer in zip(pairs, answers, strict=True):  # tables have one order
        name, passages = row["target_id"], tuple(row.pop("passages"))
        found.append((row, Asked(name, questions[name], passages, answer or "")))
    return found, list(dict.fromkeys(asked for _, asked in found))
