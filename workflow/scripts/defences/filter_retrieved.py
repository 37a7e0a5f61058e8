"""Defences look at the first passages of each question and remove those that they judge to be poisoned. They read
scores that are stored: nothing is asked of a model here. How long each question took is a table of its own, which
differs from run to run.
"""

import os
import platform
from collections import Counter
from pathlib import Path
from time import process_time as clock

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.attacks import FOUND_REWRITTEN, POISONED_PASSAGES, RETRIEVED
from ragassay.schemas.defences import FEWER_PLANTED, FILTER_TIMES, FILTERED, PASSAGE_SCORES
from ragassay.studies.poisoning.defences import guard_card
from ragassay.studies.poisoning.defences.defence import kind_of
from ragassay.studies.poisoning.defences.evidence import Evidence, with_texts
from ragassay.studies.poisoning.defences.thresholds import fold_of

COUNTS = (1, 2, 3, 5, 15)  # texts for a question that defences are tried on, where an attack plants more
JUDGED = ("target_id", "rank", "passage_id", "poisoned", "aimed_at", "score", "removed", "shown")


def filter_retrieved(
    targets, retrieved, found_rewritten, passages, poisoned_passages, passage_scores, guards, filtered, fewer_planted,
    filter_times, defences, k,
):  # fmt: skip
    """A defence looks at the first `depth` passages of each question, and the first k that it leaves are answered from.
    `found_rewritten` are of defences that rewrite questions, `guards` of those that were fitted; `defences` says by
    their names what each is and needs.
    """
    rewritten = {tables.keys(FOUND_REWRITTEN, path)["defence"]: path for path in found_rewritten}
    planted = tables.read(POISONED_PASSAGES, poisoned_passages, ["passage_id", "number"]).to_pylist()
    numbers = {row["passage_id"]: row["number"] for row in planted}
    fewer = [count for count in COUNTS if count < max(numbers.values(), default=0)]
    fitted = {guard_card.place(path)[-1]: path for path in guards}
    most = max(entry["depth"] * 2 ** entry["settings"].get("doublings", 0) for entry in defences.values())
    seen = {}  # what defences look at, and its rows by target: once for all that look at the same

    def looked(file, scorer, encoder, embeddings):
        key = (file, scorer, (encoder or {}).get("name"))
        if key not in seen:
            scores = [path for path in passage_scores if tables.keys(PASSAGE_SCORES, path)["scorer"] == scorer]
            evidence = Evidence(targets, [passages], [poisoned_passages], scores, encoder or None, embeddings)
            rows = tables.read(RETRIEVED, file).to_pylist()
            seen[key] = evidence, evidence.by_target(_first(rows, numbers if fewer else {}, most))
        return seen[key]

    with (
        tables.Writer(FILTERED, filtered) as writer,
        tables.Writer(FEWER_PLANTED, fewer_planted) as further,
        tables.Writer(FILTER_TIMES, filter_times) as times,
    ):
        for name, entry in defences.items():
            given = {key: entry[key] for key in ("scorer", "encoder", "embeddings")}
            evidence, by_target = looked(rewritten.get(name, retrieved), **given)
            judges, count, removed, seconds = _by_fold(fitted.get(name), entry, evidence), 0, 0, []
            for target, rows in list(by_target.items())[:1]:  # so that imports are not timed
                list(judges(fold_of(evidence.questions[target])).filtered(rows, k, entry["depth"]))
            for target, rows in by_target.items():
                defence = judges(fold_of(evidence.questions[target]))
                begun = clock()
                done = list(defence.filtered(rows, k, entry["depth"]))
                seconds.append(clock() - begun)
                for row in done:
                    count, removed = count + 1, removed + row["removed"]
                    writer.add({"defence": name} | row)
                for texts in fewer:
                    left = with_texts(rows, numbers, texts)
                    for row, judgement in zip(left, defence.filtered(left, k, entry["depth"]), strict=False):
                        judged = {column: (row | judgement)[column] for column in JUDGED}
                        further.add({"defence": name, "planted": texts} | judged)
            times.add({"defence": name, "seconds": seconds, "machine": _machine()})
            log.info("%s: %d of %d passages removed", name, removed, count)


def _machine():
    """The processor, as Linux names it, and how many there are."""
    processors = Path("/proc/cpuinfo")
    lines = processors.read_text().splitlines() if processors.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{next(iter(names), platform.machine())}, {os.cpu_count()} processors"


def _first(rows, numbers, most):
    """The rows that are among the first so many of their question when only one text is planted for each."""
    left_out = Counter()
    for row in sorted(rows, key=lambda row: row["rank"]):
        if row["rank"] - left_out[row["target_id"]] <= most:
            yield row
        left_out[row["target_id"]] += numbers.get(row["passage_id"], 0) > min(COUNTS)


def _by_fold(path, entry, evidence):
    """fold -> the defence that judges its queries; if it was fitted, that of the file."""
    if not path:
        return lambda fold: kind_of(entry["kind"])(entry["settings"])
    card, about = guard_card.read(path), {key: entry[key] for key in ("kind", "retriever", "scorer")}
    guard_card.check(path, card, settings=entry["settings"], **about)
    guard_card.check_identity(path, f"scorer {entry['scorer']}", evidence.scored_by, card["scored_by"])
    return lambda fold: guard_card.defence_of(card, fold)


if __name__ == "__main__":
    run(filter_retrieved, snakemake)
