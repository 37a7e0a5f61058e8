"""What rules and the groups of profiles/slurm ask for, as rule files and profiles say it: without a project and a plan.

In a run, jobs of large shards ask for more memory. Rules name what a usual shard takes; a shard whose files are larger
gets more, in proportion. What the command line or a profile sets for a rule stays as it is. Time does not grow, since
partitions limit it.
"""

import ast
import contextlib
import re
from functools import cache
from pathlib import Path

import yaml
from snakemake.resources import Resource

from ragassay.base import pipeline
from ragassay.documents.sources import SourceError, document_files

USUAL = 50_000_000  # bytes of the files of a shard, some ten thousand articles
GROWING = "mem_mb"
RULE = re.compile(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
RESOURCE = re.compile(r"^        (mem_mb|runtime)=(\S+),$", re.MULTILINE)
ENCODING = re.compile(r"^ENCODING = (\{.*?\})", re.MULTILINE)  # of rules/common.smk


def of_rules() -> dict[str, dict[str, int]]:
    """rule -> megabytes (mem_mb) and minutes (runtime), where it asks for more than every job gets."""
    folder = pipeline.WORKFLOW / "rules"
    encoding = ast.literal_eval(ENCODING.search((folder / "common.smk").read_text())[1])
    asked = {}
    for file in sorted(folder.glob("*.smk")):
        for name, body in RULE.findall(file.read_text()):
            values = {resource: ast.literal_eval(value) for resource, value in RESOURCE.findall(body)}
            asked[name] = _numbers(values | (encoding if "        **ENCODING," in body else {}))
    return asked


def minutes_of_groups() -> dict[str, int]:
    """group -> the minutes of all its rules, one after the other."""
    default, slurm = (_profile(name) for name in ("default", "slurm"))
    usual = _numbers({"runtime": default["default-resources"]["runtime"]})
    rules, minutes = of_rules(), {}
    for rule, group in (pair.split("=") for pair in slurm.get("groups", [])):
        more = [profile.get("set-resources", {}).get(rule, {}) for profile in (default, slurm)]
        asked = usual | rules.get(rule, {}) | _numbers(more[1]) | _numbers(more[0])
        minutes[group] = minutes.get(group, 0) + asked["runtime"]
    return minutes


def _numbers(resources):
    return {name: Resource.parse_human_friendly(name, value) for name, value in resources.items()}


def _profile(name):
    return yaml.safe_load(Path(pipeline.profile(name), "profile.yaml").read_text())


def grow(workflow, shards: dict[str, dict]) -> None:
    """While the Snakefile is read, when all rules are known. Files are looked at when a job of a shard is planned."""

    @cache
    def times(shard):
        return max(1, _bytes(shards.get(shard, {}).get("documents")) / USUAL)

    overwritten = workflow.resource_settings.overwrite_resources
    for rule in workflow.rules:
        asked = rule.resources.get(GROWING)
        if "shard" not in rule.wildcard_names or GROWING in overwritten.get(rule.name, ()):
            continue
        if asked is not None and not asked.is_evaluable() and isinstance(asked.value, int):
            rule.resources[GROWING] = Resource(GROWING, _of_job(asked.value, times), raw=asked.raw)


def _of_job(usual, times):
    def of_job(wildcards):
        return round(usual * times(wildcards.shard))

    return of_job


def _bytes(source):
    """0 of shards that are crawled, and of files that cannot be read, which their own rule says."""
    with contextlib.suppress(SourceError, OSError):
        return sum(Path(file).stat().st_size for file in document_files(source)) if source else 0
    return 0
