"""List every attack on every target: what is retrieved, what each defence removes of that, and the answers without the
attack and under it, as a page to look through and as CSV. Computes nothing new. Dataset by dataset, so that only one
has to be in memory.
"""

from dataclasses import replace

import pyarrow.compute as pc
import pyarrow.parquet as pq

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.report import index_notes
from ragassay.report.explorers.attacks import KIND, AttackedCell, columns_of, dossiers
from ragassay.report.explorers.page import MOST_ROWS, Listing, excerpt, room
from ragassay.report.provenance import in_paths, of_page
from ragassay.schemas.attacks import ANSWERS, POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.defences import FILTERED
from ragassay.studies.poisoning.attacks.attacked_corpus import texts_of

MOST_CHARACTERS = 12_000_000  # of answers on one page, and of passages
LEAST_CHARACTERS = 120
NO_ANSWERS = "No responder was asked under attack, so that nothing says whether an answer changed."
NO_DEFENCE = "No defence was tried."
NO_CLEAN = "No responder was asked without an attack, so that nothing says what an attack changed."
RESTING = "resting"  # of a row: on which index


def list_attacks(
    targets, poisoned_passages, passages, retrieved, filtered, answers, templates, style, behaviour, page, csv,
    title, subject, report, wants, corpora, defences, k, depth, remedies, models, command, index_recall=(),
):  # fmt: skip
    """Each argument up to `answers` is a list of files, as is `index_recall`, of indexes that searched for passages;
    `filtered`, `answers` and this may be empty. `wants` is what each attack wants, None for no attack; `corpora` has
    the corpus of each dataset; `defences` are those that have a column; `models` says what each model is, and
    `command` makes the page.
    """
    files = {TARGETS: targets, POISONED_PASSAGES: poisoned_passages, RETRIEVED: retrieved, FILTERED: filtered}
    files |= {ANSWERS: answers}
    files = {table: [(tables.keys(table, path), path) for path in paths] for table, paths in files.items()}
    columns = columns_of(defences, [(keys["defence"], keys["responder"]) for keys, _ in files[ANSWERS]])

    def of_dataset(dataset):
        def chosen(table, **wanted):
            wanted |= {"dataset": dataset}
            return [(keys, path) for keys, path in files[table] if wanted.items() <= keys.items()]

        clean_answers = {
            (keys["retriever"], keys["defence"], keys["responder"]): _by_target(ANSWERS, path)
            for keys, path in chosen(ANSWERS)
            if wants[keys["attack"]] is None
        }
        cells = []
        for keys, path in chosen(RETRIEVED):
            place = {"retriever": keys["retriever"], "attack": keys["attack"]}
            of_cell = {(keys["defence"], keys["responder"]): path for keys, path in chosen(ANSWERS, **place)}
            before = {
                (defence, responder): clean_answers.get((place["retriever"], defence, responder))
                or clean_answers.get((place["retriever"], "none", responder), {})
                for defence, responder in of_cell
            }
            [planted] = [path for _, path in chosen(POISONED_PASSAGES, attack=place["attack"])]
            cells.append(
                AttackedCell(
                    dataset,
                    **place,
                    aim=wants[place["attack"]],
                    retrieved=_retrieved(path, depth),
                    planted=set(tables.read(POISONED_PASSAGES, planted, ["passage_id"])["passage_id"].to_pylist()),
                    filtered=_filtered([path for _, path in chosen(FILTERED, **place)]),
                    answers={key: _by_target(ANSWERS, path) for key, path in of_cell.items()},
                    before=before,
                )
            )
        wanted = {name for cell in cells for names in cell.retrieved.values() for name in names}
        looked = (rows for cell in cells for by_target in cell.filtered.values() for rows in by_target.values())
        wanted |= {row["passage_id"] for rows in looked for row in rows}
        clean = [path for path in passages if tables.keys(PASSAGES, path)["corpus"] == corpora[dataset]]
        texts = texts_of(wanted, clean, [path for _, path in chosen(POISONED_PASSAGES)])
        [(_, file)] = chosen(TARGETS)
        return dossiers(tables.read(TARGETS, file).to_pylist(), cells, texts, columns, k)

    datasets = list(dict.fromkeys(keys["dataset"] for keys, _ in files[RETRIEVED]))
    asked = {keys["dataset"]: pq.read_metadata(path).num_rows for keys, path in files[TARGETS]}
    most_rows = sum(asked[keys["dataset"]] for keys, _ in files[RETRIEVED])
    passages_shown = sum(asked.values()) * depth + _count(poisoned_passages)
    passage_room = room(passages_shown, MOST_CHARACTERS, LEAST_CHARACTERS)
    answer_room = room(2 * _count(answers), MOST_CHARACTERS, LEAST_CHARACTERS)
    remarks = index_notes.remarks(index_recall)
    kind = replace(KIND, fields=KIND.fields | {index_notes.COLUMN: (RESTING,)}) if remarks else KIND
    listing = Listing(kind, columns, min(1.0, MOST_ROWS / max(1, most_rows)))
    listing.write(
        (_resting(dossier, remarks) for dataset in datasets for dossier in of_dataset(dataset)),
        csv,
        lambda dossier: _shortened(dossier, passage_room, answer_room),
    )
    is_clean_asked = any(wants[keys["attack"]] is None for keys, _ in files[ANSWERS])
    missing = [(NO_DEFENCE, remedies["filtered"])] * (not filtered) + [(NO_ANSWERS, remedies["answers"])] * (
        not answers
    )
    missing += [(NO_CLEAN, remedies["clean"])] * (bool(answers) and not is_clean_asked) + listing.not_shown()
    read, home = [path for named in files.values() for _, path in named], report.removesuffix("index.html")
    made = of_page(page, [*read, *passages, *index_recall], command, in_paths(models, read), home=home)
    lines = zip(remarks.values(), index_notes.notes(index_recall), strict=True)
    notes = [tuple(text.replace("`", "") for text in pair) for pair in lines]
    size = listing.render(made, page, templates, style, behaviour, title, subject, report, csv, missing, notes)
    log.info("%d attacks, %d of them on a page of %.1f MB", listing.rows, listing.shown, size / 1e6)


def _resting(dossier, remarks):
    """The dossier, each row with what the index misses that found its passages."""
    if remarks:
        for row in dossier["rows"]:
            row[RESTING] = remarks.get(row["retriever"], "")
    return dossier


def _retrieved(path, depth):
    """target -> the ids of what its question finds, best first, down to the rank that defences look at."""
    rows = tables.read(RETRIEVED, path, ["target_id", "rank", "passage_id"])
    by_target = {}
    for row in rows.filter(pc.less_equal(rows["rank"], depth)).to_pylist():
        by_target.setdefault(row["target_id"], []).append(row["passage_id"])
    return by_target


def _filtered(paths):
    """defence -> target -> rows."""
    names = ("defence", "target_id", "rank", "passage_id", "removed", "reason", "shown")
    by_defence = {}
    for row in tables.read_all(FILTERED, paths, names).to_pylist():
        by_defence.setdefault(row["defence"], {}).setdefault(row["target_id"], []).append(row)
    return by_defence


def _by_target(table, path):
    rows = tables.read(table, path, ["target_id", "text", "outcome", "poisoned"]).to_pylist()
    return {row["target_id"]: row for row in rows}


def _shortened(dossier, passage_room, answer_room):
    """The dossier as the page has room for it."""
    for row in dossier["rows"]:
        for cell in row["cells"]:
            if cell and "text" in cell:
                cell["text"] = excerpt(cell["text"], answer_room)
                cell["before"] = cell["before"] and excerpt(cell["before"], answer_room)
    texts = dossier["passages"].items()
    return dossier | {"passages": {name: excerpt(text, passage_room) for name, text in texts}}


def _count(paths):
    return sum(pq.read_metadata(path).num_rows for path in paths)


if __name__ == "__main__":
    run(list_attacks, snakemake)
