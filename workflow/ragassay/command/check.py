"""`ragassay check`: what a run would look at before its first job, keys among it; and, on demand, how models answer."""

import sys

from ragassay.base import pipeline
from ragassay.base.errors import AssayError
from ragassay.config import prices, schema
from ragassay.config.settings import of_files, read
from ragassay.config.shards import read_shards
from ragassay.plan import references
from ragassay.running.command_line import read_all

SCRIPT = "script"  # replies that people wrote, none of them to this question


def report(words: list[str], asks: bool = False) -> int:
    """Prints what is wrong, a line each, and returns the exit status. It asks each model a question, which costs."""
    files = pipeline.configfiles(words)
    try:
        config = configuration(files)
    except AssayError as error:
        sys.stderr.write(f"{error}\ncheck: correct these lines, then: ragassay check\n")
        return error.exit_code
    shards = read_shards(config["shards"], config["question_sets"])
    sys.stdout.write(f"check: {len(shards)} shards, models: {', '.join(config['models'])}\n")
    prices.warn(config["models"], [read(file) for file in [*pipeline.settings_files(), *files]])
    models = [item for item in config["models"].items() if asks and item[1]["provider"] != SCRIPT]
    if False in [_answers(*item) for item in models]:
        sys.stderr.write("check: correct the entries of these models, then: ragassay check --live\n")
        return 1
    sys.stdout.write("check: configuration, files and keys are as a run needs them; next: ragassay estimate\n")
    return 0


def configuration(files: list[str]) -> dict:
    """The checked configuration of the project in the working directory, with these files laid over it."""
    read_all(files)
    return of_files([*pipeline.settings_files(), *files], schema.merged(), references.problems)


def _answers(name, entry):
    """Whether a model answers; prints what it said and cost, or why it does not."""
    from ragassay.calls import live  # which loads clients

    try:
        sys.stdout.write("".join(f"{line}\n" for line in live.check(name, entry).lines()))
    except AssayError as error:
        sys.stderr.write(f"models.{name}: {error}\n")
        return False
    return True
