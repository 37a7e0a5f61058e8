"""What jobs of large shards ask for. Rules name the memory that a usual shard takes; a shard whose files are larger
gets more, in proportion. What the command line or a profile sets for a rule stays as it is. Time does not grow, since
partitions limit it.
"""

import contextlib
from functools import cache
from pathlib import Path

from snakemake.resources import Resource

from ragassay.documents.sources import SourceError, document_files

USUAL = 50_000_000  # bytes of the files of a shard, some ten thousand articles
GROWING = "mem_mb"


def follow(workflow, shards: dict[str, dict]) -> None:
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
