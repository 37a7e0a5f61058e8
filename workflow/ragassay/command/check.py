"""`ragassay check`: what a run would look at before its first job, keys among it; and, on demand, how models answer and
what their servers take, or what is read from the reply of a service."""

import sys
from pathlib import Path

from ragassay.base import pipeline
from ragassay.base.errors import AssayError, unknown
from ragassay.config import prices
from ragassay.config.services import SERVICE
from ragassay.config.settings import of_project, read
from ragassay.config.shards import read_shards
from ragassay.models.recording import PROVIDER
from ragassay.plan import corpora, references
from ragassay.running.command_line import read_all

NOT_ASKED = ("script", PROVIDER)  # replies that people wrote or a model gave, none of them to this question


def report(words: list[str], asks: bool = False, question: str = "") -> int:
    """Prints what is wrong, a line each, and returns the exit status. It asks the models and services that are
    named, which costs, and with `asks` all of them.
    """
    files = pipeline.configfiles(words)
    try:
        config = configuration(files)
    except AssayError as error:
        sys.stderr.write(f"{error}\ncheck: correct these lines, then: ragassay check\n")
        return error.exit_code
    shards = read_shards(config["shards"], config["question_sets"])
    sys.stdout.write(f"check: {len(shards)} shards, models: {', '.join(config['models'])}\n")
    prices.warn(config["models"], [read(file) for file in [*pipeline.settings_files(), *files]])
    sys.stdout.writelines(f"check: {line}\n" for line in corpora.large_parts(config))
    named = [word for word in words if not word.startswith("-") and word not in files]
    for word in named:
        if {word, SERVICE + word} <= config["models"].keys():
            remedy = f"ask the service with {SERVICE}{word}, or both with --live alone"
            sys.stderr.write(f"check: found {word!r}, which is a model and a service; {remedy}\n")
            return 1
    named = [word if word in config["models"] else SERVICE + word.removeprefix(SERVICE) for word in named]
    for name in named:
        if name not in config["models"]:
            expected = [entry.removeprefix(SERVICE) for entry in config["models"]] or ["none"]
            sys.stderr.write(f"check: {unknown('model or service', name.removeprefix(SERVICE), expected)}\n")
            return 1
    entries = {name: entry for name, entry in config["models"].items() if name in named or (asks and not named)}
    asked = {name: entry for name, entry in entries.items() if entry["provider"] not in NOT_ASKED}
    if False in [_answers(name, entry, question) for name, entry in asked.items()]:
        again = " ".join(word.removeprefix(SERVICE) for word in named) or "--live"
        sys.stderr.write(f"check: correct these entries, then: ragassay check {again}\n")
        return 1
    sys.stdout.write("check: configuration, files and keys are as a run needs them; next: ragassay estimate\n")
    return 0


def configuration(files: list[str]) -> dict:
    """The checked configuration of the project in the working directory, with these files laid over it."""
    read_all(files)
    return of_project(files, references.problems)


def _answers(name, entry, question):
    """Whether a model or service answers; prints what it said and cost, or why it does not. One that a run has to come
    before is not asked.
    """
    from ragassay.calls import live  # which loads clients

    is_service = name.startswith(SERVICE)
    needed = entry["service"]["local_inputs"] if is_service else []
    if missing := [path for path in needed if not Path(path).exists()]:
        sys.stdout.write(f"{name}: not asked, since it reads {missing[0]}, which a run makes first\n")
        return True
    try:
        answer = (
            live.check_service(name, entry, question)
            if is_service
            else live.check(name, entry, f"ledger/models/{name}")
        )
        sys.stdout.write("".join(f"{line}\n" for line in answer.lines()))
    except AssayError as error:
        place = f"services.{name.removeprefix(SERVICE)}" if is_service else f"models.{name}"
        sys.stderr.write(f"{place}: {error}\n")
        return False
    return True
