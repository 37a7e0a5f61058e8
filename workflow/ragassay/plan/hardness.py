"""Settings of the stages that measure and grade hardness."""

from ragassay.plan.encoders import encoder
from ragassay.plan.intervals import draws


def compute_hardness(config: dict) -> dict:
    return {**encoder(config), "limits": _limits(config)}


def grade_hardness(config: dict) -> dict:
    fewest = config["scope"]["hardness"]["fewest_per_stratum"]
    return {"limits": _limits(config), "fewest_per_stratum": fewest, **draws(config, "scope")}


def measure_scope(config: dict) -> dict:
    """The study's own generator and judge are the first."""
    scope = config["scope"]
    return {"generator": scope["generators"][0], "judge": scope["judges"][0], **draws(config, "scope")}


def _limits(config):
    return sorted(config["scope"]["hardness"]["limits"])
