"""Settings of the stages that measure and grade hardness."""

from ragassay.plan.models import encoder
from ragassay.plan.months import named
from ragassay.plan.report import draws


def compute_hardness(config: dict) -> dict:
    return {**encoder(config), "limits": _limits(config)}


def grade_hardness(config: dict, shards: dict) -> dict:
    hardness = config["scope"]["hardness"]
    named(shards, hardness["graded_on"], "scope.hardness.graded_on")
    same = {name: hardness[name] for name in ("fewest_per_stratum", "graded_on")}
    return {"limits": _limits(config), **same, **draws(config, "scope")}


def measure_scope(config: dict) -> dict:
    """The study's own generator and judge are the first."""
    scope = config["scope"]
    return {"generator": scope["generators"][0], "judge": scope["judges"][0], **draws(config, "scope")}


def _limits(config):
    return sorted(config["scope"]["hardness"]["limits"])
