"""What jobs of large shards ask for. Rules name the memory and the time that a usual shard takes; a shard whose files
are larger gets more of both, in proportion. What the command line or a profile sets for a rule stays as it is.
"""

import contextlib
from pathlib import Path

from ragassay.documents.sources import SourceError, document_files

USUAL = 50_000_000  # bytes of the files of a shard, some ten thousand articles
GROWING = ("mem_mb", "runtime")


def follow(workflow, shards: dict[str, dict]) -> None:
    """While the Snakefile is read, when all rules are known."""
    times = {name: size / USUAL for name, row in shards.items() if (size := _bytes(row["documents"])) > USUAL}
    overwritten = workflow.resource_settings.overwrite_resources
    for rule in workflow.rules if times else ():
        if "shard" not in rule.wildcard_names:
            continue
        for name in {*GROWING} - {*overwritten.get(rule.name, ())}:
            asked = rule.resources.get(name)
            if asked is not None and isinstance(asked.value, int):
                rule.resources[name] = _of_job(asked.value, times)


def _of_job(usual, times):
    def of_job(wildcards):
        return round(usual * times.get(wildcards.shard, 1))

    return of_job


def _bytes(source):
    """0 of shards that are crawled, and of files that cannot be read, which their own rule says."""
    with contextlib.suppress(SourceError, OSError):
        return sum(Path(file).stat().st_size for file in document_files(source)) if source else 0
    return 0
