"""Export the questions of a dataset's targets and, only if the configuration says so, what attacks plant for them.

Without texts, a poisoned passage that was made from a passage of the corpus has none: most of it is somebody's else.
"""

from collections import Counter

from ragassay.base import tables
from ragassay.base.atomic import building, write_lines
from ragassay.base.stage import log, run
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS

HEADER = "# Questions about a corpus, and attacks on it\n\n{} questions with their right answers in queries.jsonl.\n"
POISON = """
**This folder holds poison.** targets.jsonl has the wrong answers that attackers want; each row of poisoned_passages/
says that it is poisoned. Keep them out of any corpus that people search or models are trained on.

| attack | passages |
|---|---|
"""
QUERY = ("target_id", "question", "document", "answers")


def export_targets(targets, poisoned_passages, folder, poisoned, texts):
    """`poisoned_passages` are files of several attacks; without `poisoned` there is none."""
    rows, planted = tables.read(TARGETS, targets).to_pylist(), Counter()
    with building(folder) as place:
        write_lines(place / "queries.jsonl", ({name: row[name] for name in QUERY} for row in rows))
        if poisoned:
            write_lines(place / "targets.jsonl", (row | {"poisoned": True} for row in rows))
            (place / "poisoned_passages").mkdir()
            for keys, own in tables.each(POISONED_PASSAGES, poisoned_passages):
                planted[keys["attack"]] = len(own)
                made = (_given(row, texts) for row in own.to_pylist())
                write_lines(place / "poisoned_passages" / f"{keys['attack']}.jsonl", made)
        lines = [f"| {attack} | {count} |\n" for attack, count in planted.items()]
        about = HEADER.format(len(rows)) + ("".join([POISON, *lines]) if poisoned else "")
        (place / "README.md").write_text(about, encoding="utf-8", newline="\n")
    log.info("%d questions, %d poisoned passages", len(rows), planted.total())


def _given(row, texts):
    return row if texts or row["made_from"] is None else row | {"text": None}


if __name__ == "__main__":
    run(export_targets, snakemake)
