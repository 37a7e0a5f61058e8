"""A release as it lies in a folder: its manifest, and its tables with the keys that stand in their paths. It may come
from anybody: types, names and paths of the manifest are checked here before anything is done with one of them, so
that no part of a path leads elsewhere. Numbers are never taken from the manifest. SHA256SUMS lists every file of a
release with the digest of its bytes; what it does not list does not belong there."""

import bisect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from ragassay.release.verification.digests import n_rows, read_table, scalar, sha256

MANIFEST, SUMS, SIGNATURE, TABLES = "manifest.json", "SHA256SUMS", "SHA256SUMS.sig", "tables"
LARGEST_TEXT = 64_000_000  # bytes of all files that are no tables: each is read as a whole
LARGEST_PARSED = 500_000  # bytes of configuration and prompts together: YAML takes 20 s a megabyte
LONGEST = 300  # entries of a list or mapping, but of files and sources: a release of everything has less than 150
TEXT, NAME = re.compile(r"[^\0]{0,100000}"), re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
COLUMN, DIGEST = re.compile(r"[a-z][a-z0-9_]{0,99}"), re.compile(r"[0-9a-f]{64}")
KEY = r"\{[a-z_]+\}"
FORM = re.compile(rf"[a-z][a-z_]*(?:{KEY})?(?:/(?:[a-z_]+|{KEY}))*")  # where the files of a table lie: claims/{shard}
PART = r"(?:service:)?[A-Za-z0-9_][A-Za-z0-9._+-]*"  # a colon could name a drive
PLACE = re.compile(f"{PART}(?:/{PART})*")
FILE, SOURCE = re.compile(rf"{TABLES}/{PLACE.pattern}\.parquet"), re.compile(r"[^\0]{0,1000}")
LINE = re.compile(r"([0-9a-f]{64})  ([^\n\0]+)")  # of SHA256SUMS
MISSING = object()  # an entry may be missing
SHAPE = {
    **{"version": NAME, "title": TEXT, "licence": TEXT, "licence_note": TEXT, "language": TEXT},
    **{"signed": bool, "poisoned": bool, "run_words": int},
    "sources": {SOURCE: {"licence": TEXT, "texts": bool}},
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
KINDS = {bool: "true or false", int: "a whole number of at least 0", float: "a number", None: "nothing"}
KINDS |= {MISSING: "nothing"}


class UnusableManifest(Exception):
    """There is no release in the folder, or what it says of itself cannot be read."""


class ReleaseFolder:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.manifest = _manifest(self.folder / MANIFEST)
        self.tables = self.manifest["tables"]
        self.files = {name: sorted(entry["files"]) for name, entry in self.tables.items()}
        self.version = self.manifest["version"]
        self.passes = {}  # file -> the FilePass over it, as far as there was one
        self.unfolded = 0  # bytes of tables in memory, all together

    def keys(self, table: str, file: str) -> dict[str, str]:
        """The values of the keys in the path of a file, such as generator and shard."""
        match = re.fullmatch(rf"{TABLES}/{_path_form(self.tables[table]['path'] or '')}\.parquet", file)
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


def _manifest(path):
    try:
        if (size := path.stat().st_size) > LARGEST_TEXT:
            raise UnusableManifest(f"{path}: found {size} bytes, expected at most {LARGEST_TEXT}")
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise UnusableManifest(f"{path}: no such file, expected the manifest of a release") from None
    except (OSError, ValueError, RecursionError) as error:
        problem = f"found no JSON ({type(error).__name__}), expected a manifest; get the release again"
        raise UnusableManifest(f"{path}: {problem}") from error
    if problem := _misfit(manifest, SHAPE, "") or _contradiction(manifest):
        raise UnusableManifest(f"{path}: {problem}")
    return manifest


def _contradiction(manifest):
    """What in a manifest of the right shape does not fit together first; empty if everything does."""
    tables = manifest["tables"]
    for name, entry in tables.items():
        columns, path = [column["name"] for column in entry["columns"]], entry["path"] or ""
        if not columns or not set(entry["key"]) <= set(columns):
            return f"tables.{name}: found the columns {columns} and the key {entry['key']}, expected its key among them"
        keys = re.findall(KEY, path)
        if len(keys) != len({*keys}) or len(path) > 200:
            return f"tables.{name}.path: found {path:.100}, expected each key once and at most 200 characters"
        form = _path_form(path) if path else f"{name}(?:/{PLACE.pattern})?"
        form = re.compile(rf"{TABLES}/{form}\.parquet")
        if other := next((file for file in entry["files"] if not form.fullmatch(file)), None):
            expected = f"expected {TABLES}/{path or name}, with names for keys"
            return f"tables.{name}: found the file {other!r}, {expected}"
    for kind, length in {"references": 4, "funnels": 3}.items():
        if other := next((entry for entry in manifest[kind] if len(entry) != length), None):
            return f"{kind}: found {other!r}, expected {length} names"
    paths = {name: entry["path"] or "" for name, entry in tables.items()}
    for start, end, rejects in manifest["funnels"]:
        used = {*re.findall(KEY, paths.get(start, "") + (rejects or ""))}
        if end in paths and not used <= {*re.findall(KEY, paths[end])}:
            return f"funnels: found {[start, end, rejects]}, expected no keys but those in {paths[end]!r}"
    for name, columns in manifest["texts"].items():
        if not {*columns} <= {column["name"] for column in tables.get(name, {"columns": ()})["columns"]}:
            return f"texts.{name}: found {columns}, expected columns of a table of this release"
    return ""


def _path_form(path):
    """A pattern for places of a table's files, with a group for each key."""
    return re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>(?:service:)?[A-Za-z0-9._+-]*)", re.escape(path))


def _misfit(value, shape, place):
    """The first place where a value has another form than a shape: a type, a pattern of texts, a mapping with these
    keys or with keys of a pattern, a list, or one of several. Empty if there is none.
    """
    if isinstance(shape, tuple):
        fits = any(not _misfit(value, option, place) for option in shape)
        return "" if fits else _misfit(value, shape[0], place)
    if isinstance(shape, list):
        if not isinstance(value, list) or len(value) > LONGEST:
            return _problem(value, place, f"a list of at most {LONGEST} entries")
        parts = [(inner, shape[0], f"{place}.{at}") for at, inner in enumerate(value)]
    elif isinstance(shape, dict):
        if not isinstance(value, dict):
            return _problem(value, place, "a mapping")
        [first, *_] = shape
        if isinstance(first, re.Pattern):
            if len(value) > LONGEST and first not in (FILE, SOURCE):
                return _problem(value, place, f"a mapping with at most {LONGEST} entries")
            parts = [(key, first, f"{place}, a name") for key in value]
            parts += [(inner, shape[first], f"{place}.{key:.80}") for key, inner in value.items()]
        else:
            parts = [(value.get(key, MISSING), inner, f"{place}.{key}") for key, inner in shape.items()]
    elif isinstance(shape, re.Pattern):
        fits = isinstance(value, str) and shape.fullmatch(value)
        return "" if fits else _problem(value, place, f"text of the form {shape.pattern[:60]}")
    else:
        fits = type(value) is shape and not (shape is int and value < 0) if isinstance(shape, type) else value is shape
        return "" if fits else _problem(value, place, KINDS[shape])
    return next(filter(None, (_misfit(*part) for part in parts)), "")


def _problem(value, place, expected):
    found = "nothing" if value is MISSING else ascii(value)[:80]
    return f"{place.removeprefix('.') or 'top level'}: found {found}, expected {expected}"


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


def unlisted(folder: Path) -> Iterator[str]:
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
