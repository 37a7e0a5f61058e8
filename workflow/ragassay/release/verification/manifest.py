"""The form of `manifest.json`: types, names and paths are checked here, before anything is done with one of them.

What a release says of itself may come from anybody. A file of a table stands where the path of its table has it, no
part of a path can lead elsewhere, and nothing that is filled into a path or a form is more than a name.
"""

import re

TABLES = "tables"
LONGEST = 300  # entries of a list or mapping, but of files and sources: a release of everything has less than 150
TEXT, NAME = re.compile(r"[^\0]{0,100000}"), re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
COLUMN, DIGEST = re.compile(r"[a-z][a-z0-9_]{0,99}"), re.compile(r"[0-9a-f]{64}")
KEY = r"\{[a-z_]+\}"
FORM = re.compile(rf"[a-z][a-z_]*(?:{KEY})?(?:/(?:[a-z_]+|{KEY}))*")  # where the files of a table lie: claims/{shard}
PLACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]*(?:/[A-Za-z0-9_][A-Za-z0-9._+-]*)*")
FILE, SOURCE = re.compile(rf"{TABLES}/{PLACE.pattern}\.parquet"), re.compile(r"[^\0]{0,1000}")
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


def problem(manifest) -> str:
    """What is wrong with it first, as place, finding and expectation; empty if nothing is."""
    if found := _misfit(manifest, SHAPE, ""):
        return found
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
        return "" if any(not _misfit(value, one, place) for one in shape) else _told(value, place, shape[0])
    if shape is None or shape is MISSING:
        return "" if value is shape else _told(value, place, "nothing")
    if isinstance(shape, re.Pattern):
        return "" if isinstance(value, str) and shape.fullmatch(value) else _told(value, place, shape)
    if isinstance(shape, type):
        return "" if type(value) is shape and not (shape is int and value < 0) else _told(value, place, shape)
    if isinstance(shape, list):
        if not isinstance(value, list) or len(value) > LONGEST:
            return _told(value, place, f"a list of at most {LONGEST} entries")
        return next(filter(None, (_misfit(inner, shape[0], f"{place}.{at}") for at, inner in enumerate(value))), "")
    if not isinstance(value, dict):
        return _told(value, place, "a mapping")
    [first, *_] = shape
    if isinstance(first, re.Pattern):
        if len(value) > LONGEST and first not in (FILE, SOURCE):
            return _told(value, place, f"a mapping with at most {LONGEST} entries")
        parts = [(key, first, f"{place}, a name") for key in value]
        parts += [(inner, shape[first], f"{place}.{key:.80}") for key, inner in value.items()]
    else:
        parts = [(value.get(key, MISSING), inner, f"{place}.{key}") for key, inner in shape.items()]
    return next(filter(None, (_misfit(*part) for part in parts)), "")


def _told(value, place, shape):
    kinds = {bool: "true or false", int: "a whole number of at least 0", float: "a number", list: "a list"}
    kinds |= {dict: "a mapping", re.Pattern: f"text of the form {getattr(shape, 'pattern', '')[:60]}"}
    expected = shape if isinstance(shape, str) else kinds.get(shape if isinstance(shape, type) else type(shape))
    found = "nothing" if value is MISSING else ascii(value)[:80]
    return f"{place.removeprefix('.') or 'top level'}: found {found}, expected {expected}"
