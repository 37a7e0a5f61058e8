"""Settings of the stages that make the tables of corpora, the files that these are read from, and their parts."""

from pathlib import Path

from ragassay.documents.sources import document_files

OWN = {"corpora": "documents", "query_sets": "questions"}  # where the user's lie -> what the study's is called there
HELD_OUT = ".held_out"  # ends the name of a corpus without some of its documents: see rules/corpora.smk
BEIR = {"corpora": "corpus.jsonl", "query_sets": "queries.jsonl"}  # where these lie in a folder of BEIR's
BEIR_ID = {"id": "_id"}


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


def leaves(config: dict) -> list[str]:
    """All parts of the corpora that have several."""
    return list(dict.fromkeys(part for corpus in in_parts(config) for part in parts_of(config, corpus)))


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


def columns_of(entry):
    return entry["columns"] | (BEIR_ID if "beir" in entry else {})


def count_words(wildcards) -> dict:
    return {"titles": wildcards.titles}
