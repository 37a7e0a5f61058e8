"""Settings of the stages that say which questions a corpus covers, and the tables that they need."""

from collections.abc import Iterator

from ragassay.base.errors import unknown
from ragassay.config.grid import Grid
from ragassay.plan import relevance


def cells(config: dict) -> Grid:
    """Each entry with its corpus, the retriever of that corpus's gate, its question set and the study's own judge."""
    retriever, judge = config["relevance"]["retrievers"][0], config["scope"]["judges"][0]
    entries = config["coverage"].items()
    rows = [(name, entry["corpus"], retriever, entry["question_set"], judge) for name, entry in entries]
    return Grid.of_rows(("name", "corpus", "retriever", "generator", "judge"), rows)


def logs(config: dict) -> Grid:
    """The logs of these entries, with the gates that decide about them."""
    wanted = [entry["query_log"] for entry in config["coverage"].values()]
    return relevance.logs(config).where(lambda cell: cell.query_log in wanted)


def pages(config: dict) -> list[str]:
    """The explorers of their questions, without ending."""
    return list(dict.fromkeys(f"{cell.generator}/{cell.judge}" for cell in cells(config)))


def gated(config: dict, pattern: str, wildcards) -> list[str]:
    """What gates say of the questions of a set."""
    return cells(config).where(lambda cell: cell.generator == wildcards.generator).over(pattern)


def measure_coverage(config: dict) -> dict:
    entries, relevant = {}, config["relevance"]
    for cell in cells(config):
        gated = {key: cell[key] for key in ("corpus", "retriever", "generator", "judge")}
        entries[cell.name] = gated | {"query_log": config["coverage"][cell.name]["query_log"]}
    shared = {"alpha": relevant["alpha"], "topics": relevant["drift"]["topics"], "seed": config["intervals"]["seed"]}
    return {"entries": entries} | shared


def check(config: dict) -> Iterator[tuple]:
    """Whether corpora have a gate, and logs are asked of the same corpus."""
    for name, entry in config["coverage"].items():
        corpora = relevance.corpora(config) or ["none"]
        if entry["corpus"] not in corpora:
            yield ("coverage", name, "corpus"), unknown("corpus of a relevance set", entry["corpus"], corpora)
        log = entry["query_log"]
        if log and config["query_logs"][log]["corpus"] != entry["corpus"]:
            problem = f"found the log {log!r} of the corpus {config['query_logs'][log]['corpus']!r}"
            yield ("coverage", name, "query_log"), f"{problem}, expected one of {entry['corpus']!r}"
