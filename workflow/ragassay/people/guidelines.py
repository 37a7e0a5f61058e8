"""The annotators' guidelines, and the training items with their known labels, read from one checked file."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ragassay.base import plain_yaml
from ragassay.base.errors import AssayError
from ragassay.config import schema
from ragassay.config.settings import checked
from ragassay.people.tasks import DEFUSION, LABELS

SCHEMA = Path(__file__).with_name("guidelines.schema.yaml")


class GuidelinesError(AssayError):
    """The guidelines cannot be used."""


@dataclass(frozen=True)
class Guidelines:
    """`tasks` say how each task is worded; `practice` are its known items by id, in their order."""

    welcome: str
    tasks: dict[str, dict]
    practice: dict[str, dict[str, dict]]


def load(path, items: int) -> Guidelines:
    """The guidelines, with the given number of known items per task."""
    try:
        content = plain_yaml.read(path)
    except FileNotFoundError:
        raise GuidelinesError(f"{path}: no such file; see scope.annotation.guidelines in the configuration") from None
    except plain_yaml.YamlError as error:
        raise GuidelinesError(str(error)) from error
    if not isinstance(content, dict):
        raise GuidelinesError(f"{path}: found no mapping, expected one such as resources/annotation/guidelines.yaml")
    content = checked(content, [path], schema.load(SCHEMA))
    for task, labels in LABELS.items():
        found = content["tasks"][task]["labels"]
        if set(found) != set(labels):
            raise GuidelinesError(
                f"{path}: tasks.{task}.labels: found {', '.join(found)}, expected {', '.join(labels)}"
            )
        if len({label["press"] for label in found.values()}) < len(found):
            raise GuidelinesError(f"{path}: tasks.{task}.labels: found one key for both, expected two")
    known = {task: {} for task in LABELS}
    for number, item in enumerate(content["practice"], 1):
        _check(item, content["documents"], f"{path}: practice: item {number}")
        own = known[item["task"]]
        if len(own) < items:
            document = content["documents"][item["document"]]
            name = hashlib.sha256("\0".join([item["task"], item["question"], document["text"]]).encode()).hexdigest()
            shown = {"title": document["title"], "document": document["text"], "response": item.get("response")}
            own[f"practice-{name[:16]}"] = item | shown
    return Guidelines(content["welcome"], content["tasks"], known)


def _check(item, documents, where):
    if item["document"] not in documents:
        raise GuidelinesError(f"{where}: found the document {item['document']}, expected one of {', '.join(documents)}")
    if item["label"] not in LABELS[item["task"]]:
        expected = ", ".join(LABELS[item["task"]])
        raise GuidelinesError(f"{where}: found the label {item['label']}, expected one of {expected}")
    if (item["task"] == DEFUSION) != ("response" in item):
        raise GuidelinesError(f"{where}: items of defusion have a response, others none")
