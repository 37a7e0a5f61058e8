"""`ragassay stage` and `ragassay clean-staging`: poisoned passages in a collection for tests, and out of it again."""

import sys
from pathlib import Path

from ragassay.base import pipeline, tables
from ragassay.base.errors import AssayError, unknown
from ragassay.config.settings import of_project
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.services import staging


def put(name: str, dataset: str, attack: str, words: list[str]) -> None:
    """The passages that an attack of this project made."""
    config = _config(words)
    entry = _entry(config, name)
    staging.check(name, entry)
    rows = tables.read(POISONED_PASSAGES, Path("results/poisoned_passages", dataset, f"{attack}.parquet")).to_pylist()
    encoder = entry.get("encoder") and {"name": entry["encoder"], **config["encoders"][entry["encoder"]]}
    count = staging.stage(name, entry, rows, staging.embedded(rows, encoder))
    sys.stdout.write(f"stage: {count} poisoned passages are in {name}; afterwards: ragassay clean-staging\n")


def remove(words: list[str]) -> None:
    """From the collections that are named, or else from all that may hold some."""
    config, named, staged = _config(words), pipeline.split_configfiles(words)[1], staging.staged()
    entries = {name: _entry(config, name) for name in named or staged}
    for name, entry in entries.items():
        count = staging.clean(name, entry)
        sys.stdout.write(f"clean-staging: {name}: none of {count} poisoned passages is there any more\n")
    if not entries:
        sys.stdout.write("clean-staging: no collection holds poisoned passages\n")


def _config(words):
    return of_project(pipeline.configfiles(words))


def _entry(config, name):
    if name not in config["collections"]:
        raise AssayError(f"collections: {unknown('collection', name, config['collections'])}")
    return config["collections"][name]
