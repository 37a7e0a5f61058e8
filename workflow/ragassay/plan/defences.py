"""Settings of the stages that defend a corpus under attack, and of the answers behind defences."""

from collections.abc import Iterator

from ragassay.base import variants
from ragassay.base.errors import AssayError, unknown
from ragassay.config.grid import Cell, Grid
from ragassay.plan import models, search
from ragassay.studies.poisoning.defences.defence import KINDS, SCORES, VECTORS, kind_of
from ragassay.studies.poisoning.defences.thresholds import LITERAL

CHAIN = "of"  # the setting of a chain that names its links
DOUBLINGS = "doublings"  # and one that it has from them
QUERIES = ".targets"  # ends the name of the query set that a dataset's questions are
LINES = "lines"  # the form of a prompt whose answer stands in a line of its own


class NoDefence(AssayError):
    """A target names a defence that the configuration does not have."""


def defence(config: dict, name: str) -> dict:
    """What a name stands for: an entry of `defences`, or a kind with all defaults."""
    if name in config["defences"]:
        return config["defences"][name]
    if name in variants.names(KINDS):
        return {"kind": name, "settings": {}}
    raise NoDefence(f"a path below results: {unknown('defence', name, defences(config))}")


def defences(config: dict) -> list[str]:
    """All names of defences."""
    return list(dict.fromkeys([*config["defences"], *variants.names(KINDS)]))


def filtered(config: dict) -> Grid:
    """All cells that a defence stands in, whether anybody answers from what it leaves or not."""
    return Grid.of_entries(config["under_attack"]["cells"], "dataset", "retriever", "attack", "defence")


def answered(config: dict) -> Grid:
    """The same with the responders that answer."""
    names = ("dataset", "retriever", "attack", "defence", "responder")
    return Grid.of_entries(config["under_attack"]["cells"], *names)


def answering(config: dict) -> dict:
    """How responders are asked under attack."""
    shared = config["under_attack"]
    return {"in_lines": shared["prompt"] == LINES, "sampling": shared["sampling"]}


def passages(config: dict, wildcards) -> str:
    """The clean corpus of a dataset."""
    return f"results/passages/{config['datasets'][wildcards.dataset]['corpus']}.parquet"


def settings(config: dict, name: str) -> dict:
    """All settings of a defence; those of a chain hold what its links stand for."""
    entry = defence(config, name)
    values = kind_of(entry["kind"], f"defences.{name}.kind").SETTINGS | entry["settings"]
    if CHAIN not in values:
        return values
    links = [{"kind": defence(config, link)["kind"], "settings": settings(config, link)} for link in values[CHAIN]]
    return values | {CHAIN: links, DOUBLINGS: max((link["settings"].get(DOUBLINGS, 0) for link in links), default=0)}


def kinds(config: dict, wildcards) -> list[str]:
    """The modules of a defence, and of the encoder whose vectors it looks at."""
    linked = _links(config, wildcards.defence)
    modules = [f"{KINDS}.{kind}" for kind in dict.fromkeys([defence(config, wildcards.defence)["kind"], *linked])]
    return [*modules, *(search.retriever_kinds(config, wildcards) if _sees_vectors(config, wildcards) else [])]


def wrong_links(config: dict, name: str) -> list[str]:
    """The links of a chain that nothing stands for, or that are chains themselves."""
    allowed, links = defences(config), defence(config, name)["settings"].get(CHAIN, [])
    return [link for link in links if link not in allowed or CHAIN in kind_of(defence(config, link)["kind"]).SETTINGS]


def _links(config, name):
    return [link["kind"] for link in settings(config, name).get(CHAIN, [])]


def scorers(config: dict, name: str) -> list[str]:
    """The scorer of a defence; those of a chain's links."""
    itself = defence(config, name)["kind"], settings(config, name)
    links = [(link["kind"], link["settings"]) for link in itself[1].get(CHAIN, [])] or [itself]
    return list(dict.fromkeys(values["scorer"] for kind, values in links if SCORES in kind_of(kind)(values).needs))


def clean_scores(config: dict, wildcards) -> list[str]:
    """The stored scores of the clean corpus."""
    return _scores(config, wildcards, "none")


def scores(config: dict, wildcards) -> list[str]:
    """The same, and those of what an attack plants."""
    return [*clean_scores(config, wildcards), *_scores(config, wildcards, wildcards.attack)]


def guard(config: dict, wildcards) -> list[str]:
    """The fitted guard, if the defence is fitted."""
    path = f"results/guards/{wildcards.dataset}/{wildcards.retriever}/{wildcards.defence}.json"
    return [path] if kind_of(defence(config, wildcards.defence)["kind"]).IS_FITTED else []


def fitted(config: dict) -> Grid:
    """The cells whose defence is fitted."""
    return filtered(config).where(lambda cell: kind_of(defence(config, cell.defence)["kind"]).IS_FITTED)


def snapshot(config: dict, pattern: str, wildcards) -> str:
    """A table of the corpus that defences are fitted on: one that is known to be clean, if there is one."""
    entry = config["datasets"][wildcards.dataset]
    names = {"corpus": entry["snapshot"] or entry["corpus"], "query_set": wildcards.dataset + QUERIES}
    return pattern.format(retriever=wildcards.get("retriever"), **names)


def poisoned_null(config: dict, wildcards) -> list[str]:
    """What is found under the attack that the null is left exposed to, and what that plants."""
    attack = settings(config, wildcards.defence).get("poisoned_null")
    path = f"results/retrieved/{wildcards.dataset}/{wildcards.retriever}/{attack}.parquet"
    return [path, f"results/poisoned_passages/{wildcards.dataset}/{attack}.parquet"] if attack else []


def null_scores(config: dict, wildcards) -> list[str]:
    attack = settings(config, wildcards.defence).get("poisoned_null")
    return [*clean_scores(config, wildcards), *(_scores(config, wildcards, attack) if attack else [])]


def fit_defence(config: dict, wildcards) -> dict:
    retriever = search.retriever(config, wildcards.retriever)
    params = {key: value for key, value in filter_retrieved(config, wildcards).items() if key != "k"}
    params |= {"similarity": retriever.get("similarity", "cosine"), "reading": reading(config), "encoders": {}}
    if retriever["kind"] == search.DENSE:
        searched = search.search_dense(config, wildcards)
        params["encoders"] = {"passage": searched["encoder"], "query": searched["query_encoder"]}
    return params


def reading(config: dict) -> dict:
    """How passages are split where they are scored."""
    shared = config["raguard"]
    return {"way": shared["split"], "least": shared["least_tokens"], "window": shared["window"]}


def filter_retrieved(config: dict, wildcards) -> dict:
    entry, shared = defence(config, wildcards.defence), config["under_attack"]
    params = {
        "kind": entry["kind"],
        "own": settings(config, wildcards.defence),
        "k": shared["k"],
        "depth": shared["depth"],
    }
    params |= {"retriever": wildcards.retriever, "scorer": _scorer(config, wildcards), "encoder": {}, "embeddings": ""}
    if not _sees_vectors(config, wildcards):
        return params
    return params | models.encoder(config, search.retriever(config, wildcards.retriever)["encoder"])


def weights(config: dict, wildcards) -> list[str]:
    """The weights of the retriever's encoder, if the defence looks at vectors."""
    return search.retriever_weights(config, wildcards) if _sees_vectors(config, wildcards) else []


def fitting_weights(config: dict, wildcards) -> list[str]:
    """The weights of the retriever's encoders, whose digests stand in the guard."""
    is_dense = search.retriever(config, wildcards.retriever)["kind"] == search.DENSE
    return search.retriever_weights(config, wildcards) if is_dense else []


def _sees_vectors(config, wildcards):
    kind, values = defence(config, wildcards.defence)["kind"], settings(config, wildcards.defence)
    literal = any(
        part.get("similarity_null") == LITERAL
        for part in [values, *(link["settings"] for link in values.get(CHAIN, []))]
    )
    return literal or VECTORS in kind_of(kind)(values).needs


def _scorer(config, wildcards):
    return next(iter(scorers(config, wildcards.defence)), "")


def _scores(config, wildcards, attack):
    name = _scorer(config, wildcards)
    return [f"results/passage_scores/{wildcards.dataset}/{name}/{attack}.parquet"] if name else []


def check(config: dict) -> Iterator[tuple]:
    """Whether the defences and responders of cells exist, and defences have the settings that they are given."""
    for name, entry in config["defences"].items():
        allowed = kind_of(entry["kind"], f"defences.{name}.kind").SETTINGS
        place = ("defences", name, "settings")
        for key, value in entry["settings"].items():
            if key not in allowed:
                yield place, unknown("setting", key, allowed) if allowed else f"{entry['kind']} has no settings"
            elif value is None and allowed[key] is not None:
                yield place, f"{key}: found nothing, expected a value such as {allowed[key]!r}, which is the default"
        if CHAIN in allowed and not entry["settings"].get(CHAIN):
            yield place, f"found a chain without links, expected names of defences as `{CHAIN}`"
        for link in wrong_links(config, name):
            if link not in defences(config):
                yield place, unknown("defence", link, defences(config))
            else:
                yield place, f"found the chain {link}, expected defences that are none"
        for link in set(entry["settings"].get(CHAIN, [])) - set(wrong_links(config, name)):
            kind = defence(config, link)["kind"]
            if kind_of(kind).PROMPTS or kind_of(kind).REWRITES:
                yield place, f"found {link}, which asks a model; name it in cells by itself"
    shared = config["under_attack"]
    k, depth, kept = shared["k"], shared["depth"], config["retrieval"]["neighbours"]
    if depth < k:
        yield ("under_attack", "depth"), f"found {depth}, expected at least under_attack.k, which is {k}"
    if depth > kept and shared["cells"]:
        yield ("under_attack", "depth"), f"found {depth}, expected at most retrieval.neighbours, which is {kept}"
    for number, entry in enumerate(shared["cells"]):
        for name in entry["defences"]:
            place = ("under_attack", "cells", number, "defences")
            if name not in defences(config):
                yield place, unknown("defence", name, defences(config))
            elif name not in config["defences"] and settings(config, name).get(CHAIN) == []:
                yield place, f"found {name}, which has no links; give an entry of `defences` this kind and its links"
            elif not wrong_links(config, name) and len(scored_by := scorers(config, name)) > 1:
                yield (
                    place,
                    f"found {name} with the scorers {', '.join(scored_by)}, expected one for all links of a chain",
                )
            elif not wrong_links(config, name):
                for retriever in entry["retrievers"]:
                    cell = Cell(retriever=retriever, defence=name)
                    if retriever in search.retrievers(config, search.BM25) and _sees_vectors(config, cell):
                        yield place, f"found {name}, which looks at vectors, and {retriever}, which has none"
