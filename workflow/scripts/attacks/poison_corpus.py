"""Make the passages that an attack adds to a corpus. Searches nothing and asks no model."""

from ragassay import tables
from ragassay.attacks.poison import Tools, rows
from ragassay.attacks.texts import texts_of
from ragassay.attacks.written_texts import written_texts
from ragassay.schemas.neighbours import NEIGHBOURS
from ragassay.schemas.poisoned_passages import POISONED_PASSAGES
from ragassay.schemas.targets import TARGETS
from ragassay.stage import log, run


def poison_corpus(targets, passages, neighbours, texts, poisoned_passages, attack, kind, own):
    """`passages` and `neighbours` are lists of files, empty unless the attack needs what questions find."""
    wanted = tables.read(TARGETS, targets).to_pylist()
    tools = Tools(retrieved=_retrieved(neighbours, passages), texts=_texts(texts))
    count = tables.write(POISONED_PASSAGES, poisoned_passages, rows(attack, kind, wanted, tools, own))
    log.info("%d passages for %d targets", count, len(wanted))


def _retrieved(neighbours, passages):
    """target -> the passages that its question finds, best first."""
    found = tables.read_all(NEIGHBOURS, neighbours).to_pylist() if neighbours else []
    texts, by_target = texts_of((row["passage_id"] for row in found), passages), {}
    for row in found:
        own = {"passage_id": row["passage_id"], "text": texts[row["passage_id"]]}
        by_target.setdefault(row["query_id"], []).append(own)
    return by_target


def _texts(files):
    """target -> the texts that somebody wrote for it."""
    by_target = {}
    for row in written_texts(files):
        by_target.setdefault(row["target_id"], []).append(row["text"])
    return by_target


if __name__ == "__main__":
    run(poison_corpus, snakemake)
