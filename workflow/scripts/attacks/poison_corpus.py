"""Make the passages that an attack adds to a corpus. Searches nothing and asks no model."""

from pathlib import Path

from ragassay.base import tables
from ragassay.base.errors import closest
from ragassay.base.stage import log, run
from ragassay.documents.sources import Columns, records
from ragassay.grading.matches import normalized
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.studies.poisoning.attacks.attack import AttackError, Poison, Tools, rows
from ragassay.studies.poisoning.attacks.attacked_corpus import retrieved_texts
from ragassay.studies.poisoning.targets.hygiene import Problem
from ragassay.studies.poisoning.targets.released import TABLE, released

SHOWN = 3  # reasons in a message
COLUMNS = Columns(("target_id", "question", "text", "calls", "attacker", "target"), ("text",))  # of written texts


def poison_corpus(targets, passages, neighbours, texts, poisoned_passages, attack, kind, settings, format=TABLE):
    """`passages` and `neighbours` are lists of files, empty unless the attack needs what questions find."""
    wanted = tables.read(TARGETS, targets).to_pylist()
    tools = Tools(retrieved=retrieved_texts(neighbours, passages), texts=written_texts(texts, wanted, format))
    count = tables.write(POISONED_PASSAGES, poisoned_passages, rows(attack, kind, wanted, tools, settings))
    log.info("%d passages for %d targets", count, len(wanted))


def written_texts(files: list[str], targets: list[dict], form: str = TABLE) -> dict[str, list[Poison]]:
    """target -> the texts that people or a model wrote for it, which name it by its id or its question. Rows that are
    of no use are counted by their reason.
    """
    wanted = {row["target_id"]: {*map(normalized, (row["target"], *row["target_aliases"]))} for row in targets}
    asked = {normalized(row["question"]): row["target_id"] for row in targets}
    by_target, refused = {}, {}
    for place, row, unusable in _of_tables(files) if form == TABLE else _of_releases(files, form):
        name = row["target_id"] if row["target_id"] in wanted else asked.get(normalized(row["question"]))
        if problem := unusable or _problem(row, name, wanted):
            refused.setdefault(problem, []).append((place, row["target_id"] or row["question"]))
            continue
        wants = None if normalized(row["target"]) in wanted[name] else row["target"] or None
        made = Poison(name, row["text"], calls=int(row["calls"] or 0), method=row["attacker"] or None, wants=wants)
        by_target.setdefault(name, []).append(made)
    if refused:
        first = [(problem, *where[0]) for problem, where in refused.items()][:SHOWN]
        examples = [f"{problem} ({place}, for {name!r:.80}{closest(name, wanted)})" for problem, place, name in first]
        bad, good = (sum(map(len, group.values())) for group in (refused, by_target))
        summary = f"{bad} of {bad + good} rows are of no use: {'; '.join(examples)}"
        if not by_target:
            raise AttackError(f"{', '.join(files)}: {summary}; expected target_id or question, and text")
        log.warning("%s: %s; they are not planted", ", ".join(files), summary)
    return by_target


def _of_tables(files):
    """The place of each row, its columns, and what is wrong with it, if anything is."""
    for record in records(files, COLUMNS) if files else ():
        yield record.place, {name: str(record.fields.get(name) or "").strip() for name in COLUMNS.known}, record.detail


def _of_releases(files, form):
    """The same of each text; each file is one attacker."""
    for file in files:
        for row in released(file, form):
            if isinstance(row, Problem):
                yield row.item, dict.fromkeys(COLUMNS.known, ""), row.detail
                continue
            named = dict.fromkeys(COLUMNS.known, "") | {key: row[key] for key in ("target_id", "question", "target")}
            for text in row["texts"]:
                yield file, named | {"text": text, "attacker": Path(file).stem}, ""


def _problem(row, name, names):
    """What is wrong with a row of written texts; "" if nothing is."""
    if not row["text"]:
        return "found nothing in 'text'"
    if name not in names:
        return "found a target that is none of the dataset"
    if not (row["calls"] or "0").isdecimal():
        return f"found {row['calls']!r} in 'calls', expected a whole number"
    return ""


if __name__ == "__main__":
    run(poison_corpus, snakemake)
