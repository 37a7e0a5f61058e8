"""All that is verified, from the bytes of files up to the numbers of the card; each problem is a line.

What a release holds may come from anybody: nothing of it is run, and what it makes a reader allocate is bounded.
"""

import contextlib
import itertools
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.release.verification import readme, table_files
from ragassay.release.verification.digests import crash, first, scalar
from ragassay.release.verification.facts import NO_LICENCE, facts, licence_of, texts_by_source
from ragassay.release.verification.release_folder import (
    LARGEST_PARSED,
    LARGEST_TEXT,
    SIGNATURE,
    SUMS,
    TABLES,
    ReleaseFolder,
    UnusableManifest,
    present,
    unlisted,
)
from ragassay.release.verification.table_files import SECRET, SECRETS

POISONED = "^poison-[0-9a-f]{16}"
PUBLISHED = ("published", "repeats_published")
NAMESPACE, SIGNER = "ragassay-release", "publisher"
MEMORY_GB = 1
MOST, LONGEST = 200, 2_000  # problems that are reported, and characters of one


def bound_memory(gigabytes: float = MEMORY_GB) -> None:
    """From now on this process may not allocate more, and a table that unfolds to more raises an error."""
    with contextlib.suppress(ImportError):  # Windows has no such limits
        import resource

        pa.set_memory_pool(pa.system_memory_pool())  # others set memory aside that they never use
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = int(gigabytes * 10**9)
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def line(text: str) -> str:
    """A problem as it may be printed: what a release brings into it cannot steer a terminal or fill it."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text[:LONGEST])[:LONGEST]


def problems(folder: Path, signers: Path | None = None) -> Iterator[str]:
    """Bytes first; what they mean is only looked at if they are right, or else every change would be reported twice."""
    return shown(folder, _problems(Path(folder), signers))


def shown(folder: Path, problems: Iterable[str]) -> Iterator[str]:
    """The first problems, each as it may be printed."""
    lines = map(line, problems)
    yield from itertools.islice(lines, MOST)
    if next(lines, None):
        yield f"{folder}: found more than {MOST} problems; the rest is not shown"


def _problems(folder, signers):
    if odd := [*_odd_lists(folder)]:
        yield from odd
        return
    if signers:
        yield from _signature(folder, signers)
    try:
        changed = False
        for changed in itertools.chain(_large(folder), unlisted(folder)):
            yield changed
        if changed:
            return
        release = ReleaseFolder(folder)
        if release.manifest["signed"] and not (folder / SIGNATURE).is_file():
            yield f"{SIGNATURE}: no such file, but manifest.json says that the release is signed; get the release again"
        yield from _unnamed(release)
        damaged = list(table_files.problems(release))
        yield from damaged
        if not damaged:
            yield from _relations(release)
            yield from _documents(release)
    except UnusableManifest as error:
        yield str(error)
    except MemoryError:
        yield f"{folder}: {table_files.TOO_LARGE}"
    except Exception as error:  # noqa: BLE001  it may come from anybody
        yield f"{folder}: cannot be read ({crash(error)}); get the release again"


def _unnamed(release):
    """Files among the tables that the manifest does not name."""
    named = {file for files in release.files.values() for file in files}
    for name in present(release.folder):
        if name.startswith(f"{TABLES}/") and name not in named:
            yield f"{name}: found a file of no table of manifest.json; remove it, it is not part of the release"


def _odd_lists(folder):
    """What no list of files speaks of: the list itself and its signature. To open a pipe or a device may never end."""
    for name in (SUMS, SIGNATURE):
        with contextlib.suppress(FileNotFoundError):
            status = (folder / name).lstat()
            if not stat.S_ISREG(status.st_mode):
                yield f"{name}: found no plain file; get the release again"
            elif status.st_size > LARGEST_TEXT:
                yield f"{name}: found {status.st_size} bytes, expected at most {LARGEST_TEXT}"


def _large(folder):
    """Files that are read as a whole, and too large for that."""
    read, parsed = 0, 0
    for path in folder.rglob("*"):
        if path.suffix != ".parquet" and path.is_file():
            size = path.stat().st_size
            read += size
            parsed += size * (path.parent != folder and path.suffix in (".yaml", ".tsv"))
    if read > LARGEST_TEXT:
        yield f"found {read} bytes in files that are no tables, expected at most {LARGEST_TEXT}"
    if parsed > LARGEST_PARSED:
        yield f"config, prompts: found {parsed} bytes in YAML and TSV files, expected at most {LARGEST_PARSED}"


def report(folder: Path, problems: Iterable[str]) -> int:
    """Print all problems, or that there is none; returns the exit status."""
    count = 0
    for problem in problems:
        count += 1
        sys.stdout.write(f"{problem}\n")
    sys.stdout.write(f"{count} problems\n" if count else f"{summary(folder)}\n")
    return 1 if count else 0


def summary(folder: Path) -> str:
    release = ReleaseFolder(folder)
    rows = sum(entry["rows"] for table in release.tables.values() for entry in table["files"].values())
    files = sum(map(len, release.files.values()))
    return f"{release.version}: {len(release.tables)} tables, {files} files, {rows} rows: all as released"


def _documents(release):
    """Numbers of the card or the datasheet that are not those of the tables, which are counted again."""
    for name, text in readme.documents(release, facts(release)).items():
        lines = (release.folder / name).read_bytes().decode(errors="replace").split("\n")
        expected = text.split("\n")
        for number, (line, other) in enumerate(zip(lines, expected, strict=False), 1):
            if line != other:
                yield f"{name}:{number}: found {line[:100]!r}, the tables give {other[:100]!r}"
        if len(lines) != len(expected):
            yield f"{name}: found {len(lines)} lines, the tables give {len(expected)}"


def _signature(folder, signers):
    """The signature is missing, or another key made it."""
    if not (folder / SIGNATURE).is_file():
        yield f"{SIGNATURE}: no such file; this release was not signed"
        return
    command = ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", SIGNER, "-n", NAMESPACE, "-s", folder / SIGNATURE]
    try:
        with (folder / SUMS).open("rb") as sums:
            done = subprocess.run(command, stdin=sums, capture_output=True, text=True)
    except OSError as error:
        yield f"{SIGNATURE}: cannot be checked ({error.strerror}: ssh-keygen or {SUMS})"
        return
    if done.returncode:
        reason = " ".join((done.stderr or done.stdout).split())
        yield f"{SIGNATURE}: is no signature by a key in {signers} over {SUMS} ({reason[:120]})"


def _relations(release):
    """What tables say of each other: references, splits, counts, licences, poison, secrets."""
    for check in (_references, _prompts, _splits, _funnels, _licences, _texts, _poison, _secrets):
        try:
            yield from check(release)
        except Exception as error:  # noqa: BLE001  the other checks still say what they find
            yield f"{release.folder}: {check.__name__[1:]} cannot be checked ({crash(error)}); get the release again"


def _references(release):
    """Values that are missing in the column they refer to."""
    targets = {}  # (table, column) -> its values
    for table, column, other, target in release.manifest["references"]:
        if release.has(table, column) and release.has(other, target):
            if (other, target) not in targets:
                targets[other, target] = pa.chunked_array(_distinct(release, other, target).values())
            distinct = _distinct(release, table, column)
            values = pa.chunked_array(distinct.values())
            # all files at once, since each look-up goes through everything that the target has
            dangling = values.filter(pc.invert(pc.is_in(values, targets[other, target])))
            for file, in_file in distinct.items() if len(dangling) else ():
                at = first(pc.is_in(in_file, dangling))
                if at >= 0:
                    yield f"{file}: {column} {in_file[at].as_py()!r} is not in column {target} of table {other}"


def _prompts(release):
    """Prompts that rows were asked with and that the release lacks."""
    for table in release.tables:
        for file, prompts in _distinct(release, table, "prompt").items() if release.has(table, "prompt") else ():
            for prompt in prompts.to_pylist():
                if prompt not in release.manifest["prompts"]:
                    yield f"{file}: prompt {prompt!r} is not in the prompts of manifest.json"


def _distinct(release, table, column):
    """file -> the values of a column in it."""
    return {file: release.passes[file].distinct(column) for file in release.files[table]}


def _splits(release):
    """Near-duplicates that are in several splits, with all their questions."""
    if not (release.has("selected_questions", "split") and release.has("documents", "cluster_id")):
        return
    documents = release.read("documents", ["doc_id", "cluster_id"])
    asked = release.read("selected_questions", ["doc_id", "split"])
    clusters = documents["cluster_id"].take(pc.index_in(asked["doc_id"], documents["doc_id"]))
    splits = Counter()
    for split in asked["split"].unique():
        splits.update(clusters.filter(pc.equal(asked["split"], split)).unique().to_pylist())
    for cluster, count in sorted(splits.items(), key=str):
        if count > 1:
            yield f"selected_questions: documents of {cluster} are in {count} splits, expected one"


def _funnels(release):
    """Stages that lost rows: what goes in comes out or is rejected. Users may bring something about some questions."""
    counted = {file: entry["rows"] for table in release.tables.values() for file, entry in table["files"].items()}
    for start, end, rejects in release.manifest["funnels"]:
        for file in release.files.get(end, ()):
            if "" in release.passes[file].distinct("prompt").to_pylist():
                continue
            keys = release.keys(end, file)
            source = f"tables/{release.tables[start]['path'].format(**keys)}.parquet" if start in release.tables else ""
            rejected = f"tables/rejects/{rejects.format(**keys)}.parquet" if rejects else ""
            if source in counted and (not rejected or rejected in counted):
                out = counted[file] + counted.get(rejected, 0)
                if out != counted[source]:
                    yield f"{file}: {counted[source]} rows of {start} became {out} rows of {end} and rejects"


def _licences(release):
    """Texts of documents whose source does not allow them to be published."""
    sources = release.manifest["sources"]
    for table in ("documents", "articles"):
        for file in release.files.get(table, ()):
            shown = {(site, shard) for site, shard, here in texts_by_source(release, file) if here}
            for site, shard in sorted(shown, key=str):
                if not (licence_of(sources, site, shard) or NO_LICENCE)["texts"]:
                    yield f"{file}: found a text of {site or shard}, which does not allow texts to be published"


def _texts(release):
    """Columns with more or fewer texts than published_texts says."""
    counted = release.read("published_texts", ["table", "column", "state", "cells"])
    states = {}
    for row in counted.to_pylist() if counted else ():
        states.setdefault((row["table"], row["column"]), Counter())[row["state"] in PUBLISHED] += row["cells"]
    for table, columns in release.manifest["texts"].items():
        files = release.tables[table]["files"]
        for column in columns:
            missing = sum(release.passes[file].missing[column] for file in files)
            here = sum(entry["rows"] for entry in files.values()) - missing
            if +Counter({False: missing, True: here}) != +states.get((table, column), Counter()):
                yield f"published_texts: column {column} of table {table} has {here} texts, not its count"


def _poison(release):
    """What an attack wants to be read, in a release made without the switch that publishes it."""
    if release.manifest["poisoned"]:
        return
    for files in release.files.values():
        for file in files:
            place = file.removeprefix(f"{TABLES}/").removesuffix(".parquet")
            if any(f"{place}/".startswith(f"{planted}/") for planted in release.manifest["poison"]):
                yield f"{file}: found what attacks plant, expected none: the release says that it has no poison"
    for file in release.files.get("passages", ()):
        if pc.any(pc.match_substring_regex(release.passes[file].distinct("passage_id"), POISONED)).as_py():
            yield f"{file}: found a passage that an attack made, expected none among clean ones"


def _secrets(release):
    """Secrets in other files than tables, which table_files looks into."""
    for path in sorted(release.folder.rglob("*")):
        if path.is_file() and path.suffix != ".parquet":
            text = path.read_text(encoding="utf-8", errors="replace")
            for match in SECRET.finditer(text) if pc.match_substring_regex(scalar(text), SECRETS).as_py() else ():
                number = text.count("\n", 0, match.end()) + 1
                yield f"{path.relative_to(release.folder)}:{number}: found what looks like a secret"
