"""Settings of the stages that make the tables of corpora, the files and vector databases that these are read from, and
their parts.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from ragassay.documents.sources import document_files
from ragassay.plan.entries import having

OWN = {"corpora": "documents", "query_sets": "questions"}  # where the user's lie -> what the study's is called there
HELD_OUT = ".held_out"  # ends the name of a corpus without some of its documents: see rules/corpora.smk
BEIR = {"corpora": "corpus.jsonl", "query_sets": "queries.jsonl"}  # where these lie in a folder of BEIR's
CUT = ("files", "beir")  # what can be cut into parts
BEIR_ID = {"id": "_id"}
PART_BYTES = 10**9  # of a file's parts at most, about: a million passages or two
CONNECTORS = "ragassay.services.connectors"
FOLDER = "folder"  # the kind of collection that has no vectors
READ = ("kind", "address", "collection", "key_variable", "columns")  # of a collection, to read it


def tables_of(config: dict, shards: dict, pattern: str, wildcards, earlier: bool = False) -> list[str]:
    """The tables of a question set, or of the study's shards that a part of its corpus consists of; or of those before
    them, whose documents are passages of `earlier` parts.
    """
    names, (_, is_part, number) = [*shards], wildcards.corpus.partition("+")
    if wildcards.corpus in config["question_sets"]:
        names, number = [wildcards.corpus], 1
    size = config["retrieval"]["shards_per_part"] if is_part else len(names)
    end = int(number or 1) * size
    return [pattern.format(shard=name) for name in (names[: end - size] if earlier else names[end - size : end])]


def files_of(entry: dict, section: str) -> list[str]:
    """The files of a corpus or a query set."""
    return [str(Path(entry["beir"], BEIR[section]))] if "beir" in entry else entry.get("files", [])


def parts_of(config: dict, shards: dict, corpus: str) -> list[str]:
    """The corpora that a corpus is read, embedded and searched as: one for each part of each file, or of the study's
    documents one for so many shards; of one that extends another, the other's and one with what was rewritten; of one
    without its held-out documents, as many as of the whole.
    """
    if corpus.endswith(HELD_OUT):
        return _numbered(corpus, len(parts_of(config, shards, whole(corpus))))
    if corpus in having(config["corpora"], "extends"):
        return [*parts_of(config, shards, config["corpora"][corpus]["extends"]), f"{corpus}+1"]
    if corpus == OWN["corpora"]:
        return _numbered(corpus, -(-len(shards) // config["retrieval"]["shards_per_part"]))
    return _parts_of_files(config, corpus) if corpus in config["corpora"] else [corpus]


def _parts_of_files(config, corpus):
    entry = config["corpora"][corpus]
    return _numbered(corpus, len(files_of(entry, "corpora")) * entry["parts"])


def _numbered(corpus, count):
    return [f"{corpus}+{number}" for number in range(1, count + 1)] if count > 1 else [corpus]


def whole(corpus: str) -> str:
    """The corpus that one without its held-out documents is made from, or the corpus itself."""
    return corpus.removesuffix(HELD_OUT)


def whole_parts(config: dict, shards: dict, corpus: str) -> list[str]:
    """The parts that the passages of a corpus, or of a part of it, are from: held-out documents among them or not."""
    name, _, number = corpus.partition("+")
    if number and not name.endswith(HELD_OUT):
        return [corpus]
    parts = parts_of(config, shards, whole(name))
    return [parts[int(number) - 1]] if number else parts


def whole_part(config: dict, shards: dict, wildcards) -> str:
    """The passages of a part, with those of its held-out documents."""
    [part] = whole_parts(config, shards, f"{wildcards.corpus}{HELD_OUT}+{wildcards.number}")
    return f"results/passages/{part}.parquet"


def parts(config: dict) -> list[str]:
    """The parts of all of the user's corpora that are read from files."""
    brought = [corpus for corpus, entry in config["corpora"].items() if "files" in entry or "beir" in entry]
    return [part for corpus in brought for part in _parts_of_files(config, corpus)]


def in_parts(config: dict, shards: dict) -> list[str]:
    """The corpora that have several parts, each with and without its held-out documents."""
    return [name for corpus in joined(config, shards) for name in (corpus, corpus + HELD_OUT)]


def joined(config: dict, shards: dict) -> list[str]:
    """The same as they are, whose parts become one table."""
    names = [OWN["corpora"], *config["corpora"]]
    return [corpus for corpus in names if parts_of(config, shards, corpus) != [corpus]]


def leaves(config: dict, shards: dict) -> list[str]:
    """All parts of the corpora that have several."""
    names = in_parts(config, shards)
    return list(dict.fromkeys(part for corpus in names for part in parts_of(config, shards, corpus)))


def of_parts(config: dict, shards: dict, pattern: str, wildcards) -> list[str]:
    """The tables of the parts of a corpus."""
    keys = dict(wildcards.items())
    return [pattern.format(**keys | {"corpus": part}) for part in parts_of(config, shards, wildcards.corpus)]


def passage_files(config: dict, wildcards) -> list[str]:
    """The file of a part, which is all of the corpus if there is one, or the files of its folder."""
    path = _path_of(config, wildcards.corpus)
    return document_files(path) if Path(path).is_dir() else [path]


def _path_of(config, part):
    corpus, _, number = part.partition("+")
    entry = config["corpora"][corpus]
    return files_of(entry, "corpora")[(int(number or 1) - 1) // entry["parts"]]


def read_passages(config: dict, wildcards) -> dict:
    """`share` is the number of a part among those of its file, from 0, and how many these are."""
    corpus, _, number = wildcards.corpus.partition("+")
    entry = config["corpora"][corpus]
    share = [(int(number or 1) - 1) % entry["parts"], entry["parts"]]
    settings = {
        "columns": columns_of(entry),
        "most_rejected": config["most_rejected"],
        "cut": entry.get("passages"),
        "below": [_path_of(config, wildcards.corpus)],
    }
    return settings | ({"share": share} if entry["parts"] > 1 else {})


def large_parts(config: dict) -> Iterator[str]:
    """A line for each corpus with a file that is cut into too few parts. At objects in stores nothing looks."""
    for name, entry in config["corpora"].items():
        paths = [path for path in files_of(entry, "corpora") if Path(path).exists()]
        sizes = {path: sum(Path(file).stat().st_size for file in document_files(path)) for path in paths}
        largest = max(sizes, key=sizes.get, default="")
        if largest and sizes[largest] > entry["parts"] * PART_BYTES:
            place, parts = f"corpora.{name}", 1 << ((sizes[largest] - 1) // PART_BYTES).bit_length()
            size = f"{sizes[largest] / 10**9:.1f} GB in {entry['parts']} part{'s' * (entry['parts'] > 1)}"
            yield f"{place}: found {size} ({largest}), expected at most about 1 GB in one; set {place}.parts: {parts}"


def columns_of(entry):
    return entry["columns"] | (BEIR_ID if "beir" in entry else {})


def count_words(wildcards) -> dict:
    return {"titles": wildcards.titles}


def collection(config: dict, name: str) -> dict:
    """What a job gets of a collection that it only reads."""
    return {key: config["collections"][name][key] for key in READ}


def read_collection(config: dict, wildcards) -> dict:
    corpus = config["corpora"][wildcards.corpus]
    entry = collection(config, corpus["collection"])
    digest = hashlib.sha256(json.dumps([corpus["collection"], entry], sort_keys=True).encode()).hexdigest()[:16]
    pages = str(Path("ledger", "read_collection", wildcards.corpus, f"{digest}.arrow"))
    return {"collection": corpus["collection"], "entry": entry, "pages": pages, "cut": corpus.get("passages")}


def connectors(config: dict, wildcards) -> list[str]:
    """The module that reads the database of a corpus."""
    return [connector(config, config["corpora"][wildcards.corpus]["collection"])]


def connector(config: dict, collection: str) -> str:
    return f"{CONNECTORS}.{config['collections'][collection]['kind']}"


def keys(config: dict) -> list[str]:
    """The environment variables that jobs read which read or search collections, or write into them."""
    names = [*_only_read(config)]
    names += [entry["rehearsal"]["collection"] for entry in config["services"].values() if "rehearsal" in entry]
    variables = [config["collections"][name]["key_variable"] for name in names]
    return [variable for variable in variables if variable]


def _only_read(config):
    """The collections that corpora are read out of, and those that retrievers search in."""
    collections = [config["corpora"][corpus]["collection"] for corpus in having(config["corpora"], "collection")]
    indexes = [entry.get("index", {}) for entry in config["retrievers"].values()]
    return dict.fromkeys([*collections, *(index["collection"] for index in indexes if "collection" in index)])


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
