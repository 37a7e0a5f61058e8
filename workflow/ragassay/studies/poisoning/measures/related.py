"""How many clean passages with the right answer each question finds: what is left to answer from where poison is
removed."""

from collections import Counter
from collections.abc import Iterator

from ragassay.grading.answer_match import contains
from ragassay.studies.poisoning.measures.detection import SECTION


def related_rows(keys: dict, targets: list[dict], clean: dict[str, list[dict]], first: int) -> Iterator[dict]:
    """Among the first so many clean passages: questions by how many of these give the right answer."""
    counts = Counter()
    for target in targets:
        texts = [row["text"] for row in clean.get(target["target_id"], [])[:first]]
        counts[sum(any(contains(text, answer) for answer in target["answers"]) for text in texts)] += 1
    for count in range(max(counts, default=-1) + 1):
        yield SECTION.row("figure_5", keys | {"at": count}, "questions", counts[count], len(targets))
