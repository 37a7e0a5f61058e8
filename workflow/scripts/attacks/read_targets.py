"""Read targets that somebody brings, without debris. What cannot be used is a row of the rejects, with its reason."""

from collections import Counter

from ragassay import tables
from ragassay.attacks.hygiene import usable
from ragassay.attacks.trigger import triggered
from ragassay.documents.ids import reject
from ragassay.retrieval.user_files import texts
from ragassay.schemas.targets import TARGETS
from ragassay.stage import log, run
from ragassay.tally import Tally

NEEDED = ("document", "made_by")
LISTS = ("answers", "target_aliases", "texts")
REMEDY = "Correct the files, or name their columns in datasets.{name}.columns"


def read_targets(files, targets, rejects, dataset, columns, most_rejected, trigger=None):
    """With a trigger, all questions have that word."""
    tally = Tally(", ".join(files), "targets and texts", most_rejected, REMEDY.format(name=dataset))
    flags = Counter()
    with tables.Writer(TARGETS, targets) as kept, tables.Writer(tables.REJECTS, rejects) as rejected:
        for row in texts(files, columns, (*NEEDED, "target"), LISTS):
            row = {"target_id": row.pop("id"), "question": row.pop("text")} | row
            row |= {name: row[name] or [] for name in LISTS} | {"target": row["target"] or ""}
            found, problems = usable(row | {"made_by": row["made_by"] or "file"})
            for problem in problems:
                tally.reject(problem.item, problem.reason, problem.detail)
                rejected.add(reject("read_targets", {"shard": dataset}, *problem))
            if found:
                tally.keep(1 + len(found["texts"]))
                flags.update(found["flags"])
                kept.add(found | {"question": triggered(found["question"], trigger)} if trigger else found)
        tally.check()
    told = ", ".join(f"{count} with {name}" for name, count in sorted(flags.items()) if name)
    log.info("%d targets with %d texts, %s", kept.written, flags.total(), told or "none with a flag")


if __name__ == "__main__":
    run(read_targets, snakemake)
