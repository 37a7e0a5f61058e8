"""`ragassay check`: what a run would look at before its first job, and the keys that it needs."""

import os
import sys

from ragassay.base import pipeline
from ragassay.base.errors import AssayError
from ragassay.config import schema
from ragassay.config.settings import of_files
from ragassay.config.shards import read_shards
from ragassay.plan import references
from ragassay.running.command_line import read_all


def report(words: list[str]) -> int:
    """Prints what is wrong, a line each, and returns the exit status."""
    try:
        config = configuration(pipeline.configfiles(words))
    except AssayError as error:
        sys.stderr.write(f"{error}\ncheck: correct these lines, then: ragassay check\n")
        return error.exit_code
    shards = read_shards(config["shards"], config["question_sets"])
    sys.stdout.write(f"check: {len(shards)} shards, models: {', '.join(config['models'])}\n")
    if lines := missing_keys(config):
        sys.stderr.write("".join(f"{line}\n" for line in lines) + "check: set these keys, then: ragassay check\n")
        return 1
    sys.stdout.write("check: configuration, files and keys are as a run needs them; next: ragassay estimate\n")
    return 0


def configuration(files: list[str]) -> dict:
    """The checked configuration of the project in the working directory, with these files laid over it."""
    read_all(files)
    return of_files([*pipeline.settings_files(), *files], schema.merged(), references.problems)


def missing_keys(config: dict) -> list[str]:
    """A line for each model whose key is not in the environment."""
    models = {name: entry["key_variable"] for name, entry in config["models"].items() if entry["key_variable"]}
    return [
        f"models.{name}.key_variable: found no {variable} in the environment, expected a key; export {variable}=..."
        for name, variable in models.items()
        if variable not in os.environ
    ]
