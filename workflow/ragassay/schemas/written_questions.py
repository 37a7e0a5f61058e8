"""The table written_questions."""

from dataclasses import replace

from ragassay.schemas import questions

WRITTEN_QUESTIONS = replace(
    questions.QUESTIONS,
    name="written_questions",
    row="One row per question as it was first written, where near misses are wanted: see near_misses.",
    path="written_questions/{generator}/{shard}",
)
