"""Read targets that somebody brings, without debris. What cannot be used is a row of the rejects, with its reason."""

from ragassay.base.stage import run
from ragassay.base.tally import Tally
from ragassay.corpora.user_files import texts
from ragassay.studies.poisoning.targets.hygiene import Problem, TargetTables, usable

OPTIONAL = ("kind", "group", "document", "made_by", "target")
LISTS = ("answers", "target_aliases", "texts")
REMEDY = "Correct the files, or name their columns in datasets.{name}.columns"


def read_targets(files, targets, rejects, dataset, columns, most_rejected, trigger=None):
    tally = Tally(", ".join(files), "targets and texts", most_rejected, REMEDY.format(name=dataset))
    empty = []  # places of rows without a question
    with TargetTables("read_targets", dataset, targets, rejects, tally, trigger) as made:
        for row in texts(files, columns, OPTIONAL, LISTS, empty=empty):
            row = {"target_id": row.pop("id"), "question": row.pop("text")} | row
            row |= {name: row[name] or [] for name in LISTS} | {"target": row["target"] or ""}
            row |= {"made_by": row["made_by"] or "file", "origin": "written", "tries": []}
            made.take(*usable(row))
        for place in empty:
            made.take(None, [Problem(place, "empty", f"found nothing in {columns['text']!r}")])
        tally.check()
    made.tell()


if __name__ == "__main__":
    run(read_targets, snakemake)
