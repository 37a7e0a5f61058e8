"""What an estimate asks for real. It takes a few documents of new shards, and each is a shard of its own in the scratch
folder: so the cost of one document is known, and the sum over all has an interval. The answers end up in the ledger of
the document's own shard. Neither a run nor a second estimate asks for them again, whatever was killed in between."""

import contextlib
import json
import math
import re
import shutil
import statistics
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow.parquet as pq

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.calls.ledger import call_keys, sharing
from ragassay.calls.ledger.journal import records
from ragassay.calls.ledger.records import PICO, Ledger
from ragassay.calls.ledger.register import Register
from ragassay.calls.progress import sums_of
from ragassay.schemas.documents import DOCUMENTS

ONE = re.compile(r"(.+)--asked-\d+")  # the name of a document's shard, with that of the shard that it is of
SHARDS, FOLDER, SETTINGS = "asked_shards.tsv", Path("asked_documents"), "asked.yaml"
FIELDS = {"doc_id": "id", "text": "text", "title": "title", "url": "url", "topic": "topic"}
SURE = 0.95
COUNTS = ("requests", "samples", "prompt_tokens", "completion_tokens", "pico")


def chosen(paths: list[Path], count: int) -> dict[str, dict]:
    """Name of a shard for one -> the document, evenly spaced over those of these tables; at most so many."""
    sizes = [pq.read_metadata(path).num_rows for path in paths]
    total, names = sum(sizes), {}
    count = min(count, total)
    wanted = [at * total // count for at in range(count)]
    for path, size in zip(paths, sizes, strict=True):
        inside = [number for number in wanted if 0 <= number < size]
        for row in tables.read(DOCUMENTS, path).take(inside).to_pylist() if inside else ():
            names[f"{path.stem}--asked-{len(names) + 1}"] = row
        wanted = [number - size for number in wanted]
    return names


def prepare(project: Path, documents: dict[str, dict], shards: Path) -> str:
    """Write each document as a shard's file, and a table of shards that begins with them: later ones are compared with
    earlier ones, so none is dropped as a near-duplicate. Returns the configuration that names the table.
    """
    (project / FOLDER).mkdir()
    lines = shards.read_text(encoding="utf-8-sig").rstrip("\n").split("\n")
    blank, first = [""] * (len(lines[0].split("\t")) - 2), []
    for name, row in documents.items():
        file = FOLDER / f"{name}.jsonl"
        fields = {field: row[column] for column, field in FIELDS.items() if row[column]}
        if row["published_at"]:
            fields["date"] = row["published_at"].isoformat()
        (project / file).write_text(json.dumps(fields) + "\n")
        first.append("\t".join([name, str(file), *blank]))
    (project / SHARDS).write_text("\n".join([lines[0], *first, *lines[1:], ""]))
    # What was kept as a document once is one again, whatever makes one of a file.
    (project / SETTINGS).write_text(json.dumps({"shards": SHARDS, "documents": {"min_words": 1}}))
    return SETTINGS


def targets(counted_in: Path, documents: dict[str, dict]) -> list[str]:
    """The tables of calls about each document that an estimate in that folder wrote about its shard."""
    tables_of = defaultdict(list)
    for path in sorted((counted_in / "results/calls").rglob("*.parquet")):
        tables_of[path.stem].append(path.relative_to(counted_in).parent)
    return [f"{place}/{name}.parquet" for name in documents for place in tables_of[ONE.fullmatch(name)[1]]]


def lend(ledger: Path, documents: dict[str, dict]) -> None:
    """Show the jobs about single documents what their shards' ledgers hold already."""
    for folder in [path for path in ledger.rglob("*") if path.is_dir()]:
        for name in documents:
            if folder.name == ONE.fullmatch(name)[1]:
                sharing.make_folder(folder.with_name(name))
                for file in folder.glob("*.jsonl"):
                    (folder.with_name(name) / file.name).hardlink_to(file)


def adopt(ledger: Path) -> None:
    """Move what was asked about single documents into the ledgers of their shards, which then count its dollars."""
    for folder in sorted(path for path in ledger.rglob("*--asked-*") if path.is_dir()):
        if match := ONE.fullmatch(folder.name):
            home = folder.with_name(match[1])
            sharing.make_folder(home)
            for file in folder.glob("*.jsonl"):
                if not (home / file.name).exists():
                    file.replace(home / file.name)
            with contextlib.closing(Ledger(home)) as whole:
                for register in ledger.glob("models/*"):
                    if Register(register, folder).entry():
                        Register(register, home).spent(whole.dollars, whole.dollars_at_risk)
                        Register(register, folder).spent(0.0)
            shutil.rmtree(folder)


def counted(ledger: Path, jobs: list[dict], documents: dict[str, dict]) -> dict[str, list[dict]]:
    """Document's shard -> what each of its jobs asked and paid, whenever that was."""
    rows = {}
    for name in documents:
        of_shard = [job for job in jobs if job["keys"][-1:] == [ONE.fullmatch(name)[1]]]
        places = {(job["rule"], *job["keys"][:-1]): job for job in of_shard}
        asked = {place: _sums(Path(ledger, *place, name)) for place in places}
        rows[name] = [{"rule": job["rule"], "model": job["model"]} | asked[place] for place, job in places.items()]
    return rows


def _sums(folder):
    """What the calls of a job came to; its folder may have records of others, too."""
    keys, of_call, sums = {*call_keys.read(folder / call_keys.WRITTEN).values()}, {}, Counter(dict.fromkeys(COUNTS, 0))
    for record in (record for file in folder.glob("*.jsonl") for _, _, record in records(file) if record):
        calls = {"i": [(record.get("id"), record.get("k"))], "b": [row[:2] for row in record.get("rows", ())]}
        for name, key in calls.get(record["t"], ()):
            of_call[name] = key
            sums["requests"] += key in keys
        if record["t"] == "u" and of_call.get(record["id"]) in keys:
            used = {"samples": record["n"], "prompt_tokens": record["p"], "completion_tokens": record["o"]}
            sums.update(used | {"pico": round(record["usd"] * PICO)})
    return sums


def scaled(rows: dict[str, list[dict]], jobs: list[dict], shards: set[str], count: int) -> tuple[list[dict], list[str]]:
    """The rows of jobs with what was asked, times `count` documents over those asked, in place of what rules counted of
    these shards; and what to say of it.
    """
    if not rows:
        raise AssayError("--ask: found no documents of a new shard, expected some that no run has asked a model about")
    others = [job for job in jobs if not (job["keys"] and job["keys"][-1] in shards)]
    replaced = [job for job in jobs if job["keys"] and job["keys"][-1] in shards]
    sums = sums_of((row for of_document in rows.values() for row in of_document), COUNTS)
    bounds = sums_of(replaced, ("requests_at_most", "pico_at_most", "in_the_ledger"))
    times = count / len(rows)
    for (rule, model), numbers in sums.items():
        counts = {name: round(value * times) for name, value in numbers.items()}
        most = {name: max(bounds[rule, model][f"{name}_at_most"], counts[name]) for name in ("requests", "pico")}
        row = {"rule": rule, "model": model, "keys": [], "in_the_ledger": bounds[rule, model]["in_the_ledger"]}
        row |= counts | {"calls": counts["requests"], "requests_at_most": most["requests"]}
        others.append(row | {"pico_at_most": most["pico"]})
    requests = [sum(row["requests"] for row in of_document) for of_document in rows.values()]
    dollars = [sum(row["pico"] for row in of_document) / PICO for of_document in rows.values()]
    fixed = {name: sum(job.get(name, 0) for job in others if job["keys"]) for name in ("requests", "pico")}
    low, high = (round(fixed["requests"] + end) for end in interval(requests, count))
    cheap, dear = (fixed["pico"] / PICO + end for end in interval(dollars, count))
    return others, [
        f"Asked about {len(rows)} of {count:,} documents: {sum(requests):,} requests, ${sum(dollars):,.4f}.",
        "The ledger has the answers: a run does not ask for them again.",
        f"With {SURE:.0%} confidence all of it takes {low:,} to {high:,} requests and ${cheap:,.4f} to ${dear:,.4f}."
        if len(rows) > 1 or count == 1
        else "One document gives no interval: ask about more.",
    ]


def interval(values: list[float], count: int) -> tuple[float, float]:
    """Of the sum over `count` documents of which these are a sample: by Student's t, and never less than was seen."""
    from scipy import stats  # which takes longer to load than an estimate without it

    n, mean = len(values), sum(values) / len(values)
    if n < 2 or n == count:
        return (mean * count,) * 2
    margin = stats.t.ppf((1 + SURE) / 2, n - 1) * statistics.stdev(values) * math.sqrt((1 - n / count) / n)
    return max(sum(values), count * (mean - margin)), count * (mean + margin)
