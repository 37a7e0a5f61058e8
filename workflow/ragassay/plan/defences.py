"""Settings of the stages that defend a corpus under attack."""

from collections.abc import Iterator

from ragassay.config.grid import Cell, Grid
from ragassay.plan import methods, models, search, targets
from ragassay.plan.methods import NamedMethod
from ragassay.studies.poisoning.defences.defence import SCORES, VECTORS
from ragassay.studies.poisoning.defences.thresholds import LITERAL

CLEAN = "none"  # the attack whose passages are the corpus itself
CHAIN = "of"  # the setting of a chain that names its links
ENCODER = "encoder"  # the setting of a defence whose vectors need not be the retriever's
DOUBLINGS = "doublings"  # and one that it has from them
LINES = "lines"  # the form of a prompt whose answer stands in a line of its own


def defence(config: dict, name: str) -> NamedMethod:
    return methods.named(config, "defences", name)


def filtered(config: dict) -> Grid:
    """All cells that a defence stands in, whether anybody answers from what it leaves or not."""
    return Grid.of_entries(config["under_attack"]["cells"], "dataset", "retriever", "attack", "defence")


def judging(config: dict, wildcards) -> list[Cell]:
    """The cells of all defences that look at what a retriever finds under an attack, be it beside probes."""
    met, places = [], ("dataset", "retriever", "attack")
    entries, beside = [*config["under_attack"]["cells"]], {"defences": config["revprag"]["defences"]}
    entries += [entry | beside | {"attacks": [CLEAN, *entry["attacks"]]} for entry in config["revprag"]["cells"]]
    for entry in entries:
        met += entry["defences"] if all(wildcards[name] in entry[f"{name}s"] for name in places) else []
    return [Cell(wildcards.items(), defence=name) for name in sorted(set(met))]


def of_all(config: dict, wildcards, of) -> list[str]:
    """What a function says of each of them."""
    return list(dict.fromkeys(value for cell in judging(config, wildcards) for value in of(config, cell)))


def answered(config: dict) -> Grid:
    """The same with the responders that answer."""
    names = ("dataset", "retriever", "attack", "defence", "responder")
    return Grid.of_entries(config["under_attack"]["cells"], *names)


def answering(config: dict) -> dict:
    """How responders are asked under attack."""
    shared = config["under_attack"]
    return {"in_lines": shared["prompt"] == LINES, "sampling": shared["sampling"]}


def settings(config: dict, name: str) -> dict:
    """All settings of a defence; those of a chain hold what its links stand for."""
    values = defence(config, name).settings
    if CHAIN not in values:
        return values
    links = [{"kind": defence(config, link).kind, "settings": settings(config, link)} for link in values[CHAIN]]
    return values | {CHAIN: links, DOUBLINGS: max((link["settings"].get(DOUBLINGS, 0) for link in links), default=0)}


def links(config: dict, name: str) -> list[NamedMethod]:
    """The defences that a chain consists of; of another one, itself."""
    itself = defence(config, name)
    return [defence(config, link) for link in itself.settings[CHAIN]] if CHAIN in itself.settings else [itself]


def kinds(config: dict, wildcards) -> list[str]:
    """The modules of a defence, and of the encoder whose vectors it looks at."""
    linked = [defence(config, wildcards.defence), *links(config, wildcards.defence)]
    modules = dict.fromkeys(part.module for part in linked)
    if not _sees_vectors(config, wildcards):
        return [*modules]
    if named := encoders(config, wildcards.defence):
        return [*modules, *models.encoder_kind(config, named[0])]
    return [*modules, *search.retriever_kinds(config, wildcards)]


def wrong_links(config: dict, name: str) -> list[str]:
    """The links of a chain that are chains themselves."""
    stated = defence(config, name).entry["settings"].get(CHAIN, [])
    return [link for link in stated if CHAIN in defence(config, link).type.SETTINGS]


def scorers(config: dict, name: str) -> list[str]:
    """The scorer of a defence; those of a chain's links."""
    return list(dict.fromkeys(part.settings["scorer"] for part in links(config, name) if SCORES in part.needs))


def encoders(config: dict, name: str) -> list[str]:
    """The encoder of its own whose vectors a defence looks at, if it names one; those of a chain's links."""
    named = [part.settings[ENCODER] for part in links(config, name) if part.settings.get(ENCODER)]
    return list(dict.fromkeys(named))


def scores(config: dict, wildcards) -> list[str]:
    """The stored scores of the clean corpus, and those of what an attack plants."""
    return _scores(config, wildcards, CLEAN, wildcards.attack)


def guard(config: dict, wildcards) -> list[str]:
    """The fitted guard, if the defence is fitted."""
    path = f"results/guards/{wildcards.dataset}/{wildcards.retriever}/{wildcards.defence}.json"
    return [path] if defence(config, wildcards.defence).type.IS_FITTED else []


def fitted(config: dict) -> Grid:
    """The cells whose defence is fitted."""
    return filtered(config).where(lambda cell: defence(config, cell.defence).type.IS_FITTED)


def snapshot(config: dict, pattern: str, wildcards) -> str:
    """A table of the corpus that defences are fitted on: one that is known to be clean, if there is one."""
    entry = config["datasets"][wildcards.dataset]
    names = {"corpus": entry["snapshot"] or entry["corpus"], "query_set": wildcards.dataset + targets.QUERIES}
    return pattern.format(retriever=wildcards.get("retriever"), **names)


def poisoned_null(config: dict, wildcards) -> list[str]:
    """What is found under the attack that the null is left exposed to, and what that plants."""
    attack = settings(config, wildcards.defence).get("poisoned_null")
    path = f"results/retrieved/{wildcards.dataset}/{wildcards.retriever}/{attack}.parquet"
    return [path, f"results/poisoned_passages/{wildcards.dataset}/{attack}.parquet"] if attack else []


def null_scores(config: dict, wildcards) -> list[str]:
    attack = settings(config, wildcards.defence).get("poisoned_null")
    return _scores(config, wildcards, CLEAN, *([attack] if attack else []))


def fit_defence(config: dict, wildcards) -> dict:
    retriever = search.retriever(config, wildcards.retriever)
    params = _judge(config, wildcards) | {
        "similarity": retriever["similarity"],
        "reading": reading(config),
        "encoders": {},
    }
    if retriever["kind"] == search.DENSE:
        searched = search.search_dense(config, wildcards)
        params["encoders"] = {"passage": searched["encoder"], "query": searched["query_encoder"]}
    return params


def reading(config: dict) -> dict:
    """How passages are split where they are scored."""
    shared = config["raguard"]
    return {"way": shared["split"], "least": shared["least_tokens"], "window": shared["window"]}


def filter_retrieved(config: dict, wildcards) -> dict:
    shared, cells = config["under_attack"], judging(config, wildcards)
    return {"defences": {cell.defence: _judge(config, cell) for cell in cells}, "k": shared["k"]}


def _judge(config, wildcards):
    """What a defence is, and what it needs."""
    name = wildcards.defence
    params = {"kind": defence(config, name).kind, "settings": settings(config, name)}
    params |= {"depth": config["under_attack"]["depth"], "retriever": wildcards.retriever}
    params |= {"scorer": next(iter(scorers(config, name)), ""), "encoder": {}, "embeddings": ""}
    if not _sees_vectors(config, wildcards):
        return params
    of_retriever = search.retriever(config, wildcards.retriever).get("encoder")
    return params | models.encoder(config, next(iter(encoders(config, name)), of_retriever))


def weights(config: dict, wildcards) -> list[str]:
    """The weights of the encoder whose vectors the defence looks at, if it looks at some."""
    if named := encoders(config, wildcards.defence):
        return models.encoder_weights(config, named[0])
    return search.retriever_weights(config, wildcards) if _sees_vectors(config, wildcards) else []


def fitting_weights(config: dict, wildcards) -> list[str]:
    """The weights of the retriever's encoders, whose digests stand in the guard, and of the defence's own."""
    is_dense = search.kind(config, wildcards.retriever) == search.DENSE
    of_defence = weights(config, wildcards) if encoders(config, wildcards.defence) else []
    return [*(search.retriever_weights(config, wildcards) if is_dense else []), *of_defence]


def _sees_vectors(config, wildcards):
    return any(map(_is_seeing, links(config, wildcards.defence)))


def _is_seeing(part):
    return VECTORS in part.needs or part.settings.get("similarity_null") == LITERAL


def _scores(config, wildcards, *attacks):
    shared, names = f"results/passage_scores/{wildcards.dataset}", scorers(config, wildcards.defence)[:1]
    return [f"{shared}/{name}/{attack}.parquet" for name in names for attack in attacks]


def check(config: dict) -> Iterator[tuple]:
    """Whether defences have the settings that they are given, and can be used in their cells."""
    for name, entry in config["defences"].items():
        chosen, place = defence(config, name), ("defences", name, "settings")
        yield from methods.wrong_settings(chosen, *place)
        if CHAIN in chosen.type.SETTINGS and not entry["settings"].get(CHAIN):
            yield place, f"found a chain without links, expected names of defences as `{CHAIN}`"
        for link in entry["settings"].get(CHAIN, []):
            kind = defence(config, link).type
            if CHAIN in kind.SETTINGS:
                yield place, f"found the chain {link}, expected defences that are none"
            elif kind.PROMPTS or kind.REWRITES:
                yield place, f"found {link}, which asks a model; name it in cells by itself"
    shared = config["under_attack"]
    k, depth, kept = shared["k"], shared["depth"], config["retrieval"]["neighbours"]
    if depth < k:
        yield ("under_attack", "depth"), f"found {depth}, expected at least under_attack.k, which is {k}"
    if depth > kept and shared["cells"]:
        yield ("under_attack", "depth"), f"found {depth}, expected at most retrieval.neighbours, which is {kept}"
    for number, entry in enumerate(shared["cells"]):
        for name in entry["defences"]:
            if not wrong_links(config, name):
                problems = _wrong_in_cell(config, name, entry["retrievers"])
                yield from ((("under_attack", "cells", number, "defences"), problem) for problem in problems)


def _wrong_in_cell(config, name, retrievers):
    if name not in config["defences"] and not links(config, name):
        yield f"found {name}, which has no links; give an entry of `defences` this kind and its links"
    if len(scored_by := scorers(config, name)) > 1:
        yield f"found {name} with the scorers {', '.join(scored_by)}, expected one for all links of a chain"
        return
    named, seeing = encoders(config, name), [part for part in links(config, name) if _is_seeing(part)]
    if named and (len(named) > 1 or any(part.settings.get(ENCODER) != named[0] for part in seeing)):
        yield f"found {name} with more than one encoder, expected one for all links of a chain that look at vectors"
    for retriever in retrievers:
        if retriever in search.retrievers(config, search.BM25) and seeing and not named:
            yield f"found {name}, which looks at vectors, and {retriever}, which has none"
