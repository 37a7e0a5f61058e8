"""Make the passages that an attack adds to a corpus. Searches nothing and asks no model."""

from ragassay.base import tables
from ragassay.base.errors import closest
from ragassay.base.stage import log, run
from ragassay.documents.sources import Columns, records
from ragassay.grading.matches import normalized
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.studies.poisoning.attacks.attack import AttackError, Poison, Tools, rows
from ragassay.studies.poisoning.attacks.attacked_corpus import retrieved_texts

SHOWN = 3  # reasons in a message
COLUMNS = Columns(("target_id", "question", "text", "calls", "attacker", "target"), ("text",))  # of written texts


def poison_corpus(targets, passages, neighbours, texts, poisoned_passages, attack, kind, own):
    """`passages` and `neighbours` are lists of files, empty unless the attack needs what questions find."""
    wanted = tables.read(TARGETS, targets).to_pylist()
    tools = Tools(retrieved=retrieved_texts(neighbours, passages), texts=written_texts(texts, wanted))
    count = tables.write(POISONED_PASSAGES, poisoned_passages, rows(attack, kind, wanted, tools, own))
    log.info("%d passages for %d targets", count, len(wanted))


def written_texts(files: list[str], targets: list[dict]) -> dict[str, list[Poison]]:
    """target -> the texts that people or a model wrote for it, which name it by its id or its question. Rows that are
    of no use are counted by their reason.
    """
    names = {row["target_id"] for row in targets}
    asked = {normalized(row["question"]): row["target_id"] for row in targets}
    by_target, refused = {}, {}
    for record in records(files, COLUMNS) if files else ():
        row = {name: str(record.fields.get(name) or "").strip() for name in COLUMNS.known}
        name = row["target_id"] or asked.get(normalized(row["question"]))
        if problem := record.detail or _problem(row, name, names):
            refused.setdefault(problem, []).append(record.place)
            continue
        made = Poison(name, row["text"], calls=int(row["calls"] or 0), method=row["attacker"] or None)
        by_target.setdefault(name, []).append(made._replace(wants=row["target"] or None))
    if refused:
        left_out = [f"{problem} ({places[0]})" for problem, places in refused.items()]
        bad, good = (sum(map(len, group.values())) for group in (refused, by_target))
        summary = f"{bad} of {bad + good} rows are of no use: {'; '.join(left_out[:SHOWN])}"
        if not by_target:
            raise AttackError(f"{', '.join(files)}: {summary}; expected target_id or question, and text")
        log.warning("%s: %s; they are not planted", ", ".join(files), summary)
    return by_target


def _problem(row, name, names):
    """What is wrong with a row of written texts; "" if nothing is."""
    if not row["text"]:
        return "found nothing in 'text'"
    if name not in names:
        asked = row["target_id"] or row["question"]
        return f"found the target {asked[:80]!r}, which is none of the dataset{closest(asked, names)}"
    if not (row["calls"] or "0").isdecimal():
        return f"found {row['calls']!r} in 'calls', expected a whole number"
    return ""


if __name__ == "__main__":
    run(poison_corpus, snakemake)
