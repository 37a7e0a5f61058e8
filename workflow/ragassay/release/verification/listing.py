"""SHA256SUMS: every file of a release and the digest of its bytes. What is not listed does not belong there."""

import bisect
import re
from collections.abc import Iterator
from pathlib import Path

from ragassay.release.verification.digests import sha256
from ragassay.release.verification.release_folder import SIGNATURE, SUMS

LINE = re.compile(r"([0-9a-f]{64})  ([^\n\0]+)")


def write_sums(folder: Path, hashed: dict[str, str] | None = None) -> None:
    """`hashed` has the digests of files that were hashed already."""
    sums = hashed or {}
    sums = sums | {name: sha256(folder / name) for name in present(folder) if name not in sums}
    lines = [f"{digest}  {name}\n" for name, digest in sorted(sums.items())]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")


def present(folder: Path) -> list[str]:
    """Everything in the folder but the list and its signature; of folders only those without content."""
    names = []
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        folder_with_content = path.is_dir() and not path.is_symlink() and any(path.iterdir())
        if not folder_with_content and name not in (SUMS, SIGNATURE):
            names.append(name)
    return sorted(names)


def problems(folder: Path) -> Iterator[str]:
    """Files of a release that are not those of its list."""
    try:
        text = (folder / SUMS).read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        yield f"{SUMS}: cannot be read ({type(error).__name__}); get the release again"
        return
    listed, broken = {}, not text.endswith("\n")
    if broken:
        yield f"{SUMS}: found no line end behind the last line; the list is cut off"
    for number, line in enumerate(text.split("\n")[:-1], 1):
        match = LINE.fullmatch(line)
        if not match or match[2] in listed:
            broken = True
            yield f"{SUMS}:{number}: found {line[:80]!r}, expected a digest and the name of a file, each once"
        else:
            listed[match[2]] = match[1]
    if broken:  # files that it has lost are no strays
        return
    here = {*present(folder)}
    missing = sorted(listed.keys() - here)
    for name in sorted(listed.keys() | here):
        if name not in listed:
            at = bisect.bisect(missing, f"{name}/")
            if not missing[at : at + 1] or not missing[at].startswith(f"{name}/"):  # else a folder that lost its files
                yield f"{name}: found a file that {SUMS} does not list; remove it, it is not part of the release"
        elif name not in here:
            yield f"{name}: no such file, but {SUMS} lists it; get the release again"
        elif (folder / name).is_symlink() or not (folder / name).is_file():
            yield f"{name}: found no plain file; get the release again"
        elif (digest := sha256(folder / name)) != listed[name]:
            yield f"{name}: found the digest {digest[:12]}..., expected {listed[name][:12]}...; get the file again"
