"""Releases that want something: to run code, to write elsewhere, to hang or fill the machine that looks at them.

Each trick is applied to a copy of an honest release and made to fit its list of digests, as its author would.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from publishing.sealing import seal, with_column
from ragassay.base import plain_yaml
from ragassay.release.verification import listing
from ragassay.release.verification.release_folder import MANIFEST, SUMS

OUTSIDE = "/tmp/ragassay-hostile-outside"  # where tricks want to write
CODE = f"open({OUTSIDE!r} + '-ran', 'w').close()"
CLAIMS = "tables/claims/authors/2026-01.parquet"
ANSWERS = "tables/recorded_answers/judge_scope/authors/careful/2026-01.parquet"
PROMPT = "prompts/extract_claims.yaml"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)


def in_manifest(*changes) -> Callable[[Path], None]:
    """(path of keys, value) of each entry that becomes another."""

    def trick(folder):
        manifest = json.loads((folder / MANIFEST).read_text())
        for keys, value in changes:
            *above, last = keys
            place = manifest
            for key in above:
                place = place[key]
            place[last] = value
        write_manifest(folder, json.dumps(manifest))

    return trick


def write_manifest(folder: Path, text: str) -> None:
    (folder / MANIFEST).write_text(text)
    listing.write_sums(folder)


def moved(table: str, file: str, place: str) -> Callable[[Path], None]:
    """The manifest has a file of a table at another place, where it lies, too, if it can."""

    def trick(folder):
        manifest = json.loads((folder / MANIFEST).read_text())
        files = manifest["tables"][table]["files"]
        files[place] = files.pop(file)
        target = folder / place
        if folder in target.parents and "\0" not in place and ".." not in place:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(folder / file, target)
        write_manifest(folder, json.dumps(manifest))

    return trick


def in_file(name: str, content: str | bytes | Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def trick(folder):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        own = content(path.read_bytes()) if callable(content) else content
        path.write_bytes(own.encode() if isinstance(own, str) else own)
        listing.write_sums(folder)

    return trick


MILLION = {
    "datasets": ["demo"],
    "retrievers": ["minilm"],
    "attacks": [f"a{number}" for number in range(1000)],
    "defences": [f"d{number}" for number in range(1000)],
}


def in_config(**changes) -> Callable[[Path], None]:
    def trick(folder):
        path = folder / "config/config.yaml"
        path.write_text(plain_yaml.dump(plain_yaml.load(path.read_text()) | changes))
        listing.write_sums(folder)

    return trick


def with_set(file: str) -> Callable[[Path], None]:
    """A set of queries whose file is elsewhere."""
    return in_config(query_sets={"zz": {"files": [file], "columns": {}}})


def as_table(make: Callable[[Path], None], **entry) -> Callable[[Path], None]:
    """The file of claims is another one, about which the manifest lies."""

    def trick(folder):
        make(folder / CLAIMS)
        manifest = json.loads((folder / MANIFEST).read_text())
        manifest["tables"]["claims"]["files"][CLAIMS] |= {"digest": "0" * 64} | entry
        write_manifest(folder, json.dumps(manifest))

    return trick


def dictionary_bomb(path: Path) -> None:
    """Kilobytes that stand for 200 GB: one long text, many times."""
    rows = pq.read_table(path, partitioning=None).slice(0, 1)
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 200_000, pa.int32()), pa.array(["x" * 1_000_000]))
    columns = [text if name == "text" else pa.repeat(rows[name][0], 200_000) for name in rows.column_names]
    pq.write_table(pa.table(columns, rows.column_names), path, store_schema=False, use_dictionary=["text"])


def rows_bomb(path: Path) -> None:
    """Hundreds of millions of equal rows."""
    rows = pq.read_table(path, partitioning=None).slice(0, 1)
    schema = rows.schema
    piece = pa.table([pa.repeat(rows[name][0], 1_000_000) for name in rows.column_names], schema=schema)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for _ in range(60):
            writer.write_table(piece)


def packed_bomb(path: Path) -> None:
    """Texts that compress ten thousand times."""
    rows = pq.read_table(path, partitioning=None).slice(0, 1)
    texts = pa.array([f"{number}" + " " * 2_000_000 for number in range(300)])
    columns = [texts if name == "text" else pa.repeat(rows[name][0], 300) for name in rows.column_names]
    pq.write_table(pa.table(columns, rows.column_names), path, compression="zstd", use_dictionary=False)


def resealed(table: str, *dropped: str) -> Callable[[Path], None]:
    """A table without these columns, or no such table where none is named, and all else made to fit."""

    def trick(folder):
        manifest = json.loads((folder / MANIFEST).read_text())
        entry = manifest["tables"][table]
        if not dropped:
            del manifest["tables"][table]
        entry["columns"] = [column for column in entry["columns"] if column["name"] not in dropped]
        texts = manifest["texts"].pop(table, [])
        if dropped and texts:
            manifest["texts"][table] = [name for name in texts if name not in dropped]
        for file in entry["files"]:
            rows = pq.read_table(folder / file, partitioning=None).drop_columns(list(dropped))
            (folder / file).unlink() if not dropped else pq.write_table(rows, folder / file)
        for place in sorted(folder.rglob("*"), reverse=True):
            if place.is_dir() and not any(place.iterdir()):
                place.rmdir()
        (folder / MANIFEST).write_text(json.dumps(manifest))
        seal(folder)

    return trick


def entries(*keys: str, **made) -> Callable[[Path], None]:
    """A mapping of the manifest gets so many more entries."""

    def trick(folder):
        manifest = json.loads((folder / MANIFEST).read_text())
        place = manifest
        for key in keys:
            place = place[key]
        place |= made
        write_manifest(folder, json.dumps(manifest))

    return trick


def nulls(folder: Path) -> None:
    """A column that is never empty is, and the manifest allows it."""
    manifest = json.loads((folder / MANIFEST).read_text())
    for column in manifest["tables"]["metrics"]["columns"]:
        column["null"] |= column["name"] == "keys"
    (folder / MANIFEST).write_text(json.dumps(manifest))
    for file in manifest["tables"]["metrics"]["files"]:
        rows = pq.read_table(folder / file, partitioning=None)
        at = rows.column_names.index("keys")
        empty = pa.nulls(rows.num_rows, pa.string())
        pq.write_table(rows.set_column(at, rows.schema.field(at).with_nullable(True), empty), folder / file)
    seal(folder)


def nested_accounts(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    for file in manifest["tables"]["calls"]["files"]:
        rows = pq.read_table(folder / file, partitioning=None)
        pq.write_table(with_column(rows, "served_as", ["[" * 100_000] * rows.num_rows), folder / file)
    seal(folder)


def many_bombs(folder: Path) -> None:
    """Files of some 20 kB that unfold to 200 MB each, which is allowed for one alone."""
    manifest = json.loads((folder / MANIFEST).read_text())
    files = manifest["tables"]["claims"]["files"]
    rows = pq.read_table(folder / CLAIMS, partitioning=None).slice(0, 1)
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 200, pa.int32()), pa.array(["x" * 1_000_000]))
    columns = [text if name == "text" else pa.repeat(rows[name][0], 200) for name in rows.column_names]
    for number in range(300):
        file = f"{Path(CLAIMS).parent}/s{number}.parquet"
        files[file] = {"rows": 200, "digest": "0" * 64}
        if number:
            shutil.copyfile(folder / Path(CLAIMS).parent / "s0.parquet", folder / file)
        else:
            made = pa.table(columns, rows.column_names)
            pq.write_table(made, folder / file, store_schema=False, use_dictionary=["text"])
    write_manifest(folder, json.dumps(manifest))


def piped_list(folder: Path) -> None:
    (folder / SUMS).unlink()
    os.mkfifo(folder / SUMS)


def no_prompts(folder: Path) -> None:
    shutil.rmtree(folder / "prompts")
    in_manifest((("prompts",), {}))(folder)


def linked(folder: Path) -> None:
    (folder / CLAIMS).unlink()
    (folder / CLAIMS).symlink_to("/etc/passwd")


def piped(folder: Path) -> None:
    (folder / "README.md").unlink()
    os.mkfifo(folder / "README.md")


def listed_elsewhere(folder: Path) -> None:
    text = (folder / SUMS).read_text()
    (folder / SUMS).write_text(text + f"{'0' * 64}  ../../../etc/passwd\n")


def forged(folder: Path) -> None:
    """The list keeps a signature that was genuine, and the checker is another."""
    (folder / "SHA256SUMS.sig").write_text("genuine")
    path = folder / "ragassay/release/verification/checks.py"
    path.write_text(CODE + "\ndef problems(*_):\n    return iter(())\n")
    listing.write_sums(folder)


def untrue(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    prompts = {digest: file.replace("extract_claims", "judge_scope") for digest, file in manifest["prompts"].items()}
    seal(folder, prompts=prompts)


RULES = "replay", "rules"
FILE, TABLE = ("tables", "claims", "files"), ("tables", "claims")
LETTERS = str.maketrans("0123456789", "abcdefghij")
EMPTY = {"path": None, "row": "", "key": ["a"], "columns": [{"name": "a", "type": "int64", "null": False}], "files": {}}
SMK = f"import os\n{CODE}\n"
TRICKS = {
    # Options on Snakemake's command line, and rules that no replay runs.
    "a snakefile among the rules": in_manifest((RULES, ["replay", "--snakefile", "resources/prompts/evil.smk"])),
    "another folder among the rules": in_manifest((RULES, ["replay", "--directory", OUTSIDE])),
    "deletion among the rules": in_manifest((RULES, ["replay", "--delete-all-output", "--dry-run"])),
    "help among the rules": in_manifest((RULES, ["replay", "--help"])),
    "a rule that crawls": in_manifest((RULES, ["crawl_shard"])),
    "a rule that trains": in_manifest((RULES, ["extract_claims", "train_detector"])),
    "rules that are a text": in_manifest((RULES, "extract_claims")),
    "rules that are numbers": in_manifest((RULES, [1, None])),
    # Places of files.
    "a table at an absolute path": moved("claims", CLAIMS, f"tables/{OUTSIDE}/x.parquet"),
    "a table above": moved("claims", CLAIMS, "tables/../workflow/x.parquet"),
    "a table far above": moved("claims", CLAIMS, "tables/claims/../../../../x.parquet"),
    "a table at a dot": moved("claims", CLAIMS, "tables/claims/./authors/2026-01.parquet"),
    "a table in a hidden folder": moved("claims", CLAIMS, "tables/claims/.git/2026-01.parquet"),
    "a table behind a backslash": moved("claims", CLAIMS, "tables/claims/..\\..\\x/2026-01.parquet"),
    "a table with a null": moved("claims", CLAIMS, "tables/claims/authors/2026\0-01.parquet"),
    "a table with a line end": moved("claims", CLAIMS, "tables/claims/authors/2026\n-01.parquet"),
    "a table at another table's place": moved("claims", CLAIMS, "tables/questions/authors/2026-09.parquet"),
    "a ledger at an absolute path": moved("recorded_answers", ANSWERS, f"tables/recorded_answers/{OUTSIDE}/x.parquet"),
    "a ledger above": moved("recorded_answers", ANSWERS, "tables/recorded_answers/../../../x.parquet"),
    "a table that nobody declared": in_manifest(
        (("tables", "evil"), {"path": "evil", "row": "", "key": ["a"], "columns": [], "files": {}})
    ),
    "a declared table elsewhere": in_manifest(((*TABLE, "path"), "workflow/{generator}/{shard}")),
    "a path with an attribute": in_manifest(((*TABLE, "path"), "claims/{generator.__class__}/{shard}")),
    "a path with a width": in_manifest(((*TABLE, "path"), "claims/{generator:>999999999}/{shard}")),
    "a path with a pattern": in_manifest(((*TABLE, "path"), "(a+)+$/{generator}/{shard}")),
    "a path that is a number": in_manifest(((*TABLE, "path"), 7)),
    # What the manifest says of itself.
    "a funnel with an attribute": in_manifest((("funnels",), [["claims", "questions", "{0.__class__}"]])),
    "a funnel with a width": in_manifest((("funnels",), [["claims", "questions", "{shard:>999999999}"]])),
    "references of one name": in_manifest((("references",), [["claims"]])),
    "a part of a table above": in_manifest((("replay", "given"), ["../x"])),
    "a part that nobody makes": in_manifest((("replay", "rebuilt"), ["documents"])),
    "a wide tolerance": in_manifest((("replay", "within"), {"metrics/detectors": 1e9})),
    "a tolerance for votes": in_manifest((("replay", "within"), {"scope_votes": 1e-6})),
    "no number of rows": in_manifest(((*FILE, CLAIMS), {"rows": float("nan"), "digest": "0" * 64})),
    "fewer rows than none": in_manifest(((*FILE, CLAIMS), {"rows": -1, "digest": "0" * 64})),
    "sources that are numbers": in_manifest((("sources",), {"default": 1})),
    "a version with a path": in_manifest((("version",), "../../2026")),
    "a version with an escape": in_manifest((("version",), "\x1b[2J")),
    "a signature that is missing": in_manifest((("signed",), True)),
    "texts that are a number": in_manifest((("texts",), 1)),
    "a manifest without end": lambda folder: write_manifest(folder, "[" * 200_000),
    "a manifest of nothing": lambda folder: write_manifest(folder, "null"),
    "a manifest that is a list": lambda folder: write_manifest(folder, "[]"),
    "a manifest of 70 MB": lambda folder: write_manifest(folder, json.dumps({"a": "x" * 70_000_000})),
    "numbers without end": lambda folder: write_manifest(folder, '{"version": ' + "9" * 1_000_000 + "}"),
    # Prompts.
    "a prompt that is code": in_file("prompts/evil.smk", SMK),
    "a prompt of nobody": in_file("prompts/evil.yaml", SMK),
    "a prompt with a tag": in_file(PROMPT, f'!!python/object/apply:exec ["{CODE}"]\n'),
    "a prompt of aliases": in_file(PROMPT, BOMB),
    "a prompt with another text": in_file(PROMPT, lambda own: own.replace(b"fact", b"lie")),
    "a prompt under another name": untrue,
    # Configuration and shards.
    "a configuration of aliases": in_file("config/config.yaml", BOMB),
    "a configuration with a tag": in_file("config/config.yaml", f'!!python/object/apply:exec ["{CODE}"]\n'),
    "a deep configuration": in_file("config/config.yaml", "[" * 20_000),
    "a configuration that is a list": in_file("config/config.yaml", "[1, 2]\n"),
    "a configuration that is no text": in_file("config/config.yaml", b"\xff\xfe\x00"),
    "a long number in base 60": in_file("config/config.yaml", lambda own: own + b"evil: 1" + b":1" * 180_000 + b"\n"),
    "no configuration": lambda folder: ((folder / "config/config.yaml").unlink(), listing.write_sums(folder)),
    "an unknown setting": in_config(evil=True),
    "a million combinations": in_config(
        datasets={"demo": {"corpus": "articles", "targets": ["resources/demo/attacks/targets.csv"]}},
        attacks={f"a{number}": {"kind": "prompt_injection"} for number in range(1000)},
        defences={f"d{number}": {"kind": "oracle"} for number in range(1000)},
        under_attack={"cells": [MILLION]},
    ),
    "a key for a setting": in_config(
        models={"a": {"provider": "openai", "model": "x", "price": {}, "key_variable": 1}}
    ),
    "a set of queries at an absolute path": with_set(f"{OUTSIDE}/queries.csv"),
    "a set of queries above": with_set("../../../queries.csv"),
    "documents at an absolute path": in_file("config/shards.tsv", f"shard\tdocuments\n2026-01\t{OUTSIDE}/docs\n"),
    "documents above": in_file("config/shards.tsv", "shard\tdocuments\n2026-01\t../../docs\n"),
    "shards that are no table": in_file("config/shards.tsv", b"\0\xff\n\0"),
    "documents below a file": in_file("config/shards.tsv", "shard\tdocuments\n2026-01\tSnakefile/x\n"),
    "documents with a long name": in_file("config/shards.tsv", f"shard\tdocuments\n2026-01\t{'x' * 300}\n"),
    "documents with a longer name": in_file("config/shards.tsv", f"shard\tdocuments\n2026-01\t{'x' * 200_000}\n"),
    "a million shards": in_file(
        "config/shards.tsv", "shard\tdocuments\n" + "".join(f"s{n}\tdocuments{n}\n" for n in range(1_000_000))
    ),
    "a prompt of 40 MB": in_file(PROMPT, "a:\n" + "- [x, y, z]\n" * 3_000_000),
    "no prompts": no_prompts,
    # Lists without end, and checks that are switched off.
    "a million references": in_manifest((("references",), [["claims", "doc_id", "documents", "doc_id"]] * 1_000_000)),
    "a million funnels": in_manifest((("funnels",), [["claims", "questions", "claims"]] * 1_000_000)),
    "a funnel with an unknown key": in_manifest((("funnels",), [["claims/{zz}", "questions", "novel_claims/{yy}"]])),
    "100,000 tables": entries("tables", **{f"t{str(n).translate(LETTERS)}": EMPTY for n in range(100_000)}),
    "100,000 names of a prompt": entries("prompts", **{f"{n:064x}": PROMPT for n in range(100_000)}),
    "a prompt under two names": entries("prompts", **{"0" * 64: PROMPT}),
    "no references": in_manifest((("references",), [])),
    "no funnels": in_manifest((("funnels",), [])),
    "no texts": in_manifest((("texts",), {})),
    "texts of an unknown table": in_manifest((("texts",), {"nope": ["text"]})),
    "no poison": in_manifest((("poison",), [])),
    "a key twice in a path": in_manifest(((*TABLE, "path"), "claims/{shard}/{shard}")),
    # Tables.
    "no accounts": resealed("calls"),
    "accounts without a column": resealed("calls", "requests"),
    "answers without a column": resealed("recorded_answers", "body"),
    "accounts that nest": nested_accounts,
    "empty cells where there are none": nulls,
    "documents without a column": resealed("documents", "url"),
    "one text 200,000 times": as_table(dictionary_bomb, rows=200_000),
    "rows without end": as_table(rows_bomb, rows=60_000_000),
    "blanks without end": as_table(packed_bomb, rows=300),
    "300 texts 200 times": many_bombs,
    "a table of four bytes": as_table(lambda path: path.write_bytes(b"PAR1")),
    "a table with a broken end": as_table(lambda path: path.write_bytes(path.read_bytes()[:-50] + b"\xff" * 50)),
    "a table with other columns": as_table(lambda path: pq.write_table(pa.table({"evil": [1]}), path)),
    # The folder.
    "a link out of it": linked,
    "a pipe": piped,
    "a list that is a pipe": piped_list,
    "a list of a device": lambda folder: ((folder / SUMS).unlink(), (folder / SUMS).symlink_to("/dev/zero")),
    "a list of nothing": lambda folder: (folder / SUMS).write_text("x\n" * 1_000_000),
    "a list of files that are missing": lambda folder: (folder / SUMS).write_text(
        "".join(f"{n:064x}  f{n}\n" for n in range(500_000))
    ),
    "a list of deep names": lambda folder: (folder / SUMS).write_text(
        (folder / SUMS).read_text() + "".join(f"{n:064x}  {'a/' * 240}{n}\n" for n in range(100_000))
    ),
    "240 MB of line ends": lambda folder: (
        [(folder / f"x{n}").write_bytes(b"\n" * 60_000_000) for n in range(4)],
        listing.write_sums(folder),
    ),
    "a list that leads out": listed_elsewhere,
    "a list of 70 MB": lambda folder: (folder / SUMS).write_text("x" * 70_000_000),
    "a name with an escape": in_file("tables/\x1b[2J\x1b]0;owned\x07", "x"),
    "a module in the way": lambda folder: (folder / "pyarrow.py").write_text(CODE),
    "a forged checker": forged,
}
