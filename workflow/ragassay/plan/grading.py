"""Settings of the stages that ask queries with known answers, and whom the relevance study asks what, to see what
passages and a gate are worth."""

from collections.abc import Iterator

from ragassay.base.errors import unknown
from ragassay.config.grid import Grid
from ragassay.plan import models, relevance
from ragassay.plan.corpora import HELD_OUT
from ragassay.plan.report import draws


def answer_from_passages(config: dict, wildcards) -> dict:
    """Without what is held out, only queries that say what they are about can be told in or out of knowledge."""
    shared, about_known = config["answers"], wildcards.corpus.endswith(HELD_OUT)
    params = {"shown": shared["passages"], "sampling": shared["sampling"], "about_known": about_known}
    return models.asking(config, "answer_from_passages", "responder", wildcards, **params)


def responders(config: dict) -> list[str]:
    """Those that are asked, if there is anything to ask about."""
    asks = any(entry["answers"]["query_sets"] for entry in config["relevance"]["sets"].values())
    return config["relevance"]["answers"]["responders"] if asks else []


def retrievers(config: dict) -> list[str]:
    """The retrievers whose passages responders are shown, the first one of the gate."""
    return config["relevance"]["answers"]["retrievers"] or config["relevance"]["retrievers"][:1]


def asked(config: dict) -> Grid:
    """Which responder is asked what with which passages. The first retriever serves all query sets, the in-knowledge
    one without held-out documents, too; the others serve figure 3 alone, for the sets that have them.
    """
    first, *others = retrievers(config)
    rows = []
    for entry in config["relevance"]["sets"].values():
        corpus, inside = entry["corpus"], entry["in_knowledge"]
        rows += [(corpus, first, name) for name in entry["answers"]["query_sets"]]
        if inside in entry["answers"]["query_sets"]:
            rows.append((corpus + HELD_OUT, first, inside))
            searching = relevance.retrievers_of(config, entry)
            rows += [(corpus, retriever, inside) for retriever in others if retriever in searching]
    names = ("responder", "corpus", "retriever", "query_set")
    return Grid.of_rows(names, [(responder, *row) for responder in responders(config) for row in rows])


def measure_answers(config: dict) -> dict:
    """The gate of answers uses the retriever whose passages are shown, and may have an alpha of its own in each set."""
    shared = config["relevance"]
    options = {name: shared[name] for name in relevance.SHARED} | {"retrievers": retrievers(config)}
    stated = {name: entry["answers"]["alpha"] for name, entry in shared["sets"].items()}
    alphas = {name: shared["alpha"] if alpha is None else alpha for name, alpha in stated.items()}
    params = {"sets": relevance.sets(config), "options": options, "alphas": alphas, "responders": responders(config)}
    return params | draws(config, "relevance")


def check(config: dict) -> Iterator[tuple]:
    """Whether what responders are asked is part of the study."""
    for name, entry in config["relevance"]["sets"].items():
        allowed = dict.fromkeys([entry["in_knowledge"], *entry["near"], *entry["far"]])
        for query_set in entry["answers"]["query_sets"]:
            if query_set not in allowed:
                place = ("relevance", "sets", name, "answers", "query_sets")
                yield place, unknown("query set", query_set, allowed)
        first = retrievers(config)[0]
        searched = relevance.retrievers_of(config, entry)
        if entry["answers"]["query_sets"] and first in relevance.retrievers(config) and first not in searched:
            problem = f"found none that is {first}, which relevance.answers shows the passages of; add it"
            yield ("relevance", "sets", name, "retrievers"), problem
    for name in config["relevance"]["answers"]["retrievers"] if responders(config) else []:
        if name not in relevance.retrievers(config):
            place = ("relevance", "answers", "retrievers")
            yield place, unknown("retriever", name, relevance.retrievers(config))
