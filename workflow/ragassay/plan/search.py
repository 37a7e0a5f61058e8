"""Settings of the stages that read queries and search, and what the names of retrievers stand for."""

from collections.abc import Iterator
from pathlib import Path

from ragassay.base.errors import AssayError, unknown
from ragassay.plan import corpora, models

REWRITTEN = "rewritten"  # the part of an extended corpus that a model writes
BM25, DENSE, VECTORS = "bm25", "dense", "vectors"
BUILT_IN = {BM25: {"kind": BM25}, "bm25_by_idf": {"kind": BM25, "divide_by_idf": True}}
OPTIONS = {
    BM25: ("k1", "b", "divide_by_idf", "titles"),
    DENSE: ("encoder", "query_encoder", "similarity", "titles", "index"),
    VECTORS: ("similarity", "passages", "queries"),
}
NEEDED = {BM25: (), DENSE: ("encoder",), VECTORS: ("passages", "queries")}
VECTOR_FILES = (".npy", ".parquet", ".safetensors")


class NoVectors(AssayError):
    """A search wants vectors of a corpus or a query set that a retriever does not have."""


def query_files(config: dict, wildcards) -> list[str]:
    return corpora.files_of(config["query_sets"][wildcards.query_set], "query_sets")


def qrels(config: dict, wildcards) -> list[str]:
    """The file that says what is relevant to each query, if there is one."""
    entry = config["query_sets"][wildcards.query_set]
    return [str(Path(entry["beir"], "qrels", f"{entry['split']}.tsv"))] if "beir" in entry else []


def read_queries(config: dict, wildcards) -> dict:
    entry = config["query_sets"][wildcards.query_set]
    return {"columns": corpora.columns_of(entry), "rows": entry["rows"]}


def row_lists(config: dict, wildcards) -> list[str]:
    """The files that list which queries are read."""
    rows = config["query_sets"][wildcards.query_set]["rows"]
    return [wanted["listed"] for wanted in rows.values() if "listed" in wanted]


def retriever(config: dict, name: str) -> dict:
    """What a name stands for, with all defaults."""
    entry = _entry(config, name)
    towers = {"query_encoder": entry["encoder"]} if "encoder" in entry else {}
    return {"titles": "none", "similarity": "cosine"} | towers | entry


def kind(config: dict, name: str) -> str:
    return _entry(config, name)["kind"]


def _entry(config, name):
    """An entry of `retrievers`, one that is always there, or an encoder."""
    alone = BUILT_IN.get(name, {"kind": DENSE, "encoder": name})
    return config["retrievers"].get(name, alone)


def retrievers(config: dict, kind: str) -> list[str]:
    """The names of all retrievers of a kind."""
    every = [*BUILT_IN, *config["encoders"], *config["retrievers"]]
    return [name for name in every if _entry(config, name)["kind"] == kind]


def found_in_parts(config: dict, shards: dict, wildcards) -> list[str]:
    """What a query set finds by words in the parts of a corpus."""
    place = f"results/part_neighbours/{wildcards.corpus}/{{}}/{wildcards.retriever}/{wildcards.query_set}.parquet"
    return [place.format(part) for part in corpora.parts_of(config, shards, wildcards.corpus)]


def word_counts(config: dict, wildcards) -> str:
    """The table of how frequent words are in a corpus as a retriever reads it."""
    return counted(config, wildcards.corpus, wildcards.retriever)


def counted(config: dict, corpus: str, name: str) -> str:
    """The same, from the names of corpus and retriever."""
    return f"results/word_counts/{corpus}/{retriever(config, name)['titles']}.parquet"


def search_bm25(config: dict, wildcards) -> dict:
    entry = _entry(config, wildcards.retriever)
    return {"options": {key: entry[key] for key in OPTIONS[BM25] if key in entry}} | _count(config)


def search_dense(config: dict, wildcards) -> dict:
    entry = retriever(config, wildcards.retriever)
    of_queries = models.encoder(config, entry["query_encoder"])["encoder"]
    both = models.encoder(config, entry["encoder"]) | {"query_encoder": of_queries}
    return both | {key: entry[key] for key in ("titles", "similarity")} | _count(config)


def compared(config: dict, wildcards) -> dict:
    """What says how texts are embedded and compared as a search does."""
    searched = search_dense(config, wildcards)
    return {key: searched[key] for key in ("encoder", "query_encoder", "embeddings", "similarity")}


def search_vectors(config: dict, wildcards) -> dict:
    return {"similarity": retriever(config, wildcards.retriever)["similarity"]} | _count(config)


def vector_files(config: dict, section: str, key: str, wildcards) -> list[str]:
    """The files with the vectors of the corpus or the query set that the wildcard `key` names."""
    files, name = retriever(config, wildcards.retriever)[section], corpora.whole(wildcards.get(key))
    if name not in files:
        of = f"{key.replace('_', ' ')} of the vectors"
        raise NoVectors(f"retrievers.{wildcards.retriever}.{section}: {unknown(of, name, files)}; name its files there")
    return files[name]


def embed_passages(config: dict, wildcards) -> dict:
    return {**models.encoder(config, wildcards.encoder), "titles": wildcards.titles}


def awaited(config: dict, shards: dict, wildcards) -> list[str]:
    """What a search by vectors waits for: the encoders' weights, and that the passages are embedded."""
    entry = retriever(config, wildcards.retriever)
    parts = corpora.whole_parts(config, shards, wildcards.corpus)
    receipts = [f"results/embedded_passages/{part}/{entry['encoder']}/{entry['titles']}.parquet" for part in parts]
    return [*receipts, *retriever_weights(config, wildcards)]


def retriever_weights(config: dict, wildcards) -> list[str]:
    """The weights of a retriever's encoders, as inputs."""
    return of_encoders(config, [wildcards.retriever], models.encoder_weights)


def retriever_kinds(config: dict, wildcards) -> list[str]:
    """The modules that run the encoders of a retriever."""
    return of_encoders(config, [wildcards.retriever], models.encoder_kind)


def _count(config):
    """How many neighbours are kept for each query."""
    return {"count": config["retrieval"]["neighbours"]}


def of_encoders(config: dict, names: list[str], of) -> list[str]:
    """What `of` says of the encoders of those of these retrievers that compare vectors: that of passages, and that of
    queries if it is another.
    """
    entries = [retriever(config, name) for name in names if kind(config, name) == DENSE]
    pairs = [dict.fromkeys([entry["encoder"], entry["query_encoder"]]) for entry in entries]
    return [item for pair in pairs for name in pair for item in of(config, name)]


def check(config: dict) -> Iterator[tuple]:
    """Whether corpora, sets of queries, encoders and retrievers have names of their own and what they need."""
    taken = [*corpora.OWN.items(), *((section, name) for section in ("encoders", "retrievers") for name in BUILT_IN)]
    for section, name in taken:
        if name in config[section]:
            yield (section, name), f"found the name {name!r}, which the study uses itself; give it another"
    for name in sorted(config["retrievers"].keys() & config["encoders"].keys()):
        yield ("retrievers", name), "found the name of an encoder, which is a retriever already; give it another"
    for name, entry in config["retrievers"].items():
        yield from _wrong_options(name, entry)
    for section, wanted in corpora.BEIR.items():
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
    elif entry.get("parts", 1) > 1 and sources[0] not in corpora.CUT:
        yield (section, name, "parts"), f"found {sources[0]} with parts, which only {' and '.join(corpora.CUT)} have"
    elif "beir" in entry and Path(entry["beir"]).is_dir():
        needed = [wanted, *([f"qrels/{entry['split']}.tsv"] if section == "query_sets" else [])]
        for path in (Path(entry["beir"], file) for file in needed):
            if not path.is_file():
                yield (section, name, "beir"), f"found no file {path}, expected one; correct the folder or the split"
