"""A release as it lies in a folder: its manifest, its tables with the keys that stand in their paths, and SHA256SUMS.

`manifest.json` says which tables there are, what their columns mean, which of them hold texts and whose, and what
refers to what. Numbers are never taken from it: whatever counts something reads the tables. What a release says of
itself may come from anybody. So types, names and paths are checked before anything is done with one of them: a file of
a table stands where the path of its table has it, no part of a path can lead elsewhere, and nothing that is filled into
a path or a form is more than a name.

SHA256SUMS lists every file of a release and the digest of its bytes. What is not listed does not belong there.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pyarrow as pa

from ragassay.release.verification.digests import Oversized, n_rows, read_table, scalar, sha256

TABLES = "tables"
LONGEST = 1_000  # entries of a list: a release of everything has less than 100
TEXT, NAME = re.compile(r"[^\0]{0,100000}"), re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
COLUMN, DIGEST = re.compile(r"[a-z][a-z0-9_]{0,99}"), re.compile(r"[0-9a-f]{64}")
KEY = r"\{[a-z_]+\}"
FORM = re.compile(rf"[a-z][a-z_]*(?:{KEY})?(?:/(?:[a-z_]+|{KEY}))*")  # where the files of a table lie: claims/{shard}
PLACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]*(?:/[A-Za-z0-9_][A-Za-z0-9._+-]*)*")
FILE = re.compile(rf"{TABLES}/{PLACE.pattern}\.parquet")
MISSING = object()  # an entry may be missing
SHAPE = {
    **{"version": NAME, "title": TEXT, "licence": TEXT, "licence_note": TEXT, "language": TEXT},
    **{"signed": bool, "poisoned": bool, "run_words": int},
    "sources": {TEXT: {"licence": TEXT, "texts": bool}},
    "models": [{"name": TEXT, "provider": TEXT, "model": TEXT, "revision": (TEXT, None)}],
    "tables": {
        COLUMN: {
            "path": (FORM, None),
            "row": TEXT,
            "key": [COLUMN],
            "columns": [{"name": COLUMN, "type": TEXT, "null": bool}],
            "files": {FILE: {"rows": int, "digest": DIGEST}},
        }
    },
    "texts": {COLUMN: [COLUMN]},
    "prompts": {TEXT: TEXT},
    "poison": [PLACE],
    "references": [[COLUMN]],
    "funnels": [[(FORM, None)]],
    "replay": {"given": [PLACE], "rebuilt": [PLACE], "rules": ([COLUMN], MISSING), "within": ({PLACE: float}, MISSING)},
}
LINE = re.compile(r"([0-9a-f]{64})  ([^\n\0]+)")
MANIFEST, CARD, DATASHEET = "manifest.json", "README.md", "DATASHEET.md"
SUMS, SIGNATURE = "SHA256SUMS", "SHA256SUMS.sig"
LARGEST_TEXT = 64_000_000  # bytes of a file that is no table; all of them are read as a whole
LARGEST_PARSED = 500_000  # bytes of configuration and prompts together: YAML takes 20 s a megabyte
# What damaged and hostile tables raise.
REFUSED = (pa.ArrowException, OSError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError, Oversized)


class NoRelease(Exception):
    """There is no release in the folder, or what it says of itself cannot be read."""


class ReleaseFolder:
    def __init__(self, folder):
        self.folder = Path(folder)
        path = self.folder / MANIFEST
        try:
            if (size := path.stat().st_size) > LARGEST_TEXT:
                raise NoRelease(f"{path}: found {size} bytes, expected at most {LARGEST_TEXT}")
            self.manifest = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise NoRelease(f"{path}: no such file, expected the manifest of a release") from None
        except (OSError, ValueError, RecursionError) as error:
            reason = type(error).__name__
            raise NoRelease(f"{path}: found no JSON ({reason}), expected a manifest; get the release again") from error
        if problem := misfit(self.manifest):
            raise NoRelease(f"{path}: {problem}")
        self.tables = self.manifest["tables"]
        self.files = {name: sorted(entry["files"]) for name, entry in self.tables.items()}
        self.version = self.manifest["version"]
        self.passes = {}  # file -> the FilePass over it, as far as there was one

    def keys(self, table: str, file: str) -> dict[str, str]:
        """The values of the keys in the path of a file, such as generator and shard."""
        match = re.fullmatch(rf"{TABLES}/{path_form(self.tables[table]['path'] or '')}\.parquet", file)
        return match.groupdict() if match else {}

    def watched(self, table: str) -> set[str]:
        """The columns of a table whose distinct values are checked: both ends of references, prompts, passages."""
        names = {"prompt", "passage_id"}
        for source, column, target, other in self.manifest["references"]:
            names |= {column} if source == table else set()
            names |= {other} if target == table else set()
        return names

    def place(self, table: str, file: str) -> str:
        """Where a file stands among those of its table: `authors/2026-09`."""
        return file.removeprefix(f"{TABLES}/").removeprefix(f"{table}/").removesuffix(".parquet")

    def rows(self, table: str) -> list[int]:
        """How many rows each file of a table has."""
        return [n_rows(self.folder / file) for file in self.files[table]]

    def each(self, table: str, columns: list[str] | None = None) -> Iterator[tuple[str, pa.Table]]:
        """Every file of a table, and these columns of it, or all."""
        for file in self.files.get(table, ()):
            yield file, read_table(self.folder / file, columns)

    def read(self, table: str, columns: list[str]) -> pa.Table | None:
        """The rows of all files with the keys of their paths, or None where the release has no such table."""
        parts = []
        for file, rows in self.each(table, columns):
            for name, value in self.keys(table, file).items():
                if name not in rows.column_names:
                    rows = rows.append_column(name, pa.repeat(scalar(value), rows.num_rows))
            parts.append(rows)
        return pa.concat_tables(parts) if parts else None

    def has(self, table: str, *columns: str) -> bool:
        """Whether the release has this table with these columns."""
        names = {column["name"] for column in self.tables.get(table, {}).get("columns", ())}
        return bool(self.files.get(table)) and names.issuperset(columns)


def write_sums(folder: Path, hashed: dict[str, str] | None = None) -> None:
    """`hashed` has the digests of files that were hashed already."""
    hashed = hashed or {}
    sums = hashed | {name: sha256(folder / name) for name in present(folder) if name not in hashed}
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


def stray_files(folder: Path) -> Iterator[str]:
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
    files = present(folder)
    missing = listed.keys() - {*files}
    emptied = {parent.as_posix() for lost in missing for parent in PurePosixPath(lost).parents}
    for name in sorted(listed.keys() | files):
        if name not in listed:
            if name not in emptied:  # a folder that lost its files
                yield f"{name}: found a file that {SUMS} does not list; remove it, it is not part of the release"
        elif name in missing:
            yield f"{name}: no such file, but {SUMS} lists it; get the release again"
        elif (folder / name).is_symlink() or not (folder / name).is_file():
            yield f"{name}: found no plain file; get the release again"
        elif (digest := sha256(folder / name)) != listed[name]:
            yield f"{name}: found the digest {digest[:12]}..., expected {listed[name][:12]}...; get the file again"


def misfit(manifest) -> str:
    """What is wrong with it first, as place, finding and expectation; empty if nothing is."""
    if problem := _misfit(manifest, SHAPE, ""):
        return problem
    for name, entry in manifest["tables"].items():
        columns = [column["name"] for column in entry["columns"]]
        if not columns or not set(entry["key"]) <= set(columns):
            return f"tables.{name}: found the columns {columns} and the key {entry['key']}, expected its key among them"
        names = re.findall(KEY, entry["path"] or "")
        if len(names) != len({*names}) or len(entry["path"] or "") > 200:
            return f"tables.{name}.path: found {entry['path']:.100}, expected each key once and at most 200 characters"
        form = re.compile(rf"{TABLES}/{path_form(entry['path'] or name, rest=not entry['path'])}\.parquet")
        if other := next((file for file in entry["files"] if not form.fullmatch(file)), None):
            expected = f"expected {TABLES}/{entry['path'] or name}, with names for keys"
            return f"tables.{name}: found the file {other!r}, {expected}"
    for kind, length in {"references": 4, "funnels": 3}.items():
        if other := next((entry for entry in manifest[kind] if len(entry) != length), None):
            return f"{kind}: found {other!r}, expected {length} names"
    paths = {name: entry["path"] or "" for name, entry in manifest["tables"].items()}
    for start, end, rejects in manifest["funnels"]:
        used = {*re.findall(KEY, paths.get(start, "") + (rejects or ""))}
        if end in paths and not used <= {*re.findall(KEY, paths[end])}:
            return f"funnels: found {[start, end, rejects]}, expected no keys but those in {paths[end]!r}"
    for name, columns in manifest["texts"].items():
        if not {*columns} <= {column["name"] for column in manifest["tables"].get(name, {"columns": ()})["columns"]}:
            return f"texts.{name}: found {columns}, expected columns of a table of this release"
    return ""


def path_form(path: str, rest: bool = False) -> str:
    """A pattern for places of a table's files, with a group for each key; with `rest` anything below its folder."""
    form = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[A-Za-z0-9._+-]*)", re.escape(path))
    return f"{form}(?:/{PLACE.pattern})?" if rest else form


def _misfit(value, shape, place):
    """The first place where a value has another form than a shape: a type, a pattern of texts, a mapping with these
    keys or with keys of a pattern, a list, or one of several.
    """
    if isinstance(shape, tuple):
        return "" if any(not _misfit(value, form, place) for form in shape) else _told(value, place, shape[0])
    if shape is None or shape is MISSING:
        return "" if value is shape else _told(value, place, "nothing")
    if isinstance(shape, re.Pattern):
        return "" if isinstance(value, str) and shape.fullmatch(value) else _told(value, place, shape)
    if isinstance(shape, type):
        return "" if type(value) is shape and not (shape is int and value < 0) else _told(value, place, shape)
    if isinstance(shape, list):
        if not isinstance(value, list) or len(value) > LONGEST:
            return _told(value, place, f"a list of at most {LONGEST}")
        return next(filter(None, (_misfit(inner, shape[0], f"{place}.{at}") for at, inner in enumerate(value))), "")
    if not isinstance(value, dict):
        return _told(value, place, "a mapping")
    [first, *_] = shape
    if isinstance(first, re.Pattern):
        parts = [(key, first, f"{place}, a name") for key in value]
        parts += [(inner, shape[first], f"{place}.{key:.80}") for key, inner in value.items()]
    else:
        parts = [(value.get(key, MISSING), inner, f"{place}.{key}") for key, inner in shape.items()]
    return next(filter(None, (_misfit(*part) for part in parts)), "")


def _told(value, place, shape):
    kinds = {bool: "true or false", int: "a whole number of at least 0", float: "a number", list: "a list"}
    kinds |= {dict: "a mapping", re.Pattern: f"text of the form {getattr(shape, 'pattern', '')[:60]}"}
    expected = shape if isinstance(shape, str) else kinds.get(shape if isinstance(shape, type) else type(shape))
    shown = "nothing" if value is MISSING else ascii(value)[:80]
    return f"{place.removeprefix('.') or 'top level'}: found {shown}, expected {expected}"
