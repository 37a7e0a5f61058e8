"""The configuration's schema: one file in workflow/schemas/ for what all studies share, and one for each study.

They are merged by their keys, and no key may stand in two files: a new study adds a file and edits none. Beside the
keywords of JSON Schema they have some of ours:

    place       at the top of a file: a number that orders the files, as in config/README.md
    is          a form in forms.yaml beside them, which many settings have: `is: count` is a whole number from 1 on
    variant_of  a package: the value is the name of one of its modules
    names       the value is the name of an entry elsewhere: {what: model, of: models}, or of a list of
                sections, with further names as `or`, and the modules of a package as `kinds`; or it is null.
                Services stand among the models only where it says `services`
    built_in    the entries of the default stay beside those that are given, unless one of these is null
    replaced    a file that gives this mapping replaces those of earlier files: nothing of theirs stays
    file_of     the value is a part of a file's name: {prompt: "resources/prompts/respond_{}.yaml"}
    exists      the value is the path of a file, a folder, a table, which is a file of a kind that can be read,
                targets, which is such a file or one of JSON, or tables, which is a table or a folder of them
"""

import copy
from collections.abc import Iterator
from pathlib import Path

import yaml

from ragassay.base.address import local
from ragassay.base.errors import AssayError, unknown
from ragassay.base.pipeline import WORKFLOW, in_clone, shipped

FOLDER = WORKFLOW / "schemas"
FORMS = FOLDER / "forms.yaml"
TOP = ["$schema", "title", "description", "place", "properties"]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with it


class SchemaError(AssayError):
    """The files of the schema do not fit together."""


def load(file) -> dict:
    """One schema."""
    return yaml.load(Path(file).read_bytes(), LOADER)  # noqa: S506  both are safe loaders


def parts(folder=FOLDER) -> dict[Path, dict]:
    """file -> its schema, with its forms spelled out, in the order of their places."""
    forms = {}
    for name, form in load(FORMS).items():
        forms[name] = _spelled_out(form, forms, FORMS)
    schemas = {file: load(file) for file in sorted(Path(folder).glob("*.schema.yaml"))}
    for file, part in schemas.items():
        if not isinstance(part, dict) or part.keys() != set(TOP):
            keys = ", ".join(map(str, part)) if isinstance(part, dict) else "none"
            raise SchemaError(f"{file}: found the keys {keys}, expected {', '.join(TOP)}")
    spelled = {file: _spelled_out(part, forms, file) for file, part in schemas.items()}
    return dict(sorted(spelled.items(), key=lambda item: item[1]["place"]))


def _spelled_out(part, forms, file):
    """A part of a schema with what its `is` stands for, at all depths."""
    if isinstance(part, list):
        return [_spelled_out(item, forms, file) for item in part]
    if not isinstance(part, dict):
        return part
    spelled = {key: _spelled_out(value, forms, file) for key, value in part.items()}
    if not isinstance(spelled.get("is"), str):  # a setting may have this name
        return spelled
    name = spelled.pop("is")
    if name not in forms:
        raise SchemaError(f"{file}: is: {unknown('form', name, forms)}")
    return copy.deepcopy(forms[name]) | spelled


def merged(folder=FOLDER) -> dict:
    """The schema of the whole configuration; raises SchemaError where two files have one key."""
    schema = {"type": "object", "additionalProperties": False, "properties": {}}
    owners = {}
    for file, part in parts(folder).items():
        for key, value in part["properties"].items():
            if key in owners:
                taken = f"which {owners[key].name} has already"
                raise SchemaError(f"{file}: properties: found the key {key}, {taken}; give it another name")
            owners[key] = file
            schema["properties"][key] = value
    if not in_clone():
        _reach(schema)
    return schema


def _reach(part):
    """Files of the pipeline that are defaults, as the working directory reaches them."""
    for below in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _reach(below)
    if isinstance(part, dict) and "exists" in part and isinstance(part.get("default"), str):
        part["default"] = shipped(part["default"])


def of_key(schema: dict, key: str) -> dict:
    """The schema of a key of a mapping."""
    return schema.get("properties", {}).get(key, schema.get("additionalProperties") or {})


def replaced(schema: dict, path=()) -> Iterator[tuple]:
    """The places of mappings that files replace as a whole."""
    for key, below in schema.get("properties", {}).items():
        if below.get("replaced"):
            yield (*path, key)
        yield from replaced(below, (*path, key))


def fetched(value, schema: dict, entry=()):
    """A checked configuration as jobs read it: with the paths of copies instead of addresses in object stores."""
    if isinstance(value, dict):
        return {key: fetched(below, of_key(schema, key), (*entry, key)[:2]) for key, below in value.items()}
    if isinstance(value, list):
        return [fetched(item, schema.get("items", {}), entry) for item in value]
    return local(value, ".".join(entry)) if schema.get("format") == "place" else value


def values(value, schema: dict, path=()) -> Iterator[tuple]:
    """(path, value, its schema) for everything in a checked configuration; names of entries are values, too. A list is
    one place, whatever stands in it.
    """
    yield path, value, schema
    if isinstance(value, list):
        for item in value:
            yield from values(item, schema.get("items", {}), path)
    elif isinstance(value, dict):
        for key, below in value.items():
            if "propertyNames" in schema:
                yield (*path, key), key, schema["propertyNames"]
            yield from values(below, of_key(schema, key), (*path, key))
