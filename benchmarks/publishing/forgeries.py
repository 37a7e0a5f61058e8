"""What authors of hostile releases do to an honest one: each change is made to fit the list of digests."""

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from publishing.sealing import seal, with_column
from ragassay.base import plain_yaml
from ragassay.release.verification.release_folder import MANIFEST, SUMS, write_sums

Trick = Callable[[Path], None]
OUTSIDE = "/tmp/ragassay-hostile-outside"  # where tricks want to write
CODE = f"open({OUTSIDE!r} + '-ran', 'w').close()"
CLAIMS = "tables/claims/authors/2026-01.parquet"
ANSWERS = "tables/recorded_answers/judge_scope/authors/careful/2026-01.parquet"
PROMPT, CONFIG, SHARDS = "prompts/extract_claims.yaml", "config/config.yaml", "config/shards.tsv"


@contextlib.contextmanager
def edited(folder: Path, close: Callable[[Path], None] = write_sums) -> Iterator[dict]:
    """The manifest, to be changed; what `close` writes then fits it."""
    manifest = json.loads((folder / MANIFEST).read_text())
    yield manifest
    (folder / MANIFEST).write_text(json.dumps(manifest))
    close(folder)


def in_manifest(keys: str, value) -> Trick:
    """The entry at the end of these keys becomes another, or what a function makes of it."""

    def trick(folder):
        with edited(folder) as manifest:
            *above, last = keys.split()
            place = manifest
            for key in above:
                place = place[key]
            place[last] = value(place[last]) if callable(value) else value

    return trick


def in_file(name: str, content: str | bytes | Callable[[bytes], bytes]) -> Trick:
    def trick(folder):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        made = content(path.read_bytes()) if callable(content) else content
        path.write_bytes(made.encode() if isinstance(made, str) else made)
        write_sums(folder)

    return trick


def in_list(change: Callable[[str], str]) -> Trick:
    return lambda folder: (folder / SUMS).write_text(change((folder / SUMS).read_text()))


def in_config(**changes) -> Trick:
    return in_file(CONFIG, lambda content: plain_yaml.dump(plain_yaml.load(content.decode()) | changes))


def removed(name: str) -> Trick:
    return lambda folder: ((folder / name).unlink(), write_sums(folder))


def with_set(file: str) -> Trick:
    """A set of queries whose file is elsewhere."""
    return in_config(query_sets={"zz": {"files": [file], "columns": {}}})


def with_documents(place: str) -> Trick:
    return in_file(SHARDS, f"shard\tdocuments\n2026-01\t{place}\n")


def moved(table: str, file: str, place: str) -> Trick:
    """The manifest has a file of a table at another place, where it lies, too, if it can."""

    def trick(folder):
        with edited(folder) as manifest:
            files = manifest["tables"][table]["files"]
            files[place] = files.pop(file)
            target = folder / place
            if folder in target.parents and "\0" not in place and ".." not in place:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(folder / file, target)

    return trick


def as_table(make: Callable[[Path], None], **entry) -> Trick:
    """The file of claims is another one, about which the manifest lies."""

    def trick(folder):
        make(folder / CLAIMS)
        with edited(folder) as manifest:
            manifest["tables"]["claims"]["files"][CLAIMS] |= {"digest": "0" * 64} | entry

    return trick


def many_bombs(folder: Path) -> None:
    """Files of some 20 kB that unfold to 200 MB each, which is allowed for one alone."""
    place = Path(CLAIMS).parent
    shutil.copyfile(folder / CLAIMS, folder / place / "s0.parquet")
    one_text_often(folder / place / "s0.parquet", rows=200)
    with edited(folder) as manifest:
        for number in range(300):
            file = f"{place}/s{number}.parquet"
            manifest["tables"]["claims"]["files"][file] = {"rows": 200, "digest": "0" * 64}
            if number:
                shutil.copyfile(folder / place / "s0.parquet", folder / file)


def resealed(table: str, *dropped: str) -> Trick:
    """A table without these columns, or no such table where none is named, and all else made to fit."""

    def trick(folder):
        with edited(folder, seal) as manifest:
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

    return trick


def nulls(folder: Path) -> None:
    """A column that is never empty is, and the manifest allows it."""
    with edited(folder, seal) as manifest:
        for column in manifest["tables"]["metrics"]["columns"]:
            column["null"] |= column["name"] == "keys"
        for file in manifest["tables"]["metrics"]["files"]:
            rows = pq.read_table(folder / file, partitioning=None)
            pq.write_table(with_column(rows, "keys", [None] * rows.num_rows), folder / file)


def nested_accounts(folder: Path) -> None:
    with edited(folder, seal) as manifest:
        for file in manifest["tables"]["calls"]["files"]:
            rows = pq.read_table(folder / file, partitioning=None)
            pq.write_table(with_column(rows, "served_as", ["[" * 100_000] * rows.num_rows), folder / file)


def untrue(folder: Path) -> None:
    with edited(folder, seal) as manifest:
        for digest, file in manifest["prompts"].items():
            manifest["prompts"][digest] = file.replace("extract_claims", "judge_scope")


def no_prompts(folder: Path) -> None:
    shutil.rmtree(folder / "prompts")
    in_manifest("prompts", {})(folder)


def linked(folder: Path) -> None:
    (folder / CLAIMS).unlink()
    (folder / CLAIMS).symlink_to("/etc/passwd")


def piped(name: str) -> Trick:
    return lambda folder: ((folder / name).unlink(), os.mkfifo(folder / name))


def forged(folder: Path) -> None:
    """The list keeps a signature that was genuine, and the checker is another."""
    (folder / "SHA256SUMS.sig").write_text("genuine")
    path = folder / "ragassay/release/verification/checks.py"
    path.write_text(CODE + "\ndef problems(*_):\n    return iter(())\n")
    write_sums(folder)


def one_text_often(path: Path, rows: int = 200_000) -> None:
    """Kilobytes that stand for 200 GB: one text of a megabyte, many times."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * 1_000_000]))
    pq.write_table(_with_texts(path, texts), path, store_schema=False, use_dictionary=["text"])


def many_rows(path: Path) -> None:
    """Millions of equal rows."""
    piece = _with_texts(path, pa.array(["x"] * 1_000_000))
    with pq.ParquetWriter(path, piece.schema, compression="zstd") as writer:
        for _ in range(60):
            writer.write_table(piece)


def many_blanks(path: Path) -> None:
    """Texts that compress ten thousand times."""
    texts = pa.array([f"{number}" + " " * 2_000_000 for number in range(300)])
    pq.write_table(_with_texts(path, texts), path, compression="zstd", use_dictionary=False)


def _with_texts(path, texts):
    """The first row of a table as often as there are texts, with these."""
    rows = pq.read_table(path, partitioning=None).slice(0, 1)
    columns = [texts if name == "text" else pa.repeat(rows[name][0], len(texts)) for name in rows.column_names]
    return pa.table(columns, rows.column_names)
