"""Files below results that no configuration plans any more, such as those of a shard, a model or a variant that is
gone.

A file is left over if it has the form of some rule's output, and no plan has it (see `ragassay.running.plans`).
Whatever else lies there belongs to somebody else: it has no form that a rule writes. What was asked of models and paid
is never left over. Links are neither followed nor counted.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ragassay.base.atomic import write_text

RESULTS = "results"
REPORTS = "results/report/(?:[^/]*/)?"  # each configuration may have a report of its own
PAID = "results/calls"
LIST = Path("results/left_over.txt")  # for people, and for `ragassay.results`, which reads none of them
NAMED = 3  # files that a line names
ANY = "[^/]*"


def patterns(rules: Iterable, report: str) -> dict[str, dict[str, bool]]:
    """Rule -> the forms of its outputs below results, whatever the names in their paths, and whether these are folders.
    Those of the report in the folder `report` are those of any report.

    A rule may name tables one by one that came out of the configuration. Their forms have any name in the place of each
    part of the path below the table's own folder.
    """
    from snakemake.io import strip_wildcard_constraints  # which all that imports this to read plans can do without

    forms = {}
    for rule in rules:
        for output in rule.output:
            path = os.path.normpath(strip_wildcard_constraints(str(output)))
            if path.startswith(f"{report}/"):
                form = REPORTS + _form(path.removeprefix(f"{report}/"))
            elif path.startswith(f"{RESULTS}/"):
                form = _form(path)
            else:
                continue
            forms.setdefault(rule.name, {})[form] = bool(output.is_directory)
    return forms


def _form(path):
    parts = path.split("/")
    if "{" not in path and path.endswith(".parquet") and len(parts) > 2:
        return "/".join([*map(re.escape, parts[:2]), *[ANY] * (len(parts) - 3), rf"{ANY}\.parquet"])
    return ANY.join(map(re.escape, re.split(r"\{\w+\}", path)))


def left_over(base, others) -> dict[str, int]:
    """path -> size of every file that neither the plan of the present configuration, `base`, has nor another one.

    If `base` is only a part of its configuration, only what its own rules write is judged.
    """
    planned = base.outputs().union(*(_still_planned(other, base) for other in others))
    rules = base.patterns if base.whole else [rule for rule in base.patterns if rule in base.files]
    forms = {form: folder for rule in rules for form, folder in base.patterns[rule].items()}
    files, folders = (_any_of(form for form in forms if forms[form] == kind) for kind in (False, True))
    return _sizes(sorted(_unplanned(planned, files, folders)))


def _still_planned(other, base):
    """What protects a plan's files. Plans of other configurations do as they were made. One of the same configuration,
    when that was another one, does only for what the whole of it never makes.
    """
    old = other.has_configuration_of(base) and other.fingerprint != base.fingerprint
    if not (old and base.whole and set(other.targets) <= set(base.goals)):
        return other.outputs()
    return {path for rule, paths in other.files.items() if rule not in base.files for path in paths}


def _any_of(forms):
    return re.compile("|".join(f"(?:{form})" for form in sorted(forms)) or "(?!)")


def _unplanned(planned, files, folders) -> Iterator[str]:
    """What has the form of an output and is none; all of a folder that is an output as a whole."""
    above = {str(parent) for path in planned for parent in Path(path).parents}
    whole, wanted = set(), planned | {PAID}
    for folder, inner, names in os.walk(RESULTS):
        inner[:] = [name for name in inner if f"{folder}/{name}" not in wanted]
        paths = [f"{folder}/{name}" for name in inner]
        whole.update(path for path in paths if folder in whole or (path not in above and folders.fullmatch(path)))
        for path in (f"{folder}/{name}" for name in names):
            if folder in whole or (path not in wanted and files.fullmatch(path)):
                yield path


def _sizes(paths):
    """path -> size of those that are files, and no links to any."""
    present = ((path, Path(path)) for path in paths)
    return {path: file.lstat().st_size for path, file in present if file.is_file() and not file.is_symlink()}


def note(left: Iterable[str]) -> None:
    """Write the list, or none if there is nothing to list."""
    if left:
        write_text(LIST, "".join(f"{path}\n" for path in left))
    else:
        LIST.unlink(missing_ok=True)


def noted() -> dict[str, int]:
    """What the last list says and still lies there."""
    return _sizes(LIST.read_text().splitlines()) if LIST.exists() else {}


def line(left: dict[str, int]) -> str:
    count = f"{len(left):,} files" if len(left) > 1 else "1 file"
    total = size(sum(left.values()))
    return f"no configuration plans {count} ({total}): {few(left)}; to see and delete them: make prune"


def few(paths: Iterable[str]) -> str:
    paths = [*paths]
    return ", ".join(paths[:NAMED]) + (f" and {len(paths) - NAMED:,} more" if len(paths) > NAMED else "")


def size(count: int) -> str:
    """A number of bytes in words."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.1f} GB"
