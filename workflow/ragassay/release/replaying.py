"""`make replay`: rebuild the tables of a release from the models' recorded answers, without a key and without network.

The workflow runs in a scratch folder that sees this project's code. There it finds the release's configuration and
prompts, the tables that a replay is given, and ledgers made from `recorded_answers`; every model is in mode replay, so
that a call without a recorded answer stops the job. What comes out is compared with the release.
"""

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from ragassay import tables
from ragassay.errors import AssayError
from ragassay.ledger.asked import GIVEN, write_list
from ragassay.plan import schema
from ragassay.plan.schema import values
from ragassay.release.contents import ABOUT, MADE, POISON, RULES, TEXTS, part
from ragassay.release.ledger_extract import account, write_ledger
from ragassay.release.outcome import Outcome
from ragassay.release.rehydrating import texts
from ragassay.release.verification import listing
from ragassay.release.verification.release_folder import TABLES, ReleaseFolder, Unusable
from ragassay.results import all_tables
from ragassay.tables import Table

OWN = {"results", "logs", "ledger", "releases", "config", "resources", ".snakemake", ".git"}  # the rest is linked
OFFLINE = "RAGASSAY_NO_NETWORK"  # heeded by workflow/startup
LONG_AGO = 1_000_000_000
# One target for all files: a command line with hundreds of thousands of them is longer than systems take.
TARGETS = """include: "Snakefile"

localrules:
    replay,

rule replay:
    input:
        [line.rstrip("\\n") for line in open("targets.txt", encoding="utf-8")],
"""
MISS = "mode replay, and the ledger has no answer for call"


class NotReplayed(AssayError):
    """The release cannot be replayed, or what came out is not what it holds."""


def replay(release, project=".", only: Iterable[str] = (), rehydrated=None, run: Callable | None = None) -> Outcome:
    """`only` names tables; `rehydrated` is a folder with texts that the release withholds; `run` starts Snakemake in a
    folder with arguments and an environment.
    """
    opened = _opened(release)
    project = Path(project).resolve()
    (project / ".snakemake").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="replay-", dir=project / ".snakemake") as folder:
        scratch = Path(folder, "project")
        config = _lay_out(opened, project, scratch)
        keyed = _keyed(_give(opened, scratch, texts(rehydrated) if rehydrated else {}))
        _write_ledgers(opened, scratch)
        _give_keys(opened, scratch, keyed)
        names = _made(opened)
        if unknown := sorted(set(only) - set(names)):
            expected = f"expected some of those that a replay makes: {', '.join(names)}"
            raise NotReplayed(f"{release}: found {', '.join(unknown)}, {expected}")
        targets = list(_files(opened, only or names))
        _write_targets(scratch, targets)
        arguments = ["--snakefile", "replay.smk", "--forceall", "--rerun-triggers", "input"]
        arguments += ["--allowed-rules", *opened.manifest["replay"].get("rules", RULES), "replay", "--", "replay"]
        keys = {entry["key_variable"]: "none" for entry in config["models"].values() if entry["key_variable"]}
        done = (run or _snakemake)(scratch, arguments, {OFFLINE: "1"} | keys)
        if done.returncode:
            raise NotReplayed(_why(done.stdout, release))
        of_answers = {made for rule in keyed for made in MADE.get(rule, ())}
        way = "texts" if of_answers.isdisjoint(_part(file) for file, _ in targets) else "answers"
        return _compared(opened, scratch, targets, way)


def _opened(release):
    folder = Path(release)
    try:
        opened = ReleaseFolder(folder)
    except Unusable as error:
        raise NotReplayed(str(error)) from error
    for problem in listing.problems(folder):
        raise NotReplayed(f"{release}: {problem}")
    return opened


def _lay_out(opened, project, scratch):
    """Links to the code, and the configuration and prompts of the release."""
    scratch.mkdir()
    for path in project.iterdir():
        if path.name not in OWN:
            (scratch / path.name).symlink_to(path)
    for name in ("config", "resources"):
        (scratch / name).symlink_to(project / name)
    prompts = scratch / "resources/prompts"
    _unlinked(scratch, prompts)
    for path in (opened.folder / "prompts").iterdir():
        (prompts / path.name).unlink(missing_ok=True)
        shutil.copyfile(path, prompts / path.name)
    config = yaml.safe_load((opened.folder / "config/config.yaml").read_text(encoding="utf-8"))
    config["shards"] = "config/shards.tsv"
    for entry in config["models"].values():
        entry["mode"] = "replay"
    _unlinked(scratch, scratch / "config")
    for name, text in {
        "config.yaml": yaml.safe_dump(config, allow_unicode=True),
        "shards.tsv": (opened.folder / "config/shards.tsv").read_text(encoding="utf-8"),
    }.items():
        (scratch / "config" / name).unlink(missing_ok=True)
        (scratch / "config" / name).write_text(text, encoding="utf-8")
    for path in _brought(config, scratch):
        _stand_in(scratch, scratch / path)
    return config


def _brought(config, scratch):
    """Paths of files that users bring: no job reads them, since what was made from them is given."""
    for _, value, entry in values(config, schema.merged()):
        if entry.get("exists") and isinstance(value, str):
            yield value
    with (scratch / "config/shards.tsv").open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        yield from filter(None, (row["documents"] for row in rows))


def _stand_in(scratch, path):
    """An empty file in the place of one that a stranger has not, or a folder with one."""
    if not path.exists():
        file = path if path.suffix else path / "withheld.txt"
        _unlinked(scratch, file.parent)
        file.touch()


def _unlinked(scratch, folder):
    """A folder of the scratch project that may be written to: instead of a link, a folder of links."""
    for above in [*reversed(folder.relative_to(scratch).parents), folder.relative_to(scratch)]:
        place = scratch / above
        if place.is_symlink():
            target = place.resolve()
            place.unlink()
            place.mkdir()
            for path in target.iterdir():
                (place / path.name).symlink_to(path)
        place.mkdir(exist_ok=True)


def _give(opened, scratch, known):
    """All tables, as stages read them: without columns that only releases have. What Snakemake makes again, it removes;
    the time of a file tells. Returns the tables in which a text is missing that is not poison.
    """
    declared, withheld = all_tables(), set()
    for file, name in _files(opened, [*opened.manifest["replay"]["given"], *_made(opened)]):
        place = scratch / "results" / file.partition("/")[2]
        place.parent.mkdir(parents=True, exist_ok=True)
        table = declared[name]
        if pq.read_schema(opened.folder / file).equals(table.schema):
            shutil.copyfile(opened.folder / file, place)
        else:
            rows = pq.read_table(opened.folder / file, partitioning=None)
            rows = _with_texts(rows, known)
            if any(rows[column].null_count for column in _texts(table)):
                withheld.add(name)
            tables.write(table, place, _as_declared(table, rows))
        os.utime(place, (LONG_AGO, LONG_AGO))
    return withheld


def _texts(table):
    """The columns with texts that prompts may show; each row of a run has some."""
    owners = TEXTS.get(table.name, {})
    return [column.name for column in table.columns if owners.get(column.name, POISON) != POISON and not column.null]


def _keyed(withheld):
    """The rules whose prompts cannot be rendered without the texts of these tables."""
    return {rule for rule in RULES if not withheld.isdisjoint(ABOUT.get(rule, ["documents"]))}


def _made(opened):
    """Tables and parts of tables that a replay makes, byte for byte or within a tolerance."""
    replay = opened.manifest["replay"]
    return [*replay["rebuilt"], *replay.get("within", {})]


def _write_targets(scratch, targets):
    (scratch / "replay.smk").write_text(TARGETS, encoding="utf-8")
    lines = [f"results/{file.partition('/')[2]}\n" for file, _ in targets]
    (scratch / "targets.txt").write_text("".join(lines), encoding="utf-8")


def _part(file):
    return part(file.removeprefix(f"{TABLES}/").removesuffix(".parquet"))


def _files(opened, parts):
    """Files of these tables or parts of tables, each with the name of its table."""
    for name, files in opened.files.items():
        for file in files:
            if _part(file) in parts:
                yield file, name


def _with_texts(rows, known):
    """The rows with the texts that are known by their hashes; a document ends where it is said to."""
    if not known or "content_hash" not in rows.column_names:
        return rows
    found = rows["text"].to_pylist()
    ends = rows["text_end"].to_pylist() if "text_end" in rows.column_names else [None] * len(found)
    for at, digest in enumerate(rows["content_hash"].to_pylist()):
        if found[at] is None and digest in known:
            found[at] = known[digest][: ends[at]]
    return rows.set_column(rows.column_names.index("text"), "text", pa.array(found, pa.string()))


def _as_declared(table: Table, rows: pa.Table) -> pa.Table:
    """Withheld texts are empty: no stage of a replay reads them."""
    columns = []
    for column in table.columns:
        values = rows[column.name]
        if not column.null and values.null_count:
            values = values.fill_null("") if column.type == pa.string() else pa.array(
                [value or [] for value in values.to_pylist()], column.type
            )  # fmt: skip
        columns.append(values)
    return pa.table(columns, schema=table.schema)


def _write_ledgers(opened, scratch):
    accounts = {}
    for file, rows in opened.each("calls", [column["name"] for column in opened.tables["calls"]["columns"]]):
        for row in rows.to_pylist():
            accounts[opened.place("calls", file)] = row
    for file, rows in opened.each(
        "recorded_answers", [column["name"] for column in opened.tables["recorded_answers"]["columns"]]
    ):
        job = opened.place("recorded_answers", file)
        write_ledger(scratch / "ledger" / job, rows.to_pylist(), account(job, accounts))


def _give_keys(opened, scratch, rules):
    """Without texts there are no prompts and no keys of their answers; the release says which call had which."""
    for file, rows in opened.each("asked_calls", ["item", "call", "key"]):
        if opened.place("asked_calls", file).split("/")[0] not in rules:
            continue
        places = zip(rows["item"].to_pylist(), rows["call"].to_pylist(), strict=True)
        keys = dict(zip(places, rows["key"].to_pylist(), strict=True))
        write_list(scratch / "ledger" / opened.place("asked_calls", file) / GIVEN, keys)


def _snakemake(folder, arguments, environment):
    command = [sys.executable, "-m", "snakemake", "--quiet", "host", "rules", "reason", *arguments]
    together = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run(command, cwd=folder, env=os.environ | environment, **together)


def _why(output, release):
    """The last words of the job that failed, else those of Snakemake."""
    lines = [line.strip() for line in output.strip().splitlines()]
    if missed := next((line for line in lines if MISS in line), None):
        return f"{release}: {missed}, or the release lacks it, or this code is not that of the run"
    rule = re.search(r"\.(\w+)\.py' returned non-zero exit status", output)
    said = [line for line in lines if rule and re.match(rf"{rule[1]}( \(.*\))?: ", line)]
    return f"{release}: the replay failed: " + (said[-1] if said else " / ".join(lines[-6:]))


def _compared(opened, scratch, targets, way):
    outcome, tolerances = Outcome(way), opened.manifest["replay"].get("within", {})
    for file, name in targets:
        made = scratch / "results" / file.partition("/")[2]
        if made.stat().st_mtime == LONG_AGO:
            outcome.given.append(file)
        else:
            withheld = opened.manifest["texts"].get(name, [])
            outcome.add(file, made, opened.folder / file, withheld, tolerances.get(_part(file)))
    return outcome
