"""Settings of gates: which there are, what calibrates them, and what they search with."""

from ragassay.config.grid import Cell, Grid
from ragassay.plan import models, relevance, search
from ragassay.plan.search import BM25, VECTORS


def gates(config: dict) -> Grid:
    """Corpus and retriever of each gate; vectors from elsewhere make none."""
    first = config["relevance"]["retrievers"][0]
    embeds = VECTORS not in [search.kind(config, name) for name in relevance.members(config, first)]
    names = relevance.corpora(config) if embeds else []
    return Grid.of_rows(("corpus", "retriever"), [(name, first) for name in names])


def verdicts(config: dict) -> Grid:
    """The gates with the query sets of their corpora."""
    with_gate = gates(config).column("corpus")
    return relevance.scored(config).where(lambda cell: cell.corpus in with_gate)


def verdict_kinds(config: dict) -> list[str]:
    """The modules that run the encoders of these gates."""
    return list(dict.fromkeys(kind for cell in gates(config) for kind in gate_kinds(config, cell)))


def in_knowledge(config: dict, wildcards) -> str:
    """The query set that calibrates a gate: that of the first set with its corpus."""
    sets = relevance.sets(config).values()
    return next(entry["in_knowledge"] for entry in sets if entry["corpus"] == wildcards.corpus)


def gate_queries(config: dict, wildcards) -> str:
    return f"results/queries/{in_knowledge(config, wildcards)}.parquet"


def gate_neighbours(config: dict, wildcards) -> list[str]:
    """What each of a gate's retrievers found for these queries; the searches have embedded all passages."""
    query_set = in_knowledge(config, wildcards)
    names = relevance.members(config, wildcards.retriever)
    return [f"results/neighbours/{wildcards.corpus}/{name}/{query_set}.parquet" for name in names]


def gate_votes(config: dict, wildcards) -> list[str]:
    """What the reader of gates says of these queries, if there is one."""
    reader, place = config["relevance"]["gate"]["reader"], f"{wildcards.corpus}/{wildcards.retriever}"
    query_set = in_knowledge(config, wildcards)
    return [f"results/lm_relevance/{reader}/{place}/{query_set}.parquet"] if reader else []


def gate_kinds(config: dict, wildcards) -> list[str]:
    """The modules that run the encoders of a gate's retrievers."""
    return search.of_encoders(config, relevance.members(config, wildcards.retriever), models.encoder_kind)


def fit_gate(config: dict, wildcards) -> dict:
    shared, gate = config["relevance"], config["relevance"]["gate"]
    params = {"shown": gate["passages"], "read": config["lm_relevance"]["passages"]} | {
        name: gate[name] for name in ("statistic", "confidence", "strategy", "unmasked")
    }
    params |= {name: shared[name] for name in ("k", "temperature", "ks", "temperatures", "alpha")}
    names = relevance.members(config, wildcards.retriever)
    return params | {"retrievers": {name: _search(config, name) for name in names}, "embeddings": "embeddings"}


def of_questions(config: dict) -> list[str]:
    """The retrievers of a gate that is asked about the scope study's questions; vectors from elsewhere embed none."""
    return [name for name in config["relevance"]["fused"] if search.kind(config, name) != VECTORS]


def gate_questions(config: dict) -> dict:
    searched = {name: _search(config, name) for name in of_questions(config)}
    shared = config["relevance"]
    chosen = {"alpha": shared["alpha"], "confidence": shared["gate"]["confidence"]}
    return {"retrievers": searched, "embeddings": "embeddings"} | chosen


def question_encoders(config: dict, of) -> list[str]:
    """What `of` says of the encoders of these retrievers."""
    return search.of_encoders(config, of_questions(config), of)


def _search(config, name):
    """What a gate needs of one of its retrievers."""
    kind = search.kind(config, name)
    if kind == BM25:
        searched = search.search_bm25(config, Cell(retriever=name))["options"]
        return {"kind": kind, "titles": searched.pop("titles", "none"), "options": searched}
    searched = search.search_dense(config, Cell(retriever=name))
    return {"kind": kind} | {key: searched[key] for key in ("encoder", "query_encoder", "similarity", "titles")}
