"""What rules and the groups of profiles/slurm ask for, as rule files and profiles say it: without a project and a plan.
What grows with the files of a shard (see `ragassay.running.sizes`) is not looked at.
"""

import ast
import re
from pathlib import Path

import yaml
from snakemake.resources import Resource

from ragassay.base import pipeline

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
