"""Read the configuration, check it against its schema and fill in the defaults. Every problem is one line: file, key,
what was found, what was expected. Besides types and ranges this refuses unknown keys, paths that leave the working
directory, "not a number", and anything that looks like an API key; then nothing else is reported, so that no other
line quotes it."""

import math
import re
from collections.abc import Iterator

from jsonschema import Draft202012Validator, FormatChecker, validators
from jsonschema.exceptions import ValidationError

from ragassay.base import address, pipeline, plain_yaml, variants
from ragassay.base.atomic import restrict
from ragassay.base.errors import AssayError, closest, unknown
from ragassay.base.terminal import shown
from ragassay.config import prices
from ragassay.config.schema import merged, of_key, replaced, values
from ragassay.config.services import SERVICE, with_services

NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
SECRET = re.compile(
    r"(?<![A-Za-z0-9])((sk|pk|rk)-[A-Za-z0-9]|hf_[A-Za-z0-9]{8}|gh[opsu]_[A-Za-z0-9]{8}|xox[abp]-|AKIA[0-9A-Z]{8}|-----BEGIN"
    r"|gsk_[A-Za-z0-9]{8}|tgp_v1_|github_pat_|AIza[A-Za-z0-9_-]{8})|://[^/\s:@]*:[^/\s@]+@"
    r"|[?&](?i:([a-z]*[_-])*(api|access)?(key|token|secret|password|sig|signature))=[^&\s]"
)
HEADERS = r"^(proxy-)?authorization$|^cookie$|-(key|token|secret|auth)$"
SECRET_KEY = re.compile(rf"(?i)(api|access|secret|auth)[_-]?(key|token)|passw(or)?d|^(key|token|secret)$|{HEADERS}")
KEY_TEMPLATE = re.compile(r"(\w+ )?\{key\}")  # where a key belongs
CHECKER = FormatChecker(formats=())
CHECKER.checks("inside")(address.stays_inside)
CHECKER.checks("place")(address.is_place)
WHOLE = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)  # not 25.0
FORMS = {
    "inside": "a path inside the working directory, with '/' between folders and without '..', '~' and drive",
    "place": f"a path inside the working directory, or the address of an object: {address.FORM}",
    "title": "one line of text without '<'",
}
ELSEWHERE = "keys come from the environment only"
COUNTABLE = "expected a finite number below 2 to the 63rd"
RUNS_CODE = "__use_yte__"  # makes a template of a file that Snakemake reads
MISSING = object()


class ConfigError(AssayError):
    """The configuration cannot be used; the message lists every problem, one a line."""


@CHECKER.checks("title")
def is_title(title: object) -> bool:
    """Whether a heading can stand in any page and terminal: other programs' pages may not escape it."""
    return not isinstance(title, str) or (title.isprintable() and "<" not in title)


def _pattern(validator, pattern, instance, schema):
    """The keyword as JSON Schema means it, where `$` is the very end; Python's stands before a last line end, too."""
    if validator.is_type(instance, "string") and not re.search(re.sub(r"\$$", r"\\Z", pattern), instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _variant(validator, package, instance, schema):
    """The keyword `variant_of`."""
    if instance not in variants.names(package):
        yield ValidationError(f"{instance!r} is no module of {package}")


KEYWORDS = {"pattern": _pattern, "variant_of": _variant}
Validator = validators.extend(Draft202012Validator, KEYWORDS, type_checker=WHOLE)


def read(file) -> dict:
    """What one file sets; raises ConfigError."""
    try:
        content = plain_yaml.read(file)
    except FileNotFoundError:
        raise ConfigError(f"{file}: no such file; run this in the project's folder") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read ({error.strerror}), expected a file with settings") from error
    except plain_yaml.YamlError as error:
        raise ConfigError(str(error)) from error
    if not isinstance(content, dict):
        instead = "nothing" if content is None else shown(content)
        raise ConfigError(f"{file}: found {instead}, expected keys with values")
    if RUNS_CODE in content:
        raise ConfigError(f"{file}: found {RUNS_CODE}, which runs code while the file is read; write its values out")
    return content


def checked(config: dict, files: list, schema: dict, more=lambda config, schema: ()) -> dict:
    """The configuration with all defaults; raises ConfigError naming the file among `files` that each wrong key stands
    in. `more` finds further problems, as (key, text), in one whose types and ranges are right.
    """
    present = _present(_last_alone(config, files, schema), schema)
    problems = list(_secrets(config)) or list(_uncountable(config)) or list(schema_problems(present, schema))
    if not problems:
        filled = with_services(with_defaults(prices.completed(present), schema))
        problems = [*unknown_names(filled, schema), *more(filled, schema)]
    refuse(problems, config, files)
    return filled


def refuse(problems: list[tuple], config: dict, files: list) -> None:
    """Raise ConfigError if there are any, with the file that sets each key."""
    if problems:
        sources = [(str(file), read(file)) for file in files]
        lines = [f"{_source(path, config, sources)}: {_dotted(path)}: {text}" for path, text in problems]
        raise ConfigError("\n".join(dict.fromkeys(lines)))


def of_files(files: list, schema: dict, *more) -> dict:
    """The checked configuration of several files, of which later ones win, as Snakemake lays them over each other."""
    config = {}
    for file in files:
        lay_over(config, read(file))
    return checked(config, files, schema, *more)


def of_project(files: list, *more) -> dict:
    """The checked configuration, with these files laid over it. What this process writes from now on is for those whom
    `files_for` names.
    """
    config = of_files([*pipeline.settings_files(), *files], merged(), *more)
    restrict(config["files_for"])
    return config


def _last_alone(config, files, schema):
    """Mappings that files replace as a whole, as the last file has them."""
    for *above, last in replaced(schema):
        for given in (_at((*above, last), read(file)) for file in files):
            if given is not MISSING:
                _at(above, config)[last] = given
    return config


def lay_over(config: dict, more: dict) -> None:
    """Changes `config`, in which mappings are merged with those of `more`."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(config.get(key), dict):
            lay_over(config[key], value)
        else:
            config[key] = value


def _secrets(value, path=()) -> Iterator[tuple]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if SECRET.search(str(key)) or (SECRET_KEY.search(str(key)) and not KEY_TEMPLATE.fullmatch(str(inner))):
                yield (*path, key), f"found a place for a secret, expected none: {ELSEWHERE}"
            else:
                yield from _secrets(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _secrets(inner, (*path, number))
    elif isinstance(value, str) and SECRET.search(value):
        yield path, f"found what looks like a secret ({_masked(value)}), expected none: {ELSEWHERE}"


def _uncountable(value, path=()) -> Iterator[tuple]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _uncountable(inner, (*path, key))
    elif isinstance(value, int) and abs(value) >= 2**63:
        yield path, f"found a number of {value.bit_length()} bits, {COUNTABLE}"
    elif isinstance(value, float) and not math.isfinite(value):
        yield path, f"found {value}, {COUNTABLE}"


def _masked(text):
    return text if not SECRET.search(text) else text[: SECRET.search(text).end()][:4] + "..."


def schema_problems(config, schema: dict) -> Iterator[tuple]:
    """(path, what is wrong there) by types and ranges."""
    errors = Validator(schema, format_checker=CHECKER).iter_errors(config)
    for error in sorted(errors, key=lambda e: [str(part) for part in e.absolute_path]):
        path = tuple(error.absolute_path)
        if error.validator == "additionalProperties":
            keys = list(error.schema.get("properties", {}))
            for key in sorted(set(error.instance) - set(keys), key=str):
                yield (*path, key), f"found an unknown key, expected one of: {', '.join(keys)}{closest(key, keys)}"
        elif "propertyNames" in error.schema_path:
            form = "letters, digits, '.', '_' and '-', at most 64"
            names = f"one of: {', '.join(error.validator_value)}" if error.validator == "enum" else form
            yield (*path, error.instance), f"found an unusable name, expected {names}"
        else:
            yield path, f"found {_shown(error.instance)}, expected {_expected(error)}"


def unknown_names(config, schema) -> Iterator[tuple]:
    """A name that stands for an entry elsewhere, such as a model or an encoder, and that no entry has is a typo."""
    for path, value, part in values(config, schema):
        if "names" in part and value is not None and not isinstance(value, list):
            names = _entries(part["names"], config)
            if value not in names:
                yield path, unknown(part["names"]["what"], value, names)


def _entries(keyword, config):
    """The names that the keyword `names` allows."""
    sections = [keyword["of"]] if isinstance(keyword["of"], str) else keyword["of"]
    entries = [name for section in sections for name in _at(section.split("."), config)]
    entries = [name for name in entries if keyword.get("services") or not str(name).startswith(SERVICE)]
    kinds = variants.names(keyword["kinds"]) if "kinds" in keyword else ()
    return list(dict.fromkeys([*keyword.get("or", []), *entries, *kinds]))


def _shown(value):
    kind = {dict: "a mapping", list: "a list", str: "text", bool: "true/false"}
    kind |= {int: "a whole number", float: "a number"}
    return "nothing" if value is None else f"{_masked(shown(value))} ({kind.get(type(value), type(value).__name__)})"


def _expected(error):
    schema, limit = error.schema, error.validator_value
    kinds = {"object": "a mapping", "array": "a list", "string": "text", "boolean": "true or false"}
    kinds |= {"integer": "a whole number", "number": "a number", "null": "nothing"}
    types = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    match error.validator:
        case "type":
            return " or ".join(kinds[name] for name in types)
        case "minimum" | "exclusiveMinimum":
            return f"{kinds[types[0]]} {'of at least' if error.validator == 'minimum' else 'above'} {limit}"
        case "maximum" | "exclusiveMaximum":
            return f"{kinds[types[0]]} {'of at most' if error.validator == 'maximum' else 'below'} {limit}"
        case "enum":
            return f"one of {', '.join(map(str, limit))}"
        case "variant_of":
            return f"one of {', '.join(variants.names(limit))}"
        case "format":
            return FORMS[limit]
        case "required":
            return f"the keys {', '.join(limit)}"
        case "minItems" | "minLength":
            return "not to be empty"
        case "uniqueItems":
            return "no entry twice"
        case "pattern":
            return f"text of the form {limit}"
    return error.message


def _dotted(path):
    return ".".join(_masked(" ".join(str(part).split())) for part in path) or "top level"


def _source(path, config, sources):
    """The last file that sets the key, the command line if another value is found, or the defaults."""
    effective = _at(path, config)
    if effective is MISSING:
        return "default"
    for name, content in reversed(sources):
        value = _at(path, content)
        if value is not MISSING:
            are_mappings = isinstance(value, dict) and isinstance(effective, dict)
            same = value == effective or repr(value) == repr(effective)  # "not a number" equals nothing
            return name if are_mappings or same else "command line"
    return "command line"


def _at(path, value):
    """What stands at a path. A list counts as one value, because a later list replaces an earlier one."""
    for part in path:
        if isinstance(value, list):
            break
        value = value.get(part, MISSING) if isinstance(value, dict) else MISSING
    return value


def with_defaults(value, schema):
    """A valid value with the defaults of its part of the schema."""
    if schema.get("type") == "array":
        return [with_defaults(inner, schema.get("items", {})) for inner in value]
    if schema.get("type") != "object":
        return value
    properties = schema.get("properties", {})
    usual = {key: part["default"] for key, part in properties.items() if "default" in part}
    order = dict.fromkeys([*(key for key in properties if key in usual or key in value), *value])
    return {key: with_defaults(value.get(key, usual.get(key)), of_key(schema, key)) for key in order}


def _present(value, schema):
    """With the built-in entries of a mapping that has some, and without those that are switched off, since a file laid
    over others cannot take an entry away: by null, by false, as YAML reads `off`, or by a setting `used` of false.
    """
    if not isinstance(value, dict):
        return value
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    entries = (schema["default"] if schema.get("built_in") else {}) | value
    present = {key: entry for key, entry in entries.items() if key in properties or not others or _on(entry, others)}
    return {key: _present(entry, of_key(schema, key)) for key, entry in present.items()}


def _on(entry, schema):
    if entry is None or entry is False:
        return isinstance(schema.get("type"), list)  # where it may be a value
    return not (isinstance(entry, dict) and "used" in schema.get("properties", {}) and entry.get("used") is False)
