"""Settings of the stage that compares months, the calls of each shard, and the shards that others are trained on."""

from pathlib import Path

from ragassay.base.errors import AssayError, unknown
from ragassay.plan.report import draws


class UnknownShard(AssayError):
    """A shard that a section names does not exist."""


def named(shards: dict, names: list[str] | int, key: str) -> list[str]:
    """The shards that a list in the configuration names, in the order of their table; all of them if it is empty. Of a
    number, so many of the first.
    """
    if isinstance(names, int):
        return list(shards)[:names]
    for name in names:
        if name not in shards:
            raise UnknownShard(f"{key}: {unknown('shard', name, shards)}")
    return [name for name in shards if name in (names or shards)]


def trained_on(config: dict, shards: dict, section: str) -> list[str]:
    """The shards on which a section's models are trained."""
    return named(shards, config[section]["trained_on"], f"{section}.trained_on")


def train_demo_lm(config: dict) -> dict:
    return {name: value for name, value in config["demo_lm"].items() if name != "trained_on"}


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
