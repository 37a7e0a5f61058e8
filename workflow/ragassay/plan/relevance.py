"""Settings of the stages of the relevance study, and the tables that its sets need."""

from collections.abc import Iterator

from ragassay.base.errors import unknown
from ragassay.config.grid import Cell, Grid
from ragassay.plan import models, queries, search
from ragassay.plan.corpora import HELD_OUT
from ragassay.plan.report import draws
from ragassay.plan.search import BM25, DENSE, VECTORS

SHARED = (
    "retrievers", "fused", "k", "ks", "temperature", "temperatures", "alpha", "p_values", "runs", "samples", "sizes",
)  # fmt: skip
NAMES = ("corpus", "retriever", "query_set")
COPIED = 0.5  # of what its source adds to the score of a synthetic query: see _copied


def sets(config: dict) -> dict:
    """The entries of sets, without whether they are used, as all that are here are, and what responders are asked; each
    with its retrievers.
    """
    shared, entries = config["relevance"]["retrievers"], config["relevance"]["sets"].items()
    return {
        name: {key: value for key, value in entry.items() if key not in ("used", "answers")}
        | {"retrievers": entry["retrievers"] or shared}
        for name, entry in entries
    }


def corpora(config: dict) -> list[str]:
    """The corpora of all sets."""
    return list(dict.fromkeys(entry["corpus"] for entry in sets(config).values()))


def searched(config: dict) -> list[str]:
    """The same, with and without their held-out documents."""
    return [name for corpus in corpora(config) for name in (corpus, corpus + HELD_OUT)]


def query_sets(config: dict) -> list[str]:
    """The query sets of all sets."""
    return list(dict.fromkeys(name for entry in sets(config).values() for name in _asked(entry)))


def retrievers(config: dict) -> list[str]:
    """All that search for some set."""
    of_sets = [name for entry in sets(config).values() for name in entry["retrievers"]]
    return list(dict.fromkeys([*config["relevance"]["retrievers"], *of_sets, *config["relevance"]["fused"]]))


def retrievers_of(config: dict, entry: dict) -> list[str]:
    """All that search for a set."""
    compared = entry["retrievers"] or config["relevance"]["retrievers"]
    return list(dict.fromkeys([*compared, *config["relevance"]["fused"]]))


def searches(config: dict) -> Grid:
    """All corpora, retrievers and query sets that meet."""
    rows = []
    for entry in sets(config).values():
        pairs = [(entry["corpus"], name) for name in _asked(entry)]
        pairs.append((entry["corpus"] + HELD_OUT, entry["in_knowledge"]))
        rows += [(corpus, retriever, name) for corpus, name in pairs for retriever in retrievers_of(config, entry)]
    return Grid.of_rows(NAMES, rows)


def scored(config: dict) -> Grid:
    """The same for the tables of statistics: by the first retriever."""
    first = config["relevance"]["retrievers"][0]
    rows = [(entry["corpus"], first, name) for entry in sets(config).values() for name in _asked(entry)]
    return Grid.of_rows(NAMES, rows)


def with_vectors(config: dict) -> list[str]:
    """The sets whose queries outlier detectors look at: all, if one of the retrievers is dense."""
    return list(sets(config)) if _dense(config) else []


def measure_relevance(config: dict) -> dict:
    options = {name: config["relevance"][name] for name in SHARED}
    params = {"sets": sets(config), "options": options, "flips": config["intervals"]["flips"]}
    return params | draws(config, "relevance")


def outlier_inputs(config: dict, pattern: str, key: str, wildcards) -> list[str]:
    """The tables of a set by its corpora or query sets; `key` says which."""
    entry = sets(config)[wildcards.relevance_set]
    names = {"corpus": [entry["corpus"], entry["corpus"] + HELD_OUT], "query_set": _asked(entry)}
    return [pattern.format(**{key: name}) for name in names[key]]


def outliers_await(config: dict, wildcards) -> list[str]:
    """The searches that embed what outlier detectors look at."""
    entry, retriever = sets(config)[wildcards.relevance_set], _dense(config)[0]
    return [f"results/neighbours/{entry['corpus']}/{retriever}/{name}.parquet" for name in _asked(entry)]


def outlier_kinds(config: dict) -> list[str]:
    """The modules that run the encoders of the first dense retriever."""
    return search.of_encoders(config, _dense(config)[:1], models.encoder_kind)


def score_outliers(config: dict, wildcards) -> dict:
    params = search.search_dense(config, Cell(retriever=_dense(config)[0]))
    del params["count"]
    return params | {"entry": sets(config)[wildcards.relevance_set], "samples": config["relevance"]["samples"]}


def rated(config: dict) -> Grid:
    """The tables of relevance scores by language models that are about a set: what `rate_relevance` is asked for."""
    pairs = searches(config).by("corpus", "query_set")
    return queries.rated(config).where(lambda cell: {key: cell[key] for key in ("corpus", "query_set")} in pairs)


def example_sets(config: dict) -> list[str]:
    """The query sets that examples come from."""
    return list(dict.fromkeys([*query_sets(config), *_sources(config)]))


def choose_examples(config: dict) -> dict:
    unknown = {corpus: {} for corpus in corpora(config)}
    for entry in sets(config).values():
        for kind in ("far", "near"):
            unknown[entry["corpus"]] |= dict.fromkeys(entry[kind], kind)
    params = {"sources": _sources(config), "unknown": unknown, "shown": config["lm_relevance"]["passages"]}
    return params | {"in_knowledge": _in_knowledge(config)}


def example_searches(config: dict) -> Grid:
    """What models rated, and in-knowledge queries without what is held out, by the first retriever of each set."""
    rows = [(corpus + HELD_OUT, retriever, query_set) for corpus, retriever, query_set in _in_knowledge(config)]
    rows += [tuple(cell[name] for name in NAMES) for cell in rated(config)]
    return Grid.of_rows(NAMES, rows)


def _in_knowledge(config):
    """Corpus, first retriever and in-knowledge queries of each set; sets that have all three in common count once."""
    searches = ((entry["corpus"], entry["retrievers"][0], entry["in_knowledge"]) for entry in sets(config).values())
    return [list(search) for search in dict.fromkeys(searches)]


def _sources(config):
    """Corpus and source of each synthetic query set about a corpus of the study; none is written by a model for
    examples alone.
    """
    used, sources = query_sets(config), {}
    for name, entry in config["synthetic_queries"].items():
        if entry["corpus"] in corpora(config) and (name in used or not entry["model"]):
            source = f"written by {entry['model']}" if entry["model"] else f"{entry['taken']} of a text"
            sources[name] = {"corpus": entry["corpus"], "source": source}
    return sources


def logs(config: dict) -> Grid:
    """The logs whose drift is measured, with corpus and retriever."""
    first = config["relevance"]["retrievers"][0]
    rows = [(entry["corpus"], first, name) for name, entry in config["query_logs"].items() if entry["corpus"]]
    return Grid.of_rows(("corpus", "retriever", "query_log"), rows)


def sections(config: dict) -> list[str]:
    """The sections of the report that there is something to show of."""
    shown = {"relevance": sets(config), "drift": logs(config)}
    return [name for name, entries in shown.items() if entries]


def members(config: dict, retriever: str) -> list[str]:
    """The retrievers that the gate of one searches with, it first."""
    together = config["relevance"]["gate"]["statistic"] in ("fused", "logistic")
    return list(dict.fromkeys([retriever, *(config["relevance"]["fused"] if together else [])]))


def words_searched(config: dict, wildcards) -> dict:
    """What a search by words gets."""
    return search.search_bm25(config, wildcards) | _copied(config)


def vectors_searched(config: dict, wildcards) -> dict:
    """What a search by vectors gets. In a part of a corpus sources stay, until all that was found is joined."""
    copied = {"copied": 1.0} if "+" in wildcards.corpus else _copied(config)
    return search.search_dense(config, wildcards) | copied


def _copied(config):
    """What synthetic queries keep of the sentence that they repeat. A gate that fuses words and vectors calibrates well
    with half of it; by words alone, it would turn away many good queries.
    """
    kinds = {search.kind(config, name) for name in config["relevance"]["fused"]}
    fuses = config["relevance"]["gate"]["statistic"] == "fused" and kinds >= {BM25, DENSE}
    return {"copied": COPIED if fuses else 0.0}


def _dense(config):
    return [name for name in retrievers(config) if search.kind(config, name) == DENSE]


def _asked(entry):
    """The query sets of a set, in-knowledge ones first."""
    synthetic = [entry["synthetic"]] if entry["synthetic"] else []
    return list(dict.fromkeys([entry["in_knowledge"], *entry["near"], *entry["far"], *synthetic]))


def check(config: dict) -> Iterator[tuple]:
    """Whether k leaves room for a query's own documents, names are the user's, and logs have a gate."""
    deepest, kept = max(config["relevance"]["k"], *config["relevance"]["ks"]), config["retrieval"]["neighbours"]
    if deepest >= kept:
        yield ("relevance", "ks"), f"found {deepest}, expected less than retrieval.neighbours, which is {kept}"
    first = config["relevance"]["retrievers"][0]
    for name, entry in config["relevance"]["sets"].items():
        if entry["retrievers"] and entry["retrievers"][0] != first:
            problem = f"found {entry['retrievers'][0]} as the first, expected that of relevance.retrievers, {first}"
            yield ("relevance", "sets", name, "retrievers"), f"{problem}, which most tables and the gate use"
    for retriever in members(config, first):
        if "index" in search.retriever(config, retriever):
            problem = f"found {retriever}, which searches an index, expected exact searches, as a gate makes them"
            yield ("relevance",), f"{problem}; name other relevance.retrievers or relevance.fused"
    for corpus in config["corpora"]:
        if corpus.endswith(HELD_OUT):
            yield ("corpora", corpus), f"found a name that ends with {HELD_OUT}, as the study's own do; give it another"
    for log in logs(config):
        name = log.query_log
        if log.corpus not in corpora(config):
            yield ("query_logs", name, "corpus"), unknown("corpus", log.corpus, corpora(config) or ["none"])
        for retriever in members(config, config["relevance"]["retrievers"][0]):
            if search.kind(config, retriever) == VECTORS:
                problem = f"found {retriever}, whose vectors were computed elsewhere, so that no gate can embed queries"
                yield ("query_logs", name), f"{problem}; set other relevance.retrievers or relevance.fused"
