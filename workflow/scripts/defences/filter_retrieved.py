"""A defence looks at the first passages of each question and removes what it holds for poison."""

from ragassay import tables
from ragassay.attacks.texts import texts_of
from ragassay.defences.defence import filtered as judged
from ragassay.schemas.filtered import FILTERED
from ragassay.schemas.retrieved import RETRIEVED
from ragassay.stage import log, run


def filter_retrieved(retrieved, passages, poisoned_passages, filtered, kind, own, k, depth):
    """The first `depth` passages of each question are looked at, and the first k that are left are answered from."""
    rows = [row for row in tables.read(RETRIEVED, retrieved).to_pylist() if row["rank"] <= depth]
    texts = texts_of((row["passage_id"] for row in rows), [passages], [poisoned_passages])
    by_target = {}
    for row in rows:
        by_target.setdefault(row["target_id"], []).append(row | {"text": texts[row["passage_id"]]})
    found = list(judged(kind, by_target, k, own, f"defences.{kind}"))
    tables.write(FILTERED, filtered, found)
    log.info("%d of %d passages removed", sum(row["removed"] for row in found), len(found))


if __name__ == "__main__":
    run(filter_retrieved, snakemake)
