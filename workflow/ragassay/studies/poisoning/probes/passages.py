"""The passages that the prompts of a study are put together from, as files of results hold them. Only passages that a
question finds, or that are of its document, are held.
"""

from collections import defaultdict
from collections.abc import Iterable

from ragassay.base import tables
from ragassay.grading.matches import contains
from ragassay.schemas.attacks import POISONED_PASSAGES, RETRIEVED
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.studies.poisoning.attacks.attacked_corpus import texts_of
from ragassay.studies.poisoning.probes.conditions import Found, Passage
from ragassay.text.near_duplicates import clustered


def found_by(targets: list[dict], passages, poisoned_passages, neighbours, retrieved, documents: dict, k: int) -> dict:
    """target -> what there is for its question; `documents` are those of `passages_of`, and lists have at most k."""
    clean = tables.read(NEIGHBOURS, neighbours, ["query_id", "rank", "passage_id"]).rename_columns(
        ["target_id", "rank", "passage_id"]
    )
    attacked = tables.read(RETRIEVED, retrieved, ["target_id", "rank", "passage_id", "poisoned"])
    rows = [row for row in (*clean.to_pylist(), *attacked.to_pylist()) if row["rank"] <= k]
    texts, found = texts_of({row["passage_id"] for row in rows}, [passages], [poisoned_passages]), defaultdict(Found)
    for row in rows:  # tables are sorted by target and rank
        passage = Passage(row["passage_id"], texts[row["passage_id"]], row.get("poisoned", False))
        lists = found[row["target_id"]]
        (lists.attacked if "poisoned" in row else lists.clean).append(passage)
    for row in tables.read(
        POISONED_PASSAGES, poisoned_passages, ["passage_id", "target_id", "number", "text"]
    ).to_pylist():
        if row["target_id"] is not None and row["number"] <= k:
            found[row["target_id"]].poison.append(Passage(row["passage_id"], row["text"], True))
    for target in targets:
        own = documents.get(target["document"], [])
        gold = [one for one in own if any(contains(one.text, answer) for answer in target["answers"])]
        found[target["target_id"]].gold += gold[:k]
    for number, target in enumerate(targets):
        own, others = found[target["target_id"]], (*targets[number + 1 :], *targets[:number])
        own.irrelevant += _irrelevant(target["answers"], own, (found[one["target_id"]] for one in others), k)
    return found


def _irrelevant(answers, lists, others, k):
    """The first k passages of other questions that this one does not find, and that do not answer it."""
    wanted, seen = [], {passage.passage_id for passage in (*lists.clean, *lists.gold)}
    for passage in (passage for other in others for passage in other.clean):
        if len(wanted) == k:
            break
        if passage.passage_id not in seen and not any(contains(passage.text, answer) for answer in answers):
            wanted.append(passage)
            seen.add(passage.passage_id)
    return wanted


def passages_of(documents: Iterable[str], passages) -> dict[str, list[Passage]]:
    """document -> its passages, of the documents that are named; a passage may be named as a document."""
    wanted, passages_by_document = set(documents), defaultdict(list)
    for batch in tables.batches(PASSAGES, passages, ["passage_id", "document_id", "text"]):
        for row in batch.to_pylist():
            for name in wanted & {row["passage_id"], row["document_id"]}:
                passages_by_document[name].append(Passage(row["passage_id"], row["text"]))
    return passages_by_document


def clusters_of(targets: list[dict], documents: dict, similarity: float, first_words: int) -> dict[str, str]:
    """target -> its cluster: near-duplicates of its document, or of its question where that is not in the corpus."""
    texts = {
        name: " ".join(passage.text for passage in passages_of_document)
        for name, passages_of_document in documents.items()
    }
    owners = {target["target_id"]: target["document"] if target["document"] in texts else None for target in targets}
    texts |= {target["target_id"]: target["question"] for target in targets if owners[target["target_id"]] is None}
    clusters = clustered(texts.items(), similarity, first_words)
    return {name: clusters[document or name] for name, document in owners.items()}
