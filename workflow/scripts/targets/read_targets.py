"""Read targets that somebody brings, as tables or as other projects released them, without debris. What cannot be used
is a row of the rejects, with its reason.
"""

from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.corpora.user_files import texts
from ragassay.studies.poisoning.targets.hygiene import Problem, TargetTables, usable
from ragassay.studies.poisoning.targets.released import TABLE, released

OPTIONAL = ("kind", "group", "document", "made_by", "target")
WRITTEN = {"origin": "written", "tries": []}
LISTS = ("answers", "target_aliases", "texts")
REMEDY = "Correct the files, or name their columns in datasets.{name}.columns"


def read_targets(files, targets, rejects, dataset, columns, most_rejected, trigger=None, format=TABLE):
    tally = Tally(", ".join(files), "targets and texts", most_rejected, REMEDY.format(name=dataset))
    with TargetTables("read_targets", dataset, targets, rejects, tally, trigger) as made:
        for row in _of_tables(files, columns) if format == TABLE else _of_releases(files, format):
            made.take(*((None, [row]) if isinstance(row, Problem) else usable(row | WRITTEN)))
        tally.check()
    made.tell()


def _of_tables(files, columns):
    empty = []  # places of rows without a question
    for row in texts(files, columns, OPTIONAL, LISTS, empty=empty):
        row = {"target_id": row.pop("id"), "question": row.pop("text")} | row
        row |= {name: row[name] or [] for name in LISTS} | {"target": row["target"] or ""}
        yield row | {"made_by": row["made_by"] or "file"}
    for place in empty:
        yield Problem(place, "empty", f"found nothing in {columns['text']!r}")


def _of_releases(files, form):
    """Each id once: another attacker's texts for the same question, which are for the attack `table`, are counted. An
    id that a file has twice is a reject.
    """
    files_of, repeated = {}, 0
    for file in files:
        ids = set()
        for row in released(file, form):
            if isinstance(row, Problem):
                yield row
                continue
            name = row["target_id"]
            if name in ids:
                yield Problem(f"{name} in {file}", "same_id", f"found the id {name!r} again")
            elif files_of.setdefault(name, file) == file:
                yield row
            else:
                repeated += 1
            ids.add(name)
    if repeated:
        log.info("%d targets are in an earlier file, too, and are taken from that", repeated)


if __name__ == "__main__":
    run(read_targets, snakemake)
