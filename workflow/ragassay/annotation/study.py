"""Which sample is labelled, where its labels are kept, and what is told about it: from the configuration of a run."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ragassay.annotation.guidelines import Guidelines, load
from ragassay.config import checked, read
from ragassay.errors import AssayError

SCHEMA = Path(__file__).resolve().parents[2] / "schemas/config.schema.yaml"


class StudyError(AssayError):
    """There is nothing to label."""


@dataclass(frozen=True)
class Study:
    generator: str
    judge: str
    annotation: dict  # the settings scope.annotation

    @property
    def folder(self) -> Path:
        return Path(self.annotation["folder"], self.generator, self.judge)

    @property
    def sample(self) -> Path:
        return Path("results/annotation_items", self.generator, f"{self.judge}.parquet")

    def guidelines(self) -> Guidelines:
        return load(self.annotation["guidelines"], self.annotation["training_items"])


def study(configfiles: list[str], generator: str | None, judge: str | None) -> Study:
    """The first generator and judge of the configuration unless others are named."""
    files, config = ["config/config.yaml", *configfiles], {}
    for file in files:
        _merge(config, read(file))
    config = checked(config, files, SCHEMA)
    scope = config["scope"]
    for role, name, known in (
        ("scope.generators or a question set", generator, [*scope["generators"], *config["question_sets"]]),
        ("scope.judges", judge, scope["judges"]),
    ):
        if name is not None and name not in known:
            raise StudyError(f"found {name!r}, expected one of {role}: {', '.join(known)}")
    return Study(generator or scope["generators"][0], judge or scope["judges"][0], scope["annotation"])


def draw_sample(study: Study, configfiles: list[str]) -> None:
    """Let Snakemake draw the sample from what is there already. No other rule may run, so no model is asked."""
    command = [sys.executable, "-m", "snakemake", "--quiet", "host", "rules", "reason", "progress"]
    command += ["--allowed-rules", "sample_for_annotation"]
    command += ["--configfile", *configfiles] if configfiles else []
    done = subprocess.run([*command, "--", str(study.sample)], capture_output=True, text=True)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        own = [line for line in lines if line.startswith("sample_for_annotation (")]  # what the stage itself says
        told = "\n".join(f"    {line}" for line in own or lines[-8:])
        remedy = "run the study first, as with `make demo STUDY=scope`"
        raise StudyError(f"{study.sample}: there is no sample to label and none can be drawn; {remedy}\n{told}")


def _merge(config, more):
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(config.get(key), dict):
            _merge(config[key], value)
        else:
            config[key] = value
