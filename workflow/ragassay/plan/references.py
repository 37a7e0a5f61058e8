"""What configuration and rules refer to (prompts, files, folders, shards) must exist before a job starts. Snakemake
reports a missing input only if the output is missing, too: the run would end well on results that belong to other
settings."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ragassay.base import variants
from ragassay.base.address import is_address
from ragassay.base.errors import AssayError, closest, closest_file, unknown
from ragassay.base.pipeline import WORKFLOW, in_clone, matching, original
from ragassay.base.terminal import shown
from ragassay.calls.prompts import content_digest
from ragassay.config import shards
from ragassay.config.schema import values
from ragassay.config.settings import unknown_names
from ragassay.documents.sources import KINDS, SourceError, document_files

RESULTS = "results/"  # what rules write
PLAN = "ragassay.plan"


class UnknownTarget(AssayError):
    """The command line asks for what nothing makes."""


class MissingInput(AssayError):
    """Files that rules read are gone; the message lists all, one a line."""


def problems(config: dict, schema: dict) -> Iterator[tuple]:
    """(key, what is wrong with the name or path there) for all of a checked configuration: what its schema declares,
    the table of shards, and what does not go together.
    """
    for path, value, part in values(config, schema):
        if "file_of" in part:
            yield from ((path, problem) for problem in _no_file_of(value, **part["file_of"]))
        if "exists" in part and value is not None:
            if unreadable := _unreadable(value):
                yield path, unreadable
                return
            yield from ((path, problem) for problem in _missing(value, part["exists"]))
    yield from shards.check(config)
    yield from wrong_settings(config) if not any(unknown_names(config, schema)) else ()


def wrong_settings(config: dict) -> Iterator[tuple]:
    """What modules beside this one find, each with a function `check`, where all names are right."""
    for name in variants.names(PLAN):
        check = getattr(variants.load(PLAN, name, PLAN), "check", None)
        yield from check(config) if check else ()


def further_rule_files(snakefile) -> list[str]:
    """The rule files that the Snakefile does not name: studies that somebody added."""
    named = re.findall(r'^include: "(.+)"', Path(snakefile).read_text(encoding="utf-8"), re.MULTILINE)
    folder = Path(snakefile).parent
    present = [path.relative_to(folder).as_posix() for path in sorted(folder.glob("workflow/rules/*.smk"))]
    return [file for file in present if file not in named]


def check_inputs(rules) -> None:
    """Whether the files exist that rules read by fixed names. Names with wildcards come from the configuration."""
    from snakemake.io import is_callable  # which all that checks a configuration can do without

    read = {str(file): rule.name for rule in rules for file in rule.input if not is_callable(file)}
    fixed = [file for file in read if "{" not in file and not file.startswith(RESULTS)]
    gone = [file for file in sorted(fixed) if not Path(file).exists()]
    if gone:
        advice = "restore it, as with: git checkout --" if in_clone() else "install ragassay again, or restore"
        raise MissingInput(
            "\n".join(f"{file}: no such file; rule {read[file]} reads it, {advice} {original(file)}" for file in gone)
        )


def watch_prompts(rules, in_one_line) -> None:
    """What a prompt says re-runs the rules that read it; its comments and its layout re-run nothing. Such an input is
    `ancient`, so that its times do not count, and the rule gets the param `prompts`: a digest of each.
    """
    from snakemake.io import is_flagged

    for rule in rules:
        if prompts := [item for item in rule.input if is_flagged(item, "ancient")]:
            rule.set_params(prompts=_digests(prompts, in_one_line))


def complete(rules, modifier, version) -> None:
    """What follows from the name of a rule's script, where the rule says nothing else: the `version` of its code, which
    re-runs it if it lies among those of this workflow, no settings, and its log, in a folder of that name by the
    wildcards of what it writes. `modifier` is that of paths where another workflow uses this one.
    """
    from snakemake.io import WILDCARD_REGEX

    for rule in (rule for rule in rules if rule.script):
        script, stated = Path(rule.script), rule.params.keys()
        name = f"{script.parent.name}/{script.name}"
        if "code" not in stated and (WORKFLOW / "scripts" / name).is_file():
            rule.set_params(code=version(name))
        if "settings" not in stated:
            rule.set_params(settings={})
        if not rule.log:
            keys = dict.fromkeys(key["name"] for path in rule.output[:1] for key in WILDCARD_REGEX.finditer(path))
            rule.log_modifier = modifier
            rule.set_log("/".join(["logs", script.stem, *(f"{{{key}}}" for key in keys)]) + ".log")


def _digests(prompts, in_one_line):
    def of_job(wildcards):
        paths = [path for item in prompts for path in _paths(item, wildcards)]
        return [in_one_line(_digest, path, Path(path).stat().st_mtime_ns) for path in paths]

    return of_job


def _paths(item, wildcards):
    from snakemake.io import is_callable

    named = item._file.callable(wildcards) if is_callable(item) else item.format(**wildcards)
    return [named] if isinstance(named, str) else named


@cache  # the jobs of all shards read the same
def _digest(path, _changed):
    return content_digest(path)


def check_targets(rules, targets) -> None:
    """Whether each word behind `snakemake` is a rule that can be asked for, or the path of a file that one makes."""
    names = [rule.name for rule in rules if not rule.has_wildcards()]
    every = [rule.name for rule in rules]
    wholes = [rule.name for rule in rules if not rule.output]
    for target in targets or ():
        if target not in every and not re.search(r"[/.]", target):
            raise UnknownTarget(
                f"command line: {target}: found no such target, expected a file below results/, or one of:"
                f" {', '.join(wholes)}{closest(target, names)}"
            )
        if target.startswith(RESULTS) and not any(rule.is_producer(target) for rule in rules):
            problem = f"command line: {target}: found no rule that makes it"
            raise UnknownTarget(f"{problem}, expected a path of a table, with names of the configuration in it")


def _unreadable(path):
    """Why nothing can be looked for there, as where a name is too long."""
    try:
        Path(path).exists()
    except OSError as error:
        return f"found {shown(path)}, which cannot be looked at ({error.strerror}), expected a place that exists"
    return ""


def _no_file_of(name, **patterns):
    for what, pattern in patterns.items():
        files = matching(pattern.replace("{}", "*"))
        if Path(pattern.format(name)).name not in files:
            before, after = Path(pattern).name.split("{}")
            names = [file.removeprefix(before).removesuffix(after) for file in sorted(files)]
            yield f"{unknown(what, name, names)}; each is a file {pattern.replace('{}', '{name}')}"


def _missing(path, kind):
    """A file or folder that the configuration names is missing, or of another kind than is read there."""
    is_folder, ending = Path(path).is_dir(), Path(path).suffix.lower()
    is_elsewhere = is_address(path)  # its job looks for it
    if kind == "folder":
        if not is_folder:
            yield f"found {path!r}, no such folder, expected one that exists{closest_file(path)}"
    elif kind == "tables" and is_folder:
        try:
            document_files(path)
        except SourceError as error:
            yield f"found the folder {path!r}: {error}"
    elif is_folder:
        yield f"found the folder {path!r}, expected a file"
    elif not is_elsewhere and not Path(path).is_file():
        yield f"found {path!r}, no such file, expected one that exists{closest_file(path)}"
    elif kind != "file" and ending not in KINDS and (kind, ending) != ("targets", ".json"):
        yield f"found {path!r}, an unknown kind of file, expected one of {', '.join(KINDS)}"
