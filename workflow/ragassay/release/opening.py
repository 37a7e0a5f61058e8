"""Open a release that may come from anybody: verified by this checkout's code, and matched against its tables.
Verifying, replaying, comparing and rehydrating begin here. Nothing of a release is run, and no name in it is used
unchecked."""

import itertools
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.calls.prompts import Prompt, PromptError
from ragassay.release import contents
from ragassay.release.published_tables import TEXT_END
from ragassay.release.verification import checks
from ragassay.release.verification.release_folder import NAME, ReleaseFolder
from ragassay.results import all_tables


class Untrusted(AssayError):
    """What lies in the folder is no release that can be used."""


def opened(folder, signers=None) -> ReleaseFolder:
    """`signers` is a file with the keys that the signature has to be by."""
    if wrong := problems(folder, signers):
        more = f"; {len(wrong) - 1} more problems: make verify RELEASE={folder}" if len(wrong) > 1 else ""
        raise Untrusted(f"{folder}: {wrong[0]}{more}")
    return ReleaseFolder(folder)


def problems(folder, signers=None) -> list[str]:
    """All that is wrong with a release, a line each: what its own checks find and, if that is nothing, what this
    checkout knows besides.
    """
    wrong = [*checks.problems(Path(folder), Path(signers) if signers else None)]
    if not wrong:
        release = ReleaseFolder(folder)
        more = (check(release) for check in (_undeclared, _unchecked, _missing, _prompts))
        wrong = [*checks.shown(folder, itertools.chain.from_iterable(more))]
    return wrong


def _missing(release):
    """Files that every release has."""
    for name in ("config/config.yaml", "config/shards.tsv"):
        if not (release.folder / name).is_file():
            yield f"{name}: no such file, expected that of the run; get the release again"
    calls = release.tables.get("calls", {"files": {}})["files"]
    jobs = {release.place("calls", file) for file, entry in calls.items() if entry["rows"]}
    for file in release.files.get("recorded_answers", ()):
        job = release.place("recorded_answers", file).replace("/_", "_")
        if not jobs & {job, job.rpartition("/")[0]}:
            yield f"{file}: found recorded answers of a job that has no row in the table calls"


def _undeclared(release):
    """Tables that are not those of this checkout, or lie elsewhere."""
    declared = all_tables()
    for name, entry in release.tables.items():
        if name not in declared:
            yield f"found the table {name!r}, which this version of ragassay does not know; use the one that made it"
        elif entry["path"] != declared[name].path or entry["key"] != list(declared[name].key):
            expected = f"{declared[name].path} with the key {list(declared[name].key)}"
            yield f"found the table {name!r} at {entry['path']} with the key {entry['key']}, expected {expected}"
        else:
            columns = {column["name"]: (column["type"], column["null"]) for column in entry["columns"]}
            columns.pop(TEXT_END.name, None)
            wanted = {
                column.name: (str(column.type), column.null or column.name in contents.TEXTS.get(name, {}))
                for column in declared[name].columns
            }
            if columns != wanted:
                odd = sorted(name for name in columns.keys() | wanted.keys() if columns.get(name) != wanted.get(name))
                expected = "expected those of this version of ragassay; use the one that made it"
                yield f"found the table {name!r} with other columns ({', '.join(odd)}), {expected}"


def _unchecked(release):
    """Relations that this checkout checks and the manifest is silent about, so that nothing checked them."""
    wanted = {
        "references": [[*names] for names in contents.REFERENCES],
        "funnels": [[*names] for names in contents.FUNNELS],
        "poison": [*contents.PLANTED, *contents.PLANTING],
    }
    for name, entries in wanted.items():
        if missing := [entry for entry in entries if entry not in release.manifest[name]]:
            yield f"manifest.json: {name}: found no {missing[0]}, by which this version of ragassay checks a release"
    for name, columns in contents.TEXTS.items():
        named = release.manifest["texts"].get(name)
        if name in release.tables and sorted(columns) != named:
            yield f"manifest.json: texts.{name}: found {named}, expected {sorted(columns)}"


def _prompts(release):
    """Prompts that are not what the manifest says, or that are no prompts."""
    loaded = set()
    for digest, file in release.manifest["prompts"].items():
        folder, _, name = file.partition("/")
        if not digest and not file:
            continue  # of rows that users brought
        if folder != "prompts" or not NAME.fullmatch(name) or not name.endswith(".yaml"):
            yield f"manifest.json: prompts: found the file {file!r}, expected prompts/<name>.yaml"
            continue
        if file in loaded:
            yield f"manifest.json: prompts: found the file {file!r} twice, expected it once"
            continue
        loaded.add(file)
        try:
            made = Prompt.load(release.folder / file).digest
        except PromptError as error:
            yield str(error)
        else:
            if made != digest:
                yield f"{file}: found a prompt with the digest {made[:12]}..., expected {digest[:12]}..."
    listed = set(release.manifest["prompts"].values())
    for path in sorted((release.folder / "prompts").glob("*")):
        if f"prompts/{path.name}" not in listed:
            yield f"prompts/{path.name}: found a prompt that no row was asked with, expected those of manifest.json"
