"""All that is verified, from the bytes of files up to the numbers of the card; each problem is a line."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from ragassay.release.verification import card, listing, relations, table_files
from ragassay.release.verification.facts import facts
from ragassay.release.verification.release_folder import SIGNATURE, SUMS, ReleaseFolder, Unusable

NAMESPACE, SIGNER = "ragassay-release", "publisher"


def problems(folder: Path, signers: Path | None = None) -> Iterator[str]:
    """Bytes first; what they mean is only looked at if they are right, or else every change would be told twice."""
    if signers:
        yield from _signature(folder, signers)
    changed = list(listing.problems(folder))
    yield from changed
    if changed:
        return
    try:
        release = ReleaseFolder(folder)
    except Unusable as error:
        yield str(error)
        return
    damaged = list(table_files.problems(release))
    yield from damaged
    if not damaged:
        yield from relations.problems(release)
        yield from _documents(release)


def summary(folder: Path) -> str:
    release = ReleaseFolder(folder)
    rows = sum(entry["rows"] for table in release.tables.values() for entry in table["files"].values())
    files = sum(map(len, release.files.values()))
    return f"{release.version}: {len(release.tables)} tables, {files} files, {rows} rows: all as released"


def _documents(release):
    """Numbers of the card or the datasheet that are not those of the tables, which are counted again."""
    for name, text in card.documents(release, facts(release)).items():
        found = (release.folder / name).read_bytes().decode(errors="replace").split("\n")
        wanted = text.split("\n")
        for number, (line, other) in enumerate(zip(found, wanted, strict=False), 1):
            if line != other:
                yield f"{name}:{number}: found {line[:100]!r}, the tables give {other[:100]!r}"
        if len(found) != len(wanted):
            yield f"{name}: found {len(found)} lines, the tables give {len(wanted)}"


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
        told = " ".join((done.stderr or done.stdout).split())
        yield f"{SIGNATURE}: is no signature by a key in {signers} over {SUMS} ({told[:120]})"
