"""Settings of the stages that make datasets: corpora that are extended, targets, and their questions as queries."""

from collections.abc import Iterator
from pathlib import Path

from ragassay.plan import entries, models
from ragassay.plan.search import REWRITTEN

TABLE = "table"  # the format of files that are no JSON
FILES, BY_RULE, BY_MODEL = ORIGINS = ("targets", "by_rule", "by_model")  # where a dataset's targets come from
QUERIES = ".targets"  # ends the name of the query set that a dataset's questions are
WRITER, REWRITER = "datasets/{dataset}/by_model/model", "corpora/{corpus}/rewritten/model"  # where models are named


def clean(config: dict, pattern: str, wildcards) -> str:
    """A table of the clean corpus of a dataset."""
    return entries.path(config, pattern, wildcards, corpus="datasets/{dataset}/corpus")


def read_targets(config: dict, wildcards) -> dict:
    read = {key: config["datasets"][wildcards.dataset][key] for key in ("columns", "format")}
    return _shared(config, wildcards) | read | {"most_rejected": config["most_rejected"]}


def make_targets(config: dict, wildcards) -> dict:
    entry = config["datasets"][wildcards.dataset][BY_RULE]
    return _shared(config, wildcards) | {"most_rejected": config["most_rejected"]} | entry


def write_targets(config: dict, wildcards) -> dict:
    entry = config["datasets"][wildcards.dataset][BY_MODEL]
    params = {key: entry[key] for key in entry if key not in ("model", "query_set")} | _shared(config, wildcards)
    return models.asking(config, "write_targets", WRITER, wildcards, **params)


def _shared(config, wildcards):
    """What every stage that makes targets gets."""
    trigger = config["datasets"][wildcards.dataset]["trigger"]
    return {"dataset": wildcards.dataset} | ({"trigger": trigger} if trigger else {})


def extended(config: dict) -> list[str]:
    """The extended corpora that datasets need."""
    read = [base for entry in config["datasets"].values() for base in bases(config, entry["corpus"])]
    return [corpus for corpus in entries.having(config["corpora"], "extends") if corpus in read]


def rewrite_passages(config: dict, wildcards) -> dict:
    entry = config["corpora"][wildcards.corpus][REWRITTEN]
    params = {key: entry[key] for key in entry if key != "model"} | {"corpus": wildcards.corpus}
    return models.asking(config, "rewrite_passages", REWRITER, wildcards, **params)


def check(config: dict) -> Iterator[tuple]:
    """Whether targets come from one place, and no corpus extends itself."""
    for name, entry in config["datasets"].items():
        origins = [key for key in ORIGINS if key in entry]
        if len(origins) != 1:
            stated = " and ".join(origins) or "none of them"
            yield ("datasets", name), f"found {stated}, expected one of {', '.join(ORIGINS)}: where targets come from"
        for problem in wrong_format(entry.get("targets", ()), entry["format"]):
            yield ("datasets", name, "targets"), problem
    for name, entry in config["corpora"].items():
        place = ("corpora", name)
        if "extends" not in entry:
            if REWRITTEN in entry:
                expected = "which needs extends: the corpus of which passages are rewritten"
                yield place, f"found {REWRITTEN}, {expected}"
            continue
        base = entry["extends"]
        if name in bases(config, base):
            yield (*place, "extends"), f"found {base!r}, which leads back to {name}, expected another corpus"
        if REWRITTEN not in entry:
            yield place, f"found no {REWRITTEN}, expected what a model rewrites of {base}"
        if "passages" in entry:
            yield place, "found passages, which a corpus that extends another has from there"


def wrong_format(files: list[str], form: str) -> Iterator[str]:
    """Files that are not of this format by their ending."""
    for file in files:
        if (Path(file).suffix.lower() == ".json") == (form == TABLE):
            of_json = "the format of its project, such as poisonedrag"
            expected = of_json if form == TABLE else "a file that ends in .json"
            yield f"found {file!r} with the format {form}, expected {expected}"


def bases(config, corpus):
    """A corpus, the one that it extends, and so on, each once."""
    chain = []
    while corpus is not None and corpus not in chain:
        chain.append(corpus)
        corpus = config["corpora"].get(corpus, {}).get("extends")
    return chain
