"""The texts of some passages, clean or poisoned. Only these are held, whatever the size of the corpus."""

from collections.abc import Iterable

from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.studies.poisoning.attacks.poison import AttackError


def texts_of(wanted: Iterable[str], passages: Iterable, poisoned_passages: Iterable = ()) -> dict[str, str]:
    """id -> text; passages are files of both tables."""
    wanted, texts = set(wanted), {}
    files = [*((PASSAGES, path) for path in passages), *((POISONED_PASSAGES, path) for path in poisoned_passages)]
    for table, path in files:
        for batch in tables.batches(table, path, ["passage_id", "text"]):
            texts |= {row["passage_id"]: row["text"] for row in batch.to_pylist() if row["passage_id"] in wanted}
    if missing := sorted(wanted - texts.keys()):
        places = ", ".join(str(path) for _, path in files)
        raise AttackError(f"{places}: found no passage {missing[0]!r}, which a search found; run the search again")
    return texts


def retrieved_texts(neighbours: list, passages: list) -> dict[str, list[dict]]:
    """target -> the passages that its question finds in the clean corpus, best first; of no files, nothing."""
    found = tables.read_all(NEIGHBOURS, neighbours).to_pylist() if neighbours else []
    texts, by_target = texts_of((row["passage_id"] for row in found), passages), {}
    for row in found:
        own = {"passage_id": row["passage_id"], "text": texts[row["passage_id"]], "score": row["score"]}
        by_target.setdefault(row["query_id"], []).append(own)
    return by_target
