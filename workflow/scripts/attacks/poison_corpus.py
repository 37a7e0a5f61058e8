"""Make the passages that an attack adds to a corpus. Searches nothing and asks no model."""

from collections.abc import Iterator

from ragassay.base import tables
from ragassay.base.errors import closest
from ragassay.base.stage import log, run
from ragassay.documents.sources import Columns, records, warn_of_empty
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.studies.poisoning.attacks.attack import AttackError, Poison, Tools, rows
from ragassay.studies.poisoning.attacks.attacked_corpus import retrieved_texts

COLUMNS = Columns(("target_id", "text", "calls"), ("target_id", "text"))  # of texts that were written for targets


def poison_corpus(targets, passages, neighbours, texts, poisoned_passages, attack, kind, own):
    """`passages` and `neighbours` are lists of files, empty unless the attack needs what questions find."""
    wanted = tables.read(TARGETS, targets).to_pylist()
    names = [row["target_id"] for row in wanted]
    tools = Tools(retrieved=retrieved_texts(neighbours, passages), texts=_texts(texts, names))
    count = tables.write(POISONED_PASSAGES, poisoned_passages, rows(attack, kind, wanted, tools, own))
    log.info("%d passages for %d targets", count, len(wanted))


def _texts(files, targets):
    """target -> the texts that were written for it. Those of targets that were rejected are of no use."""
    by_target = {}
    for text in written_texts(files):
        by_target.setdefault(text.target_id, []).append(text)
    if others := sorted(by_target.keys() - set(targets)):
        problem = f"{', '.join(files)}: found texts for {len(others)} of {len(by_target)} targets"
        if len(others) == len(by_target):
            expected = f"expected ids such as {', '.join(targets[:3])}{closest(others[0], targets)}"
            raise AttackError(f"{problem}, but for none of the dataset: found the target {others[0]!r}, {expected}")
        log.warning("%s that are none of the dataset, such as %r; they are not planted", problem, others[0])
    return by_target


def written_texts(files: list[str]) -> Iterator[Poison]:
    """Texts that people or a model wrote; rows without text are left out and counted."""
    empty, kept = [], 0
    for record in records(files, COLUMNS) if files else ():
        place = f"{record.file} row {record.row}"
        if record.reason:
            raise AttackError(f"{place}: {record.detail}")
        row = {name: str(record.fields.get(name) or "").strip() for name in COLUMNS.needed}
        if not row["text"]:
            empty.append(place)
            continue
        if not row["target_id"]:
            raise AttackError(f"{place}: found nothing in 'target_id', expected a value")
        kept += 1
        yield Poison(row["target_id"], row["text"], calls=_count(record.fields.get("calls"), place))
    warn_of_empty(empty, "text", kept)


def _count(value, place):
    text = str(value if value is not None else "").strip() or "0"
    if not text.isdecimal():
        raise AttackError(f"{place}: found {value!r} in 'calls', expected a whole number")
    return int(text)


if __name__ == "__main__":
    run(poison_corpus, snakemake)
