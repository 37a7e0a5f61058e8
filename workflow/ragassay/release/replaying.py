"""`make replay`: rebuild the tables of a release from the models' recorded answers, without a key and without
network. The release may come from anybody: it is verified, only rules of this checkout run, in a scratch folder and a
sandbox, and every model is in mode replay, so that a call without a recorded answer stops the job. What comes out is
compared with the release."""

import os
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ragassay.base import plain_yaml, tables
from ragassay.base.address import is_address, stays_inside
from ragassay.base.errors import AssayError, Unusable, one_item
from ragassay.base.pipeline import INSTALLED, LIBRARY, PIPELINE, in_clone
from ragassay.base.tables import Table
from ragassay.calls.ledger.call_keys import GIVEN, write_list
from ragassay.config import schema
from ragassay.config import settings as configuration
from ragassay.config.services import without_services
from ragassay.release.comparing import Outcome
from ragassay.release.contents import ABOUT, MADE, MEASURED, POISON, RULES, TEXTS, TOLERANCE, part
from ragassay.release.ledger_extract import account, write_ledger
from ragassay.release.opening import opened as opened_release
from ragassay.release.rehydrating import texts
from ragassay.release.sandbox import run_boxed, scratch_folder
from ragassay.release.verification.digests import read_table
from ragassay.release.verification.release_folder import TABLES
from ragassay.results import all_tables

CODE = ("Snakefile", "config", "envs", "profiles", "resources", "workflow")  # copied from this checkout
LONG_AGO = 1_000_000_000
# One target for all files: a command line with hundreds of thousands of them is longer than systems take.
TARGETS = """include: "Snakefile"

localrules:
    replay,

rule replay:
    input:
        [line.rstrip("\\n") for line in open("targets.txt", encoding="utf-8")],
"""
PLANNING = "ragassay: "  # how a line begins that stops a plan
MISS = "mode replay, and the ledger has no answer for call"


class NotReplayed(AssayError):
    """The release cannot be replayed, or what came out is not what it holds."""


def replay(
    release, project=".", only: Iterable[str] = (), rehydrated=None, run: Callable | None = None, signers=None
) -> Outcome:
    """`only` names tables; `rehydrated` is a folder with texts that the release withholds; `run` starts Snakemake in a
    folder with arguments; `signers` is a file with the keys that may have signed it.
    """
    opened = opened_release(release, signers)
    rules, names = _rules(opened), _made(opened)
    config, shards = _checked(opened)
    if unknown := sorted(set(only) - set(names)):
        expected = f"expected some of those that a replay makes: {', '.join(names)}"
        raise NotReplayed(f"{release}: found {', '.join(unknown)}, {expected}")
    with scratch_folder(Path(project).resolve()) as scratch:
        texts_by_hash = texts(rehydrated) if rehydrated else {}
        try:
            with one_item():
                _lay_out(opened, project, scratch, config, shards)
                withheld = _give(opened, scratch, texts_by_hash)
                # rules whose prompts cannot be rendered without the texts of these tables
                keyed = {rule for rule in RULES if not withheld.isdisjoint(ABOUT.get(rule, ["documents"]))}
                _write_ledgers(opened, scratch)
                _give_keys(opened, scratch, keyed)
                (scratch / "replay.smk").write_text(TARGETS, encoding="utf-8")
                targets = list(_files(opened, only or names))
                lines = [f"results/{file.partition('/')[2]}\n" for file, _ in targets]
                (scratch / "targets.txt").write_text("".join(lines), encoding="utf-8")
        except Unusable as why:
            raise NotReplayed(f"{release}: cannot be laid out for a replay ({why})") from why
        arguments = ["--snakefile", "replay.smk", "--forceall", "--rerun-triggers", "input"]
        arguments += ["--allowed-rules", *rules, "replay", "--", "replay"]
        done = (run or run_boxed)(scratch, arguments)
        if done.returncode:
            raise NotReplayed(_why(done.stdout, release))
        of_answers = {made for rule in keyed for made in MADE.get(rule, ())}
        way = "texts" if of_answers.isdisjoint(_part(file) for file, _ in targets) else "answers"
        return _compared(opened, scratch, targets, way)


def _rules(opened):
    """The rules that run: of this checkout, and none that it does not replay."""
    rules = opened.manifest["replay"].get("rules", RULES)
    if other := next((rule for rule in rules if rule not in RULES), None):
        raise NotReplayed(f"{opened.folder}: replay.rules: found {other!r}, expected some of {', '.join(RULES)}")
    return rules


def _checked(opened):
    """The configuration of the release as the scratch project has it, and its shards."""
    folder = opened.folder
    try:
        config = configuration.of_files([folder / "config/config.yaml"], schema.merged())
    except configuration.ConfigError as error:
        raise NotReplayed(str(error).splitlines()[0]) from error
    config["shards"] = "config/shards.tsv"
    for entry in [*config["models"].values(), *config["services"].values()]:
        entry |= {"mode": "replay", "key_variable": None}
    shards = (folder / "config/shards.tsv").read_bytes().decode(errors="surrogateescape")
    if shards.split()[:2] != ["shard", "documents"] or "\0" in shards:
        raise NotReplayed(f"{folder}/config/shards.tsv: found no table with the columns shard and documents")
    shards = _here(opened, shards)
    for path in _brought(config, shards):
        if not stays_inside(path):
            raise NotReplayed(f"{folder}: found the path {path[:100]!r}, expected one inside the working directory")
    return config, shards


def _here(opened, shards):
    """The table of shards without those that no file of the release is about: to plan thousands takes minutes."""
    names = {part for files in opened.files.values() for file in files for part in file[: -len(".parquet")].split("/")}
    header, *rows = shards.splitlines(keepends=True)
    return "".join([header, *([row for row in rows if row.split("\t")[0] in names] or rows[:1])])


def _lay_out(opened, project, scratch, config, shards):
    """Copies of the code, and the configuration and prompts of the release."""
    for name in CODE:
        source = Path(project if in_clone() else PIPELINE, name)
        if source.is_dir():
            shutil.copytree(source, scratch / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, scratch / name)
    if INSTALLED:
        without = shutil.ignore_patterns("__pycache__", "pipeline")
        shutil.copytree(LIBRARY, scratch / "workflow/ragassay", ignore=without)
    for path in (opened.folder / "prompts").glob("*"):
        shutil.copyfile(path, scratch / "resources/prompts" / path.name)
    (scratch / "config/config.yaml").write_text(plain_yaml.dump(without_services(config)), encoding="utf-8")
    (scratch / "config/shards.tsv").write_text(shards, encoding="utf-8", errors="surrogateescape", newline="")
    for path in _brought(config, shards):
        _stand_in(scratch / path)


def _brought(config, shards):
    """Paths of files that users bring: no job reads them, since what was made from them is given."""
    for _, value, entry in schema.values(config, schema.merged()):
        if entry.get("exists") and isinstance(value, str) and not is_address(value):
            yield value
    for row in shards.splitlines()[1:]:
        yield from (path for path in row.split("\t")[1:2] if path and not is_address(path))


def _stand_in(path):
    """An empty file in the place of one that a stranger has not, or a folder with one."""
    if not path.exists():
        file = path if path.suffix else path / "withheld.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def _give(opened, scratch, texts_by_hash):
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
            rows = _with_texts(read_table(opened.folder / file), texts_by_hash)
            if any(rows[column].null_count for column in _texts(table)):
                withheld.add(name)
            tables.write(table, place, _as_declared(table, rows))
        os.utime(place, (LONG_AGO, LONG_AGO))
    return withheld


def _texts(table):
    """The columns with texts that prompts may show; each row of a run has some."""
    owners = TEXTS.get(table.name, {})
    return [column.name for column in table.columns if owners.get(column.name, POISON) != POISON and not column.null]


def _made(opened):
    """Tables and parts of tables that a replay makes, byte for byte or within a tolerance."""
    replay = opened.manifest["replay"]
    within = replay.get("within", {})
    makeable = {"calls", *(name for names in MADE.values() for name in names)}
    measurable = within.keys() <= MEASURED.keys() and set(within.values()) <= {TOLERANCE}
    if measurable and makeable.issuperset(replay["rebuilt"]):
        return [*replay["rebuilt"], *within]
    expected = f"expected parts of tables that rules make, and {', '.join(MEASURED)} within {TOLERANCE}"
    raise NotReplayed(f"{opened.folder}: replay: found {[*replay['rebuilt']]} within {within}, {expected}")


def _part(file):
    return part(file.removeprefix(f"{TABLES}/").removesuffix(".parquet"))


def _files(opened, parts):
    """Files of these tables or parts of tables, each with the name of its table."""
    for name, files in opened.files.items():
        for file in files:
            if _part(file) in parts:
                yield file, name


def _with_texts(rows, texts_by_hash):
    """The rows with the texts that are known by their hashes; a document ends where it is said to."""
    if not texts_by_hash or "content_hash" not in rows.column_names:
        return rows
    column = rows["text"].to_pylist()
    ends = rows["text_end"].to_pylist() if "text_end" in rows.column_names else [None] * len(column)
    for at, digest in enumerate(rows["content_hash"].to_pylist()):
        if column[at] is None and digest in texts_by_hash:
            column[at] = texts_by_hash[digest][: ends[at]]
    return rows.set_column(rows.column_names.index("text"), "text", pa.array(column, pa.string()))


def _as_declared(table: Table, rows: pa.Table) -> pa.Table:
    """Withheld texts are empty: no stage of a replay reads them."""
    columns = []
    for column in table.columns:
        values = rows[column.name]
        if not column.null and values.null_count:
            nothing = "" if column.type == pa.string() else []
            filled = [nothing if value is None else value for value in values.to_pylist()]
            values = pa.array(filled, column.type)
        columns.append(values)
    return pa.table(columns, schema=table.schema)


def _write_ledgers(opened, scratch):
    accounts = {}
    for file, rows in opened.each("calls"):
        for row in rows.to_pylist():
            accounts[opened.place("calls", file)] = row
    for file, rows in opened.each("recorded_answers"):
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


def _why(output, release):
    """The last words of the job that failed, else what is wrong with the plan, else the end of what Snakemake said."""
    lines = [line.strip() for line in output.strip().splitlines()]
    if missed := next((line for line in lines if MISS in line), None):
        return f"{release}: {missed}, or the release lacks it, or this code is not that of the run"
    last_words = [line.removeprefix(PLANNING) for line in lines if line.startswith(PLANNING)]
    last_words += re.findall(r"^  (\w+(?: \(.*\))?: .+)$", output.rpartition(" failed:\n")[2], re.MULTILINE)
    return f"{release}: the replay failed: " + (last_words[-1] if last_words else " / ".join(lines[-6:]))


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
