"""Settings of the stage that compares months, and the calls of each shard."""

from pathlib import Path

from ragassay.plan.report import draws


def calls_of_shards(shards: dict, wildcards, calls: list[str]) -> list[str]:
    """Of the tables of calls, those of a shard: of each there is one for every other shard, too."""
    tables, names = set(calls), list(shards)
    return [
        path
        for path in calls
        if Path(path).stem in shards and tables.issuperset(str(Path(path).with_stem(name)) for name in names)
    ]


def measure_months(config: dict) -> dict:
    return draws(config, "months")
