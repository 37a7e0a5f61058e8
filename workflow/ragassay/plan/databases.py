"""Vector databases of the user: corpora that are read out of them, and what jobs get that read or search them."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

CONNECTORS = "ragassay.services.connectors"
FOLDER = "folder"  # the kind of collection that has no vectors
READ = ("kind", "address", "collection", "key_variable", "columns")  # of a collection, to read it


def collected(config: dict) -> list[str]:
    """The corpora that are read out of a vector database."""
    return [corpus for corpus, entry in config["corpora"].items() if "collection" in entry]


def searched(config: dict) -> list[str]:
    """The collections that retrievers search in."""
    indexes = [entry.get("index", {}) for entry in config["retrievers"].values()]
    return [index["collection"] for index in indexes if "collection" in index]


def read(config: dict, name: str) -> dict:
    """What a job gets of a collection that it only reads."""
    return {key: config["collections"][name][key] for key in READ}


def read_collection(config: dict, wildcards) -> dict:
    corpus = config["corpora"][wildcards.corpus]
    entry = read(config, corpus["collection"])
    digest = hashlib.sha256(json.dumps([corpus["collection"], entry], sort_keys=True).encode()).hexdigest()[:16]
    pages = str(Path("ledger", "read_collection", wildcards.corpus, f"{digest}.arrow"))
    return {"collection": corpus["collection"], "entry": entry, "pages": pages, "cut": corpus.get("passages")}


def connector(config: dict, wildcards) -> list[str]:
    """The module that reads the database of a corpus."""
    return [module(config, config["corpora"][wildcards.corpus]["collection"])]


def module(config: dict, collection: str) -> str:
    return f"{CONNECTORS}.{config['collections'][collection]['kind']}"


def keys(config: dict) -> list[str]:
    """The environment variables that jobs read which read or search collections, or write into them."""
    names = [*_only_read(config)]
    names += [entry["rehearsal"]["collection"] for entry in config["services"].values() if "rehearsal" in entry]
    variables = [config["collections"][name]["key_variable"] for name in names]
    return [variable for variable in variables if variable]


def _only_read(config):
    corpora = [config["corpora"][corpus]["collection"] for corpus in collected(config)]
    return dict.fromkeys([*corpora, *searched(config)])


def check(config: dict) -> Iterator[tuple]:
    """Whether collections have an encoder and a key where these are needed."""
    for name, entry in config["collections"].items():
        if entry["staging"] and entry["kind"] != FOLDER and "encoder" not in entry:
            yield ("collections", name), "found no encoder, which staging needs for the vectors of passages"
    for name in _only_read(config):
        variable = config["collections"][name]["key_variable"]
        if variable and not os.environ.get(variable):
            problem = f"found nothing in the environment variable {variable}, expected the key of the database"
            yield ("collections", name, "key_variable"), f"{problem}; in your shell: export {variable}=..."
