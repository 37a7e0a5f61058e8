"""Check the configuration against its schema and fill in the defaults.

Every problem is one line: file, key, what was found, what was expected. Besides types and ranges this refuses keys
that the schema does not know, anything that looks like an API key, and paths that leave the working directory.
Secrets belong in the environment.
"""

import difflib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import yaml
from jsonschema import Draft202012Validator, FormatChecker

from ragassay.errors import AssayError

NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
SECRET = re.compile(
    r"(?<![A-Za-z0-9])((sk|pk|rk)-[A-Za-z0-9]|hf_[A-Za-z0-9]{8}|gh[opsu]_[A-Za-z0-9]{8}|xox[abp]-|AKIA[0-9A-Z]{8}|-----BEGIN)"
)
SECRET_KEY = re.compile(r"(api|access|secret|auth)[_-]?(key|token)|password|passwd|^(key|token|secret)$", re.IGNORECASE)
CHECKER = FormatChecker(formats=())


class ConfigError(AssayError):
    """The configuration cannot be used; the message lists every problem, one a line."""


@CHECKER.checks("inside")
def stays_inside(path: object) -> bool:
    """Whether a path, as written, stays in the working directory; a link there may point out of it, somebody made it
    on purpose.
    """
    if not isinstance(path, str):
        return True
    depth = 0
    for part in PurePosixPath(path.replace("\\", "/")).parts:
        depth += -1 if part == ".." else 1
        if depth < 0 or part.startswith(("/", "~")) or (len(part) > 1 and part[1] == ":"):
            return False
    return bool(path) and "\0" not in path


def checked(config: dict, files: list, schema_file) -> dict:
    """The configuration with all defaults; raises ConfigError naming the file among `files` that each wrong key stands
    in.
    """
    schema = yaml.safe_load(Path(schema_file).read_text())
    problems = [*_secrets(config), *_schema_problems(config, schema)]
    if problems:
        sources = [(str(file), yaml.safe_load(Path(file).read_text()) or {}) for file in files]
        lines = [
            f"{_source(path, sources)}: {'.'.join(map(str, path)) or 'top level'}: {text}" for path, text in problems
        ]
        raise ConfigError("\n".join(dict.fromkeys(lines)))
    return _with_defaults(config, schema)


def _secrets(value, path=()) -> Iterator[tuple]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if SECRET_KEY.search(str(key)) or SECRET.search(str(key)):
                yield (
                    (*path, _masked(str(key))),
                    "found a place for a secret, expected none: keys come from the environment only",
                )
            else:
                yield from _secrets(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _secrets(inner, (*path, number))
    elif isinstance(value, str) and SECRET.search(value):
        yield (
            path,
            f"found what looks like a secret ({_masked(value)}), expected none: keys come from the environment only",
        )


def _masked(text):
    return text if not SECRET.search(text) else text[: SECRET.search(text).end()][:4] + "..."


def _schema_problems(config, schema):
    errors = Draft202012Validator(schema, format_checker=CHECKER).iter_errors(config)
    for error in sorted(errors, key=lambda e: [str(part) for part in e.absolute_path]):
        path = tuple(error.absolute_path)
        if error.validator == "additionalProperties":
            known = list(error.schema.get("properties", {}))
            for key in sorted(set(error.instance) - set(known)):
                yield (*path, key), f"found an unknown key, expected one of: {', '.join(known)}{_closest(key, known)}"
        elif error.validator == "propertyNames":
            yield (
                (*path, error.instance),
                "found an unusable name, expected letters, digits, '.', '_' and '-', at most 64",
            )
        else:
            yield path, f"found {_shown(error.instance)}, expected {_expected(error)}"


def _closest(key, known):
    close = difflib.get_close_matches(str(key), known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _shown(value):
    kind = {
        dict: "a mapping",
        list: "a list",
        str: "text",
        bool: "true/false",
        int: "a whole number",
        float: "a number",
    }
    return "nothing" if value is None else f"{_masked(repr(value)):.80} ({kind.get(type(value), type(value).__name__)})"


def _expected(error):
    schema, limit = error.schema, error.validator_value
    kinds = {"object": "a mapping", "array": "a list", "string": "text", "boolean": "true or false"}
    kinds |= {"integer": "a whole number", "number": "a number"}
    match error.validator:
        case "type":
            return kinds[limit]
        case "minimum" | "exclusiveMinimum":
            return f"{kinds[schema['type']]} {'of at least' if error.validator == 'minimum' else 'above'} {limit}"
        case "maximum":
            return f"{kinds[schema['type']]} of at most {limit}"
        case "enum":
            return f"one of {', '.join(map(str, limit))}"
        case "format":
            return "a path inside the working directory, without '..' and not absolute"
        case "required":
            return f"the keys {', '.join(limit)}"
        case "minItems" | "minLength":
            return "not to be empty"
        case "uniqueItems":
            return "no entry twice"
        case "pattern":
            return f"text of the form {limit}"
    return error.message


def _source(path, sources):
    """The last file that sets the key, as later files win; without one it came from the command line."""
    for name, content in reversed(sources):
        inner = content
        for part in path:
            if isinstance(inner, dict) and part in inner:
                inner = inner[part]
            elif isinstance(inner, list) and isinstance(part, int) and part < len(inner):
                inner = inner[part]
            else:
                break
        else:
            return name
    return "command line" if path else sources[-1][0]


def _with_defaults(value, schema):
    if schema.get("type") != "object":
        return value
    filled = {}
    known = schema.get("properties", {})
    for key, inner in known.items():
        if key in value or "default" in inner:
            filled[key] = _with_defaults(value.get(key, inner.get("default")), inner)
    others = schema.get("additionalProperties") or {}
    return filled | {key: _with_defaults(value[key], others) for key in value if key not in known}
