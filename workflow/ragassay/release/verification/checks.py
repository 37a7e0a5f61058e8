"""All that is verified, from the bytes of files up to the numbers of the card; each problem is a line.

What a release holds may come from anybody: nothing of it is run, and what it makes a reader allocate is bounded.
"""

import contextlib
import itertools
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from ragassay.release.verification import listing, readme, relations, table_files
from ragassay.release.verification.facts import facts
from ragassay.release.verification.release_folder import (
    LARGEST_PARSED,
    LARGEST_TEXT,
    REFUSED,
    SIGNATURE,
    SUMS,
    TABLES,
    ReleaseFolder,
    UnusableManifest,
)

NAMESPACE, SIGNER = "ragassay-release", "publisher"
MEMORY_GB = 1
MOST = 200  # problems that are reported


def bound_memory(gigabytes: float = MEMORY_GB) -> None:
    """From now on this process may not allocate more, and a table that unfolds to more raises an error."""
    with contextlib.suppress(ImportError):  # Windows has no such limits
        import resource

        pa.set_memory_pool(pa.system_memory_pool())  # others set memory aside that they never use
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = int(gigabytes * 10**9)
        resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def line(text: str) -> str:
    """A problem as it may be printed: what a release brings into it cannot steer a terminal."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


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
        for changed in itertools.chain(_large(folder), listing.problems(folder)):
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
            yield from relations.problems(release)
            yield from _documents(release)
    except UnusableManifest as error:
        yield str(error)
    except MemoryError:
        yield f"{folder}: {table_files.TOO_LARGE}"
    except REFUSED as error:
        yield f"{folder}: cannot be read ({type(error).__name__}: {str(error)[:100]}); get the release again"


def _unnamed(release):
    """Files among the tables that the manifest does not name."""
    named = {file for files in release.files.values() for file in files}
    for name in listing.present(release.folder):
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
