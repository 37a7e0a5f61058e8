"""What is labelled and where: the sample, the guidelines, and the folder that keeps the labels of one sample.
`items.parquet` is the sample when labelling began, `events.jsonl` has the clicks (the one file to back up),
`tokens.json` the annotators' tokens if pages are served to other machines, `secret` signs the cookies."""

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ragassay.base import pipeline, plain_yaml, tables
from ragassay.base.atomic import replacing
from ragassay.base.errors import AssayError
from ragassay.base.stage import log
from ragassay.config import schema
from ragassay.config.settings import checked, of_project
from ragassay.people import click_log, labelling
from ragassay.people.labelling import DEFUSION, LABELS
from ragassay.schemas.people import ANNOTATION_ITEMS

ITEMS, EVENTS = "items.parquet", "events.jsonl"
GUIDELINES_SCHEMA = Path(__file__).with_name("guidelines.schema.yaml")


class StudyError(AssayError):
    """There is nothing to label, or the sample, the guidelines and the folder do not belong together."""


@dataclass(frozen=True)
class Guidelines:
    """`tasks` say how each task is worded; `practice` are its known items by id, in their order."""

    welcome: str
    tasks: dict[str, dict]
    practice: dict[str, dict[str, dict]]


def load_guidelines(path, items: int) -> Guidelines:
    """The guidelines, with the given number of known items per task."""
    try:
        content = plain_yaml.read(path)
    except FileNotFoundError:
        raise StudyError(f"{path}: no such file; see scope.annotation.guidelines in the configuration") from None
    except plain_yaml.YamlError as error:
        raise StudyError(str(error)) from error
    if not isinstance(content, dict):
        raise StudyError(f"{path}: found no mapping, expected one such as resources/annotation/guidelines.yaml")
    content = checked(content, [path], schema.load(GUIDELINES_SCHEMA))
    for task, labels in LABELS.items():
        worded = content["tasks"][task]["labels"]
        if set(worded) != set(labels):
            raise StudyError(f"{path}: tasks.{task}.labels: found {', '.join(worded)}, expected {', '.join(labels)}")
        if len({label["press"] for label in worded.values()}) < len(worded):
            raise StudyError(f"{path}: tasks.{task}.labels: found one key for both, expected two")
    practice = {task: {} for task in LABELS}
    for number, item in enumerate(content["practice"], 1):
        _check(item, content["documents"], f"{path}: practice: item {number}")
        of_task = practice[item["task"]]
        if len(of_task) < items:
            document = content["documents"][item["document"]]
            name = hashlib.sha256("\0".join([item["task"], item["question"], document["text"]]).encode()).hexdigest()
            shown = {"title": document["title"], "document": document["text"], "response": item.get("response")}
            of_task[f"practice-{name[:16]}"] = item | shown
    return Guidelines(content["welcome"], content["tasks"], practice)


def _check(item, documents, where):
    if item["document"] not in documents:
        raise StudyError(f"{where}: found the document {item['document']}, expected one of {', '.join(documents)}")
    if item["label"] not in LABELS[item["task"]]:
        expected = ", ".join(LABELS[item["task"]])
        raise StudyError(f"{where}: found the label {item['label']}, expected one of {expected}")
    if (item["task"] == DEFUSION) != ("response" in item):
        raise StudyError(f"{where}: items of defusion have a response, others none")


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
        return load_guidelines(self.annotation["guidelines"], self.annotation["training_items"])


def study(configfiles: list[str], generator: str | None, judge: str | None) -> Study:
    """The first generator and judge of the configuration unless others are named."""
    config = of_project(configfiles)
    scope = config["scope"]
    for role, name, named in (
        ("scope.generators or a question set", generator, [*scope["generators"], *config["question_sets"]]),
        ("scope.judges", judge, scope["judges"]),
    ):
        if name is not None and name not in named:
            raise StudyError(f"found {name!r}, expected one of {role}: {', '.join(named)}")
    return Study(generator or scope["generators"][0], judge or scope["judges"][0], scope["annotation"])


def draw_sample(study: Study, configfiles: list[str]) -> None:
    """Let Snakemake draw the sample from existing results. No other rule may run, so no model is asked."""
    command = pipeline.snakemake("--quiet", "host", "rules", "reason", "progress")
    command += ["--allowed-rules", "sample_for_annotation"]
    command += ["--configfile", *configfiles] if configfiles else []
    done = subprocess.run([*command, "--", str(study.sample)], capture_output=True, text=True)
    if done.returncode:
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        of_stage = [line for line in lines if line.startswith("sample_for_annotation (")]  # the stage's own message
        shown = "\n".join(f"    {line}" for line in of_stage or lines[-8:])
        remedy = f"run the study first, as with `{pipeline.study_command('scope')}`"
        raise StudyError(f"{study.sample}: found no sample to label and could not draw one; {remedy}\n{shown}")


def frozen_items(folder, sample) -> tuple[list[dict], bool]:
    """The items that people label, and whether they are still those of the sample, as they are at first."""
    frozen, sample = Path(folder, ITEMS), Path(sample)
    if not frozen.exists():
        items = items_in(sample)
        if not items:
            raise StudyError(f"{sample}: the sample is empty, expected questions; see scope.annotation.questions")
        try:
            with replacing(frozen) as copy, sample.open("rb") as source:
                shutil.copyfileobj(source, copy)
        except OSError as error:
            raise StudyError(f"{frozen}: {error.strerror}; expected a place where a file can be written") from error
        return items, True
    return items_in(frozen), not sample.exists() or sample.read_bytes() == frozen.read_bytes()


def items_in(path):
    return tables.read(ANNOTATION_ITEMS, path).to_pylist()


def state(items: list[dict], events: list[dict], per_item: int, practice: dict, where) -> labelling.Labelling:
    """Who has labelled what. Refuses events about unknown items, and leaves out what is no event."""
    whole = [*filter(labelling.is_event, events)]
    if len(whole) < len(events):
        log.warning("%s: found %d lines that are no clicks; they are left out", where, len(events) - len(whole))
    events = whole
    ids = {row["item_id"] for row in items}
    strange = {event["item"] for event in events if event["event"] in ("label", "undo", "skip")} - ids
    if strange:
        strangers = f"found labels of {len(strange)} items that {ITEMS} does not hold, such as {min(strange)}"
        expected = "expected both files from the same time: put back the one that was replaced"
        raise StudyError(f"{where}: {strangers}; {expected}")
    return labelling.replayed(items, events, per_item, practice)


def read_state(items_path, events_path, per_item: int) -> labelling.Labelling:
    """Who has labelled what, read from files without writing to them."""
    return state(items_in(items_path), click_log.read(events_path), per_item, {}, events_path)
