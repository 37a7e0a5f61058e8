"""Which sample is labelled, where its labels are kept, and its guidelines, from the configuration of a run."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.config import schema
from ragassay.config.settings import of_files
from ragassay.people.guidelines import Guidelines, load


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
    config = of_files(["config/config.yaml", *configfiles], schema.merged())
    scope = config["scope"]
    for role, name, known in (
        ("scope.generators or a question set", generator, [*scope["generators"], *config["question_sets"]]),
        ("scope.judges", judge, scope["judges"]),
    ):
        if name is not None and name not in known:
            raise StudyError(f"found {name!r}, expected one of {role}: {', '.join(known)}")
    return Study(generator or scope["generators"][0], judge or scope["judges"][0], scope["annotation"])


def draw_sample(study: Study, configfiles: list[str]) -> None:
    """Let Snakemake draw the sample from existing results. No other rule may run, so no model is asked."""
    command = [sys.executable, "-m", "snakemake", "--quiet", "host", "rules", "reason", "progress"]
    command += ["--allowed-rules", "sample_for_annotation"]
    command += ["--configfile", *configfiles] if configfiles else []
    done = subprocess.run([*command, "--", str(study.sample)], capture_output=True, text=True)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        own = [line for line in lines if line.startswith("sample_for_annotation (")]  # the stage's own message
        told = "\n".join(f"    {line}" for line in own or lines[-8:])
        remedy = "run the study first, as with `make demo STUDY=scope`"
        raise StudyError(f"{study.sample}: found no sample to label and could not draw one; {remedy}\n{told}")
