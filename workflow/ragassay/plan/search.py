"""Settings of the stages that search, the tables of a corpus, and what the names of retrievers stand for."""

import hashlib
import json
import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from ragassay.base.errors import AssayError, unknown
from ragassay.config.grid import Grid
from ragassay.documents.sources import document_files
from ragassay.plan import models

OWN = {"corpora": "documents", "query_sets": "questions"}  # where the user's lie -> what the study's is called there
HELD_OUT = ".held_out"  # ends the name of a corpus without some of its documents: see rules/corpora.smk
REWRITTEN = "rewritten"  # the part of an extended corpus that a model writes
BM25, DENSE, VECTORS = "bm25", "dense", "vectors"
FOLDER = "folder"  # the kind of collection that has no vectors
BUILT_IN = {BM25: {"kind": BM25}, "bm25_by_idf": {"kind": BM25, "divide_by_idf": True}}
OPTIONS = {
    BM25: ("k1", "b", "divide_by_idf", "titles"),
    DENSE: ("encoder", "query_encoder", "similarity", "titles", "index"),
    VECTORS: ("similarity", "passages", "queries"),
}
NEEDED = {BM25: (), DENSE: ("encoder",), VECTORS: ("passages", "queries")}
READ = ("kind", "address", "collection", "key_variable", "columns")  # of a collection, to read it
VECTOR_FILES = (".npy", ".parquet", ".safetensors")
BEIR = {"corpora": "corpus.jsonl", "query_sets": "queries.jsonl"}  # where these lie in a folder of BEIR's
BEIR_ID = {"id": "_id"}


class NoVectors(AssayError):
    """A search wants vectors of a corpus or a query set that a retriever does not have."""


def tables_of(config: dict, shards: dict, pattern: str, wildcards) -> list[str]:
    """The tables of a corpus, which is the study's, of all shards, or a question set's."""
    names = [wildcards.corpus] if wildcards.corpus in config["question_sets"] else shards
    return [pattern.format(shard=name) for name in names]


def files_of(entry: dict, section: str) -> list[str]:
    """The files of a corpus or a query set."""
    return [str(Path(entry["beir"], BEIR[section]))] if "beir" in entry else entry.get("files", [])


def parts_of(config: dict, corpus: str) -> list[str]:
    """The corpora that a corpus is embedded and searched as: one for each of its files, or it alone; of one that
    extends another, the other's and one with what was rewritten.
    """
    if corpus in extended(config):
        return [*parts_of(config, config["corpora"][corpus]["extends"]), f"{corpus}+1"]
    files = files_of(config["corpora"][corpus], "corpora") if corpus in config["corpora"] else []
    return [f"{corpus}+{number}" for number in range(1, len(files) + 1)] if len(files) > 1 else [corpus]


def extended(config: dict) -> list[str]:
    """The corpora that hold another one and rewritings of some of its passages."""
    return [name for name, entry in config["corpora"].items() if "extends" in entry]


def whole(corpus: str) -> str:
    """The corpus that one without its held-out documents is made from, or the corpus itself."""
    return corpus.removesuffix(HELD_OUT)


def parts(config: dict) -> list[str]:
    """The parts of all of the user's corpora that are read from files."""
    brought = [corpus for corpus, entry in config["corpora"].items() if "files" in entry or "beir" in entry]
    return [part for corpus in brought for part in parts_of(config, corpus)]


def in_parts(config: dict) -> list[str]:
    """The corpora that have several parts."""
    return [corpus for corpus in config["corpora"] if parts_of(config, corpus) != [corpus]]


def of_parts(config: dict, pattern: str, wildcards) -> list[str]:
    """The tables of the parts of a corpus."""
    keys = dict(wildcards.items())
    return [pattern.format(**keys | {"corpus": part}) for part in parts_of(config, wildcards.corpus)]


def passage_files(config: dict, wildcards) -> list[str]:
    """The file of a part, which is all of the corpus if there is one, or the files of its folder."""
    path = _path_of(config, wildcards.corpus)
    return document_files(path) if Path(path).is_dir() else [path]


def _path_of(config, part):
    corpus, _, number = part.partition("+")
    return files_of(config["corpora"][corpus], "corpora")[int(number or 1) - 1]


def read_passages(config: dict, wildcards) -> dict:
    entry = config["corpora"][wildcards.corpus.partition("+")[0]]
    return {"columns": columns_of(entry), "cut": entry.get("passages"), "below": [_path_of(config, wildcards.corpus)]}


def collected(config: dict) -> list[str]:
    """The corpora that are read out of a vector database."""
    return [corpus for corpus, entry in config["corpora"].items() if "collection" in entry]


def read_collection(config: dict, wildcards) -> dict:
    corpus = config["corpora"][wildcards.corpus]
    entry = config["collections"][corpus["collection"]]
    entry = {key: entry[key] for key in READ}
    digest = hashlib.sha256(json.dumps([corpus["collection"], entry], sort_keys=True).encode()).hexdigest()[:16]
    pages = str(Path("ledger", "read_collection", wildcards.corpus, f"{digest}.arrow"))
    return {"collection": corpus["collection"], "entry": entry, "pages": pages, "cut": corpus.get("passages")}


def connector(config: dict, wildcards) -> list[str]:
    """The module that reads the database of a corpus."""
    kind = config["collections"][config["corpora"][wildcards.corpus]["collection"]]["kind"]
    return [f"ragassay.services.connectors.{kind}"]


def keys_of_collections(config: dict) -> list[str]:
    """The environment variables that jobs read which read collections, or write into them."""
    names = [config["corpora"][corpus]["collection"] for corpus in collected(config)]
    names += [entry["rehearsal"]["collection"] for entry in config["services"].values() if "rehearsal" in entry]
    variables = [config["collections"][name]["key_variable"] for name in names]
    return [variable for variable in variables if variable]


def query_files(config: dict, wildcards) -> list[str]:
    return files_of(config["query_sets"][wildcards.query_set], "query_sets")


def qrels(config: dict, wildcards) -> list[str]:
    """The file that says what is relevant to each query, if there is one."""
    entry = config["query_sets"][wildcards.query_set]
    return [str(Path(entry["beir"], "qrels", f"{entry['split']}.tsv"))] if "beir" in entry else []


def read_queries(config: dict, wildcards) -> dict:
    entry = config["query_sets"][wildcards.query_set]
    return {"columns": columns_of(entry), "rows": entry["rows"]}


def row_lists(config: dict, wildcards) -> list[str]:
    """The files that list which queries are read."""
    rows = config["query_sets"][wildcards.query_set]["rows"]
    return [wanted["listed"] for wanted in rows.values() if "listed" in wanted]


def columns_of(entry):
    return entry["columns"] | (BEIR_ID if "beir" in entry else {})


def retriever(config: dict, name: str) -> dict:
    """What a name stands for: an entry of `retrievers`, one that is always there, or an encoder with its defaults."""
    alone = BUILT_IN.get(name, {"kind": DENSE, "encoder": name})
    return config["retrievers"].get(name, alone)


def retrievers(config: dict, kind: str) -> list[str]:
    """The names of all retrievers of a kind."""
    every = [*BUILT_IN, *config["encoders"], *config["retrievers"]]
    return [name for name in every if retriever(config, name)["kind"] == kind]


def search_bm25(config: dict, wildcards) -> dict:
    entry = retriever(config, wildcards.retriever)
    return {"options": {key: entry[key] for key in OPTIONS[BM25] if key in entry}} | _count(config)


def search_dense(config: dict, wildcards) -> dict:
    entry = retriever(config, wildcards.retriever)
    of_queries = models.encoder(config, entry.get("query_encoder", entry["encoder"]))["encoder"]
    both = {**models.encoder(config, entry["encoder"]), "query_encoder": of_queries}
    return (
        both | {"titles": entry.get("titles", "none"), "similarity": entry.get("similarity", "cosine")} | _count(config)
    )


def search_vectors(config: dict, wildcards) -> dict:
    return {"similarity": retriever(config, wildcards.retriever).get("similarity", "cosine")} | _count(config)


def vector_files(config: dict, section: str, key: str, wildcards) -> list[str]:
    """The files with the vectors of the corpus or the query set that the wildcard `key` names."""
    files, name = retriever(config, wildcards.retriever)[section], whole(wildcards.get(key))
    if name not in files:
        of = f"{key.replace('_', ' ')} of the vectors"
        raise NoVectors(f"retrievers.{wildcards.retriever}.{section}: {unknown(of, name, files)}; name its files there")
    return files[name]


def embed_passages(config: dict, wildcards) -> dict:
    return {**models.encoder(config, wildcards.encoder), "titles": wildcards.titles}


def awaited(config: dict, wildcards) -> list[str]:
    """What a search by vectors waits for: the encoders' weights, and that the passages are embedded."""
    entry = retriever(config, wildcards.retriever)
    parts = parts_of(config, whole(wildcards.corpus))
    receipts = [
        f"results/embedded_passages/{part}/{entry['encoder']}/{entry.get('titles', 'none')}.parquet" for part in parts
    ]
    return [*receipts, *retriever_weights(config, wildcards)]


def retriever_weights(config: dict, wildcards) -> list[str]:
    """The weights of a retriever's encoders, as inputs."""
    entry = retriever(config, wildcards.retriever)
    return [path for name in _encoders(entry) for path in models.encoder_weights(config, name)]


def weights(config: dict, wildcards) -> list[str]:
    """The weights of the encoder that the wildcard names, as inputs."""
    return models.encoder_weights(config, wildcards.encoder)


def encoder_kind(config: dict, wildcards) -> list[str]:
    """The module that runs the encoder that the wildcard names."""
    return models.encoder_kind(config, wildcards.encoder)


def retriever_kinds(config: dict, wildcards) -> list[str]:
    """The modules that run the encoders of a retriever."""
    entry = retriever(config, wildcards.retriever)
    return [kind for name in _encoders(entry) for kind in models.encoder_kind(config, name)]


def measured(config: dict) -> Grid:
    """The query sets that the report measures in corpora, and the retrievers."""
    sets = config["query_sets"].items()
    rows = [row for name, entry in sets for row in product([name], entry["corpora"], config["retrieval"]["retrievers"])]
    return Grid.of_rows(("query_set", "corpus", "retriever"), rows)


def measured_parts(config: dict) -> list[str]:
    """The parts of the corpora that they are measured in."""
    return [part for corpus in measured(config).column("corpus") for part in parts_of(config, corpus)]


def _count(config):
    """How many neighbours are kept for each query."""
    return {"count": config["retrieval"]["neighbours"]}


def _encoders(entry):
    return list(dict.fromkeys([entry["encoder"], entry.get("query_encoder", entry["encoder"])]))


def check(config: dict) -> Iterator[tuple]:
    """Whether corpora, sets of queries, encoders and retrievers have names of their own and what they need."""
    taken = [*OWN.items(), *((section, name) for section in ("encoders", "retrievers") for name in BUILT_IN)]
    for section, name in taken:
        if name in config[section]:
            yield (section, name), f"found the name {name!r}, which the study uses itself; give it another"
    for name in sorted(config["retrievers"].keys() & config["encoders"].keys()):
        yield ("retrievers", name), "found the name of an encoder, which is a retriever already; give it another"
    for name, entry in config["retrievers"].items():
        yield from _wrong_options(name, entry)
    for name, entry in config["collections"].items():
        if entry["staging"] and entry["kind"] != FOLDER and "encoder" not in entry:
            yield ("collections", name), "found no encoder, which staging needs for the vectors of passages"
    for name in collected(config):
        variable = config["collections"][entry := config["corpora"][name]["collection"]]["key_variable"]
        if variable and not os.environ.get(variable):
            problem = f"found nothing in the environment variable {variable}, expected the key of the database"
            yield ("collections", entry, "key_variable"), f"{problem}; in your shell: export {variable}=..."
    for section, wanted in BEIR.items():
        for name, entry in config[section].items():
            yield from _wrong_files(section, name, entry, wanted)


def _wrong_options(name, entry):
    kind = entry["kind"]
    for key in entry:
        if key != "kind" and key not in OPTIONS[kind]:
            yield ("retrievers", name, key), f"found a setting that {kind} has not, expected {', '.join(OPTIONS[kind])}"
    for key in NEEDED[kind]:
        if key not in entry:
            yield ("retrievers", name), f"found no {key}, which {kind} needs"
    for section in ("passages", "queries"):
        for key, files in entry.get(section, {}).items():
            for file in files:
                if Path(file).suffix not in VECTOR_FILES:
                    expected = f"expected one of {', '.join(VECTOR_FILES)}"
                    yield ("retrievers", name, section, key), f"found {file!r}, an unknown kind of file, {expected}"
    if kind == BM25 and entry.get("titles", "none") == "pair":
        yield ("retrievers", name, "titles"), "found pair, expected none or before: bm25 counts words"


def _wrong_files(section, name, entry, wanted):
    sources = [key for key in ("files", "beir", "collection", "extends") if key in entry]
    if len(sources) != 1:
        named = " and ".join(sources) or "neither files nor beir"
        yield (section, name), f"found {named}, expected one of them"
    elif "beir" in entry and Path(entry["beir"]).is_dir():
        needed = [wanted, *([f"qrels/{entry['split']}.tsv"] if section == "query_sets" else [])]
        for path in (Path(entry["beir"], file) for file in needed):
            if not path.is_file():
                yield (section, name, "beir"), f"found no file {path}, expected one; correct the folder or the split"
